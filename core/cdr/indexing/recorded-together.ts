import { type TogetherRules, together } from '../../concurrency/together.ts'
import type { RecordedLeg, RecordingStore } from '../../recordings/recording-store.ts'

/** Returns the store's `listRecorded` with concurrent calls joined by {@link together}. Asks about each leg once. */
export function recordedTogether(
  store: Pick<RecordingStore, 'listRecorded'>,
  rules: TogetherRules,
): RecordingStore['listRecorded'] {
  const namesOfRecorded = async (legs: readonly RecordedLeg[]) => {
    const distinct = new Map(legs.map((leg) => [nameOf(leg), leg]))
    return new Set((await store.listRecorded([...distinct.values()])).map(nameOf))
  }
  const ask = together(namesOfRecorded, rules)
  return async (legs) => {
    const recorded = await ask(legs)
    return legs.filter((leg) => recorded.has(nameOf(leg)))
  }
}

function nameOf({ domain, uuid }: RecordedLeg): string {
  return JSON.stringify([domain, uuid])
}
