/** A caller's items, and what became of the call that took them. */
interface Offer<Item, Result> {
  readonly items: readonly Item[]
  outcome?: { readonly result: Result } | { readonly problem: unknown }
}

/**
 * Joins the items of concurrent callers into one call of `work`, whose whole result or failure each of them gets. `turn`
 * resolves when all callers have had the chance to offer. There is one call at a time; items that are offered during it go with the
 * next one. A caller whose items are in a call makes it, so that the call has the time limit of work that still goes on.
 */
export function together<Item, Result>(
  work: (items: readonly Item[]) => Promise<Result>,
  turn: () => Promise<void>,
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

  const callForAll = async (isFirst: boolean) => {
    if (isFirst) await turn()
    const taken = offers
    offers = []
    const outcome = await outcomeOf(taken)
    for (const offer of taken) offer.outcome = outcome
    underWay = undefined
  }

  return async (items) => {
    const offer: Offer<Item, Result> = { items }
    offers.push(offer)
    for (let isFirst = true; offer.outcome === undefined; isFirst = false) {
      underWay ??= callForAll(isFirst)
      await underWay
    }
    if ('problem' in offer.outcome) throw offer.outcome.problem
    return offer.outcome.result
  }
}
