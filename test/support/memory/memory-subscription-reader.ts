import type { SubscriptionReader } from '../../../core/hooks/definition/hook-store.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'

/** Reads the events that the hooks in memory name. */
export function memorySubscriptionReader({ state }: MemoryContext): SubscriptionReader {
  return {
    async version() {
      return state.subscriptions.version
    },
    async list() {
      const named = [...state.hooks.values()].map(
        ({ domain, event }) => [memoryKey(domain, event), { domain, event }] as const,
      )
      return [...new Map(named).values()]
    },
  }
}
