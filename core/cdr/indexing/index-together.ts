import type { CdrPart } from '../cdr.ts'
import type { CdrStore, RefusedPart } from '../cdr-store.ts'

/** The parts of one caller, and their result. */
interface Offer {
  readonly parts: readonly CdrPart[]
  readonly end: (refused: readonly RefusedPart[]) => void
  readonly fail: (problem: unknown) => void
}

/**
 * Returns the store's `index` for concurrent callers: parts that they offer go to the store together. `turn` resolves when
 * all callers have had the chance to offer; parts that are offered while the store is busy go with the next call.
 */
export function indexTogether(
  store: Pick<CdrStore, 'index'>,
  turn: () => Promise<void>,
): (parts: readonly CdrPart[]) => Promise<readonly RefusedPart[]> {
  let offers: Offer[] = []
  let isSending = false

  const send = async () => {
    isSending = true
    await turn()
    while (offers.length > 0) {
      const taken = offers
      offers = []
      await sendOffers(store, taken)
    }
    isSending = false
  }

  return (parts) =>
    new Promise((end, fail) => {
      offers.push({ parts, end, fail })
      if (!isSending) void send()
    })
}

async function sendOffers(store: Pick<CdrStore, 'index'>, offers: readonly Offer[]): Promise<void> {
  try {
    const refused = await store.index(offers.flatMap(({ parts }) => parts))
    for (const { parts, end } of offers) end(refused.filter(({ part }) => parts.includes(part)))
  } catch (problem) {
    for (const { fail } of offers) fail(problem)
  }
}
