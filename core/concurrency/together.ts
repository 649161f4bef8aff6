/** A caller's items, and the end of its wait. */
interface Offer<Item, Result> {
  readonly items: readonly Item[]
  readonly end: (result: Result) => void
  readonly fail: (problem: unknown) => void
}

/**
 * Joins the items of concurrent callers into one call of `work`, whose whole result or failure each of them gets. `turn`
 * resolves when all callers have had the chance to offer. Items that are offered during a call go with the next one.
 */
export function together<Item, Result>(
  work: (items: readonly Item[]) => Promise<Result>,
  turn: () => Promise<void>,
): (items: readonly Item[]) => Promise<Result> {
  let offers: Offer<Item, Result>[] = []
  let isWorking = false

  const workOn = async (taken: readonly Offer<Item, Result>[]) => {
    try {
      const result = await work(taken.flatMap(({ items }) => items))
      for (const { end } of taken) end(result)
    } catch (problem) {
      for (const { fail } of taken) fail(problem)
    }
  }

  const run = async () => {
    isWorking = true
    await turn()
    while (offers.length > 0) {
      const taken = offers
      offers = []
      await workOn(taken)
    }
    isWorking = false
  }

  return (items) =>
    new Promise((end, fail) => {
      offers.push({ items, end, fail })
      if (!isWorking) void run()
    })
}
