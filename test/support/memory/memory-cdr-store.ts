import type { CdrStore } from '../../../core/cdr/cdr-store.ts'
import { mergeCdr, withRecordings } from '../../../core/cdr/merge-cdr.ts'
import { aggregate } from './cdr-aggregations.ts'
import { pageOf } from './cdr-hits.ts'
import { isFound } from './cdr-matches.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'

/** Totals are exact up to this many. */
const exactTotal = 10_000

/** CDRs in memory: each search looks at every one of them. */
export function memoryCdrStore({ state }: Pick<MemoryContext, 'state'>): CdrStore {
  return {
    async index(parts) {
      for (const part of parts) {
        const key = memoryKey(part.cdr.domain_name, part.cdr.uuid)
        state.cdrs.set(key, mergeCdr(state.cdrs.get(key), part))
      }
      return []
    },
    async setRecordings({ domain_name, uuid }, recordings) {
      const key = memoryKey(domain_name, uuid)
      const known = state.cdrs.get(key)
      if (known === undefined) return false
      state.cdrs.set(key, withRecordings(known, recordings))
      return true
    },
    async remove(plan, most) {
      const found = [...state.cdrs].filter(([, { cdr }]) => isFound(cdr, plan)).slice(0, most)
      for (const [key] of found) state.cdrs.delete(key)
      return found.length
    },
    async search(plan) {
      const found = [...state.cdrs.values()].map(({ cdr }) => cdr).filter((cdr) => isFound(cdr, plan))
      return {
        tookMs: 0,
        timedOut: false,
        shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
        total: Math.min(found.length, exactTotal),
        isLeast: found.length > exactTotal,
        hits: pageOf(found, plan),
        aggregations: plan.aggregations && aggregate(found, plan.aggregations),
      }
    },
  }
}
