import type { IdempotencyStore, RequestKey } from '../../../core/requests/idempotency-key.ts'
import { keptUntil } from '../../../adapters/retention.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'

/** Keys of requests in memory. */
export function memoryIdempotencyStore({ state, clock }: MemoryContext): IdempotencyStore {
  const idOf = ({ domain, key }: RequestKey) => memoryKey(domain, key)
  const change = (key: RequestKey, claim: string, changes: Partial<RequestKey>) => {
    const known = state.requestKeys.get(idOf(key))
    if (known === undefined || known.claimId !== claim || known.answer !== undefined) return false
    state.requestKeys.set(idOf(key), { ...known, ...changes })
    return true
  }
  return {
    async create(key) {
      const known = state.requestKeys.get(idOf(key))
      if (known !== undefined && keptUntil.requestKey(known) > clock.now()) return known
      state.requestKeys.set(idOf(key), key)
      return undefined
    },
    async takeOver(key, previous) {
      return change(key, previous, { claimId: key.claimId, leaseUntil: key.leaseUntil })
    },
    async complete(key, answer) {
      return change(key, key.claimId, { answer })
    },
    async release(key) {
      change(key, key.claimId, { leaseUntil: 0 })
    },
  }
}
