import { setImmediate } from 'node:timers/promises'
import type { LoginThrottle } from '../../../core/auth/login-throttle.ts'
import { type KeptFailure, type MemoryContext, memoryKey } from './memory-state.ts'

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
    async isKnown({ domain, login }, network, since) {
      const at = state.loginNetworks.get(memoryKey(domain, login, network))?.at
      return at !== undefined && at >= since
    },
    async remember({ domain, login }, network, at, most) {
      state.loginNetworks.set(memoryKey(domain, login, network), { domain, login, network, at })
      const own = [...state.loginNetworks].filter(([, kept]) => kept.domain === domain && kept.login === login)
      for (const [key] of own.sort(([, a], [, b]) => b.at - a.at).slice(most)) state.loginNetworks.delete(key)
    },
  }
}
