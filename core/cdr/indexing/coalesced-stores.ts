import { type CoalesceRules, coalesce } from '../../concurrency/coalesce.ts'
import type { CdrPart } from '../cdr.ts'
import type { CdrStore } from '../cdr-store.ts'
import type { RecordedLeg, RecordingStore } from '../../recordings/recording-store.ts'

/** Returns the store's `index` for concurrent callers, as {@link coalesce} joins their calls. */
export function coalescedIndex(store: Pick<CdrStore, 'index'>, rules: CoalesceRules): CdrStore['index'] {
  const index = coalesce((parts: readonly CdrPart[]) => store.index(parts), rules)
  return async (parts) => (await index(parts)).filter(({ part }) => parts.includes(part))
}

/** Returns the store's `listRecorded` with concurrent calls joined by {@link coalesce}. Asks about each leg once. */
export function coalescedListRecorded(
  store: Pick<RecordingStore, 'listRecorded'>,
  rules: CoalesceRules,
): RecordingStore['listRecorded'] {
  const namesOfRecorded = async (legs: readonly RecordedLeg[]) => {
    const distinct = new Map(legs.map((leg) => [nameOf(leg), leg]))
    return new Set((await store.listRecorded([...distinct.values()])).map(nameOf))
  }
  const ask = coalesce(namesOfRecorded, rules)
  return async (legs) => {
    const recorded = await ask(legs)
    return legs.filter((leg) => recorded.has(nameOf(leg)))
  }
}

function nameOf({ domain, uuid }: RecordedLeg): string {
  return JSON.stringify([domain, uuid])
}
