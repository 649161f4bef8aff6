import type { Delivery, DeliveryAttempt } from '../model.ts'

/** No run lasts longer: two requests of 15 s and what surrounds them, inside a function of 60 s. */
const longestRunMs = 60_000

/**
 * Every attempt that was begun, oldest first, as the log of a delivery shows it. One that was killed on its way, so that
 * nobody knows what the receiver saw of it, has the reason `interrupted`; one that may still be on its way is left out.
 */
export function attemptsOf(delivery: Pick<Delivery, 'attempts' | 'begun'>, now: number): DeliveryAttempt[] {
  const interrupted = Object.values(delivery.begun)
    .filter((at) => at + longestRunMs <= now)
    .map((at): DeliveryAttempt => ({ at, durationMs: 0, reason: 'interrupted' }))
  return [...delivery.attempts, ...interrupted].sort((a, b) => a.at - b.at)
}
