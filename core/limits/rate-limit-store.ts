import type { Allowance, RateVerdict } from './allowance.ts'

/** Counts requests against allowances, for all processes together. */
export interface RateLimitStore {
  /** Takes one request from the allowance of a key, if there is one left. A refused request takes nothing. */
  take(key: string, allowance: Allowance, now: number): Promise<RateVerdict>
  /** Takes one of `limit` uses in any span of `windowMs`; a refused use takes nothing. */
  takeInWindow(
    key: string,
    window: { readonly limit: number; readonly windowMs: number },
    now: number,
  ): Promise<RateVerdict>
  /**
   * Takes one of `limit` places (10 at most) that are held until they are left, or until their lease is over; answers
   * which, or nothing when all are taken.
   */
  enter(
    key: string,
    places: { readonly limit: number; readonly leaseMs: number },
    now: number,
  ): Promise<string | undefined>
  /** Releases a slot that {@link enter} returned; a slot that is lost already stays so. */
  leave(key: string, place: string): Promise<void>
}
