import type { SubscriptionReader } from '../../core/ports.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'

/** What the hooks in memory want. */
export function memorySubscriptionReader({ state }: MemoryContext): SubscriptionReader {
  return {
    async version() {
      return state.subscriptions.version
    },
    async list() {
      const wanted = [...state.hooks.values()]
        .filter((hook) => hook.enable)
        .map(({ domain, event }) => [memoryKey(domain, event), { domain, event }] as const)
      return [...new Map(wanted).values()]
    },
  }
}
