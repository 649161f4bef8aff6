import type { LoginThrottle } from '../../core/ports.ts'
import type { MemoryContext } from './memory-state.ts'

/** Failed logins in memory. */
export function memoryLoginThrottle({ state }: MemoryContext): LoginThrottle {
  return {
    async read(keys, since) {
      return keys.map((key) => {
        const times = (state.failures.get(key) ?? []).filter((at) => at >= since)
        return { failures: times.length, oldestAt: times.length === 0 ? 0 : Math.min(...times) }
      })
    },
    async fail(keys, at) {
      for (const key of keys) state.failures.set(key, [...(state.failures.get(key) ?? []), at])
    },
    async clear(key) {
      state.failures.delete(key)
    },
  }
}
