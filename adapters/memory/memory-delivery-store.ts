import type { DeliveryStore } from '../../core/ports.ts'
import { keptUntil } from '../retention.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'

/** Deliveries in memory. */
export function memoryDeliveryStore({ state, clock }: MemoryContext): DeliveryStore {
  const kept = (key: string) => {
    const delivery = state.deliveries.get(key)
    return delivery && keptUntil.delivery(delivery) > clock.now() ? delivery : undefined
  }
  return {
    async create(delivery) {
      const key = memoryKey(delivery.domain, delivery.hookId, delivery.id)
      if (kept(key) !== undefined) return false
      state.deliveries.set(key, delivery)
      return true
    },
    async read(domain, hookId, id) {
      return kept(memoryKey(domain, hookId, id))
    },
    async recordAttempt(delivery, attempt, newState) {
      const key = memoryKey(delivery.domain, delivery.hookId, delivery.id)
      const stored = kept(key)
      if (stored === undefined || stored.state !== 'pending') return false
      state.deliveries.set(key, { ...stored, state: newState, attempts: [...stored.attempts, attempt] })
      return true
    },
    async listPending(before) {
      return [...state.deliveries.keys()]
        .flatMap((key) => kept(key) ?? [])
        .filter((delivery) => delivery.state === 'pending' && delivery.createdAt < before)
        .sort((a, b) => a.createdAt - b.createdAt)
    },
  }
}
