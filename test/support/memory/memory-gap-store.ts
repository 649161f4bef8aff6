import type { GapStore } from '../../../core/events/gap-store.ts'
import { type MemoryContext, byText } from './memory-state.ts'

/** Gaps in memory. */
export function memoryGapStore({ state, clock }: Pick<MemoryContext, 'state' | 'clock'>): GapStore {
  return {
    async record(gap) {
      const known = state.gaps.get(gap.id)
      if (known === undefined) state.gaps.set(gap.id, { ...gap, recordedAt: clock.now() })
      return known === undefined || known.recordedBy === gap.recordedBy
    },
    async list(since, limit = Number.POSITIVE_INFINITY) {
      const found = [...state.gaps.values()]
        .filter((gap) => gap.from >= since)
        .sort(byText((gap) => gap.id))
        .sort((a, b) => a.from - b.from)
      return found.slice(Math.max(0, found.length - limit))
    },
  }
}
