import type { DeliveryStore } from '../../core/ports.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'

/** Deliveries in memory. */
export function memoryDeliveryStore({ state }: MemoryContext): DeliveryStore {
  return {
    async create(delivery) {
      const key = memoryKey(delivery.domain, delivery.hookId, delivery.id)
      if (state.deliveries.has(key)) return false
      state.deliveries.set(key, delivery)
      return true
    },
    async read(domain, hookId, id) {
      return state.deliveries.get(memoryKey(domain, hookId, id))
    },
    async recordAttempt(delivery, attempt, newState) {
      const key = memoryKey(delivery.domain, delivery.hookId, delivery.id)
      const stored = state.deliveries.get(key)
      if (stored === undefined || stored.state !== 'pending') return false
      state.deliveries.set(key, { ...stored, state: newState, attempts: [...stored.attempts, attempt] })
      return true
    },
    async listPending(before) {
      return [...state.deliveries.values()]
        .filter((delivery) => delivery.state === 'pending' && delivery.createdAt < before)
        .sort((a, b) => a.createdAt - b.createdAt)
    },
  }
}
