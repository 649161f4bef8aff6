import { type Time, pause } from '../../concurrency/timers.ts'
import type { PlatformEvent } from '../../events/platform-event.ts'
import { laneOf, lanes } from '../../events/lanes.ts'

/** A batch that is held because events of one domain came faster than its rate. */
export interface HeldBatch {
  readonly domain: string
  /** Milliseconds from now. */
  readonly heldMs: number
}

/**
 * Resolves when a batch has lasted long enough that no domain has more than `perSecond` events dispatched in a second.
 * A lane of a domain has one batch under way, so the length of its batches is its rate: further events of the domain
 * wait in the queue. No count is shared between processes. `report` takes a batch that is held.
 */
export async function keepDomainRate(
  { clock, timers }: Time,
  events: readonly PlatformEvent[],
  { perSecond, startedAt, report }: DomainRate,
): Promise<void> {
  const ofLanes = Map.groupBy(events, ({ domain, uuid }) => `${laneOf(uuid)} ${domain}`)
  const most = [...ofLanes.values()].reduce((one, other) => (other.length > one.length ? other : one), [])
  const lasts = Math.floor((most.length * lanes * 1_000) / perSecond)
  const heldMs = startedAt + lasts - clock.now()
  if (heldMs <= 0) return
  report({ domain: most[0]?.domain ?? '', heldMs })
  await pause(timers, heldMs)
}

/** See {@link keepDomainRate}. */
export interface DomainRate {
  readonly perSecond: number
  /** When the batch was taken, epoch milliseconds. */
  readonly startedAt: number
  readonly report: (held: HeldBatch) => void
}
