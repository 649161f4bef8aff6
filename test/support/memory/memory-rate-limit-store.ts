import { type RateLimitStore, takeOne, windowVerdict } from '../../../core/requests/rate-limit.ts'
import type { MemoryContext } from './memory-state.ts'

/** Allowances in memory. */
export function memoryRateLimitStore({ state, random }: Pick<MemoryContext, 'state' | 'random'>): RateLimitStore {
  return {
    async take(key, allowance, now) {
      const { verdict, fullAt } = takeOne(state.buckets.get(key), allowance, now)
      if (verdict.isAllowed) state.buckets.set(key, fullAt)
      return verdict
    },
    async takeInWindow(key, window, now) {
      const uses = (state.windows.get(key) ?? []).filter((use) => use > now - window.windowMs)
      const verdict = windowVerdict(uses, window, now)
      if (verdict.isAllowed) state.windows.set(key, [...uses, now])
      return verdict
    },
    async enter(key, { limit, leaseMs }, now) {
      const held = new Map([...(state.places.get(key) ?? [])].filter(([, until]) => until > now))
      if (held.size >= limit) return undefined
      const place = random.uuid()
      state.places.set(key, held.set(place, now + leaseMs))
      return place
    },
    async leave(key, place) {
      state.places.get(key)?.delete(place)
    },
  }
}
