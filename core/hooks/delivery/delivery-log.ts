import type { Delivery, DeliveryAttempt } from './delivery.ts'

/** No run lasts longer: two requests of 15 s and what surrounds them, inside a function of 60 s. */
export const longestRunMs = 60_000

/**
 * Returns every attempt that was begun, oldest first, as the log of a delivery shows it. A killed one has the reason
 * `interrupted`, since it is unknown what the receiver got. One that may still be under way is left out.
 */
export function attemptsOf(delivery: Pick<Delivery, 'attempts' | 'begun'>, now: number): DeliveryAttempt[] {
  return [...delivery.attempts, ...runsOf(delivery, now).interrupted].sort((a, b) => a.at - b.at)
}

/**
 * Returns the runs of a delivery whose end is not on record: those that were killed on their way, as attempts, and
 * those that may still be.
 */
export function runsOf(
  { begun }: Pick<Delivery, 'begun'>,
  now: number,
): { interrupted: DeliveryAttempt[]; underWay: Record<string, number> } {
  const runs = Object.entries(begun)
  const isOver = ([, at]: readonly [string, number]) => at + longestRunMs <= now
  return {
    interrupted: runs.filter(isOver).map(([, at]) => ({ at, durationMs: 0, reason: 'interrupted' })),
    underWay: Object.fromEntries(runs.filter((run) => !isOver(run))),
  }
}
