interface Offer<Item, Result> {
  readonly items: readonly Item[]
  outcome?: { readonly result: Result } | { readonly problem: unknown }
}

/** How calls are joined. */
export interface CoalesceRules {
  /**
   * Awaited by the caller that makes a call, before it. Gives others the chance to offer their items. If it rejects,
   * only that caller fails, so it is also the place to refuse a caller that has no time left.
   */
  readonly turn: () => Promise<void>
  /** The most items of a call; a caller with more has a call of its own. */
  readonly most: number
}

/**
 * Joins the items of concurrent callers into one call of `work`, whose whole result or failure each of them gets. Calls
 * do not overlap: items that are offered during one go with the next. One of the callers whose items wait makes it,
 * within its own time limit; a call that ends at this limit fails for the others, too.
 */
export function coalesce<Item, Result>(
  work: (items: readonly Item[]) => Promise<Result>,
  { turn, most }: CoalesceRules,
): (items: readonly Item[]) => Promise<Result> {
  let offers: Offer<Item, Result>[] = []
  let underWay: Promise<void> | undefined

  const outcomeOf = async (taken: readonly Offer<Item, Result>[]) => {
    try {
      return { result: await work(taken.flatMap(({ items }) => items)) }
    } catch (problem) {
      return { problem }
    }
  }

  const callFor = async (own: Offer<Item, Result>) => {
    try {
      await turn()
      const taken = joined(own, offers, most)
      offers = offers.filter((offer) => !taken.includes(offer))
      const outcome = await outcomeOf(taken)
      for (const offer of taken) offer.outcome = outcome
    } catch (problem) {
      offers = offers.filter((offer) => offer !== own)
      own.outcome = { problem }
    } finally {
      underWay = undefined
    }
  }

  return async (items) => {
    const offer: Offer<Item, Result> = { items }
    offers.push(offer)
    while (offer.outcome === undefined) {
      underWay ??= callFor(offer)
      await underWay
    }
    if ('problem' in offer.outcome) throw offer.outcome.problem
    return offer.outcome.result
  }
}

function joined<Item, Result>(
  own: Offer<Item, Result>,
  offers: readonly Offer<Item, Result>[],
  most: number,
): Offer<Item, Result>[] {
  let left = most - own.items.length
  return offers.filter((offer) => {
    if (offer === own) return true
    if (offer.items.length > left) return false
    left -= offer.items.length
    return true
  })
}
