import { setImmediate } from 'node:timers/promises'
import type { LoginThrottle } from '../../core/auth/login-attempts.ts'
import type { KeptFailure, MemoryContext } from './memory-state.ts'

/** Failed logins in memory. */
export function memoryLoginThrottle({ state, random }: MemoryContext): LoginThrottle {
  const kept = (key: string) => state.failures.get(key) ?? []
  const add = (key: string, failure: KeptFailure) => state.failures.set(key, [...kept(key), failure])
  const change = (key: string, id: string, to: (failure: KeptFailure) => KeptFailure[]) =>
    state.failures.set(
      key,
      kept(key).flatMap((failure) => (failure.id === id ? to(failure) : [failure])),
    )

  return {
    async read(keys, since) {
      return keys.map((key) => {
        const times = kept(key).flatMap(({ at }) => (at >= since ? [at] : []))
        return { failures: times.length, oldestAt: times.length === 0 ? 0 : Math.min(...times) }
      })
    },
    async fail(keys, at) {
      for (const key of keys) add(key, { at, isUnderWay: false, id: random.uuid() })
    },
    async begin(key, { limit, since }, at) {
      const counted = kept(key).filter((failure) => failure.at >= since)
      if (counted.length >= limit) {
        return { failures: counted.map(({ at, isUnderWay }) => ({ at, isUnderWay })).sort((a, b) => a.at - b.at) }
      }
      const id = random.uuid()
      add(key, { at, isUnderWay: true, id })
      return { attempt: { key, slot: '', id } }
    },
    async settle({ key, id }) {
      change(key, id, (failure) => [{ ...failure, isUnderWay: false }])
    },
    async release({ key, id }) {
      change(key, id, () => [])
    },
    async clear(key) {
      state.failures.delete(key)
    },
    async pause() {
      await setImmediate()
    },
  }
}
