import { keptUntil } from '../../../adapters/retention.ts'
import type { ErasureJob, ErasureKey, ErasureQueue, ErasureStore } from '../../../core/erasures/erasure.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'

/** Erasures and marks in memory. */
export function memoryErasureStore({ state, clock }: MemoryContext): ErasureStore {
  const keyOf = ({ domain, id }: ErasureKey) => memoryKey(domain, id)
  const kept = (place: ErasureKey): ErasureJob | undefined => {
    const job = state.erasures.get(keyOf(place))
    return job !== undefined && keptUntil.erasure(job) > clock.now() ? job : undefined
  }
  return {
    async create(job) {
      if (kept(job) === undefined) state.erasures.set(keyOf(job), job)
    },
    read: async (place) => kept(place),
    async replace(job) {
      if (kept(job)?.version !== job.version - 1) return false
      state.erasures.set(keyOf(job), job)
      return true
    },
    async mark(domain, uuids) {
      for (const uuid of uuids) state.erasedMarks.set(memoryKey(domain, uuid), keptUntil.erasedMark(clock.now()))
    },
    listMarked: async (legs) =>
      legs.filter(({ domain, uuid }) => (state.erasedMarks.get(memoryKey(domain, uuid)) ?? 0) > clock.now()),
  }
}

/** An {@link ErasureQueue} that can be looked into. */
export interface MemoryErasureQueue extends ErasureQueue {
  /** Everything queued, in order. */
  readonly queued: ErasureKey[]
}

/** A queue of erasures in memory. */
export function memoryErasureQueue(): MemoryErasureQueue {
  const queued: ErasureKey[] = []
  return {
    queued,
    async send({ domain, id }) {
      queued.push({ domain, id })
    },
  }
}
