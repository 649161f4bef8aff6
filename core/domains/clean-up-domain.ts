import type { QueuedCleanup } from './cleanup-queue.ts'
import type { DeletedDomain } from './domain.ts'
import type { Clock, PortsOf } from '../ports.ts'
import { retentionDaysOf } from '../recordings/retention.ts'

/** The ports of {@link cleanUpDomain}. */
export type CleanUpDomainPorts = PortsOf<{
  readonly domains: readonly ['readDeleted', 'endDeletion']
  readonly remains: readonly ['sweep']
  readonly cleanups: readonly ['send']
  readonly engine: readonly ['send']
  readonly recordings: readonly ['leave']
}>

/** A request is over within 29 s: whatever was let in before the mark has been written, or never will be. */
export const requestMs = 30_000

/**
 * After its calls were ended and its phones dropped, their last events have this long to arrive, or the whole grace. It is
 * more than the minute at most that a later domain of the name reaches back (tenancy-start.ts).
 */
const settleMs = 75_000

/** When to look again for a mark that is not there yet. */
const unmarkedSeconds = 15

/** What a clean-up works with besides its ports. */
export interface CleanUpTools {
  readonly clock: Clock
  /**
   * Nothing is removed sooner after the mark: requests that were let in before it are over, the last events of its
   * calls have reached its hooks, and no connector writes of its phones any more.
   */
  readonly graceMs: number
  /** It may work until then, epoch milliseconds. */
  readonly until: number
}

/**
 * Removes what a deleted domain leaves, its own record last, which frees its name. CDRs and recordings stay until their
 * retention ends; for recordings it is noted how long that is. Every step can be repeated and none
 * depends on what an earlier call did: a call that was cut short anywhere is made good by the next one of the same
 * message. What cannot be done yet, or not in the time given, is queued again. A domain whose deletion has not begun is
 * never touched.
 */
export async function cleanUpDomain(
  ports: CleanUpDomainPorts,
  message: Omit<QueuedCleanup, 'delaySeconds'>,
  { clock, graceMs, until }: CleanUpTools,
): Promise<'done' | 'queued again'> {
  const { domain, requestedAt } = message
  const again = async (delaySeconds: number, silencedAt = message.silencedAt) => {
    await ports.cleanups.send({ domain, requestedAt, silencedAt, delaySeconds })
    return 'queued again' as const
  }
  const deleted = await ports.domains.readDeleted(domain)
  if (deleted === undefined) return clock.now() < requestedAt + requestMs ? again(unmarkedSeconds) : 'done'
  const { silencedAt } = message
  // An earlier deletion of a domain of this name says nothing of this one.
  const isSilenced = silencedAt !== undefined && silencedAt >= deleted.since
  if (!isSilenced) await silence(ports, deleted)
  const silentSince = isSilenced ? silencedAt : clock.now()
  const dueAt = Math.max(deleted.since + graceMs, silentSince + Math.min(settleMs, graceMs))
  const remainingMs = dueAt - clock.now()
  if (remainingMs > 0) return again(Math.ceil(remainingMs / 1000), silentSince)
  await ports.recordings.leave({ domain, retentionDays: retentionDaysOf(deleted), leftAt: clock.now() })
  if (!(await ports.remains.sweep(domain, until))) return again(0)
  await ports.domains.endDeletion(domain)
  return 'done'
}

/**
 * Ends the calls that came up after the mark was set, and drops the phones that registered by a lookup that was under way
 * when it was set.
 */
async function silence({ engine }: CleanUpDomainPorts, { name }: DeletedDomain): Promise<void> {
  const scope = { domain: name, presenceId: null }
  await engine.send({ kind: 'hang-up-domain' }, scope)
  await engine.send({ kind: 'drop-domain-registrations' }, scope)
}
