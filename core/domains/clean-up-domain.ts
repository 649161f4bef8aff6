import type { QueuedCleanup } from './cleanup-queue.ts'
import type { DeletedDomain } from './domain.ts'
import type { CommandOutcome, EngineCommand } from '../commands.ts'
import type { Clock, PortsOf } from '../ports.ts'
import { retentionDaysOf } from '../recordings/retention.ts'

/** The ports of {@link cleanUpDomain}. */
export type CleanUpDomainPorts = PortsOf<{
  readonly domains: readonly ['readDeleted', 'endDeletion']
  readonly remains: readonly ['sweep']
  readonly cleanups: readonly ['send']
  readonly engine: readonly ['run']
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

/**
 * How soon the orders are repeated that an engine has not carried out: soon at first, later after a quarter of the time
 * since the deletion.
 */
const repeatSeconds = { least: 15, most: 300 }

/** An engine that can be reached carries out each order within seconds. Only two clean-ups run at a time. */
const orderWaitMs = 10_000

/**
 * The orders that end what a domain has at the engines. The phones go first: a phone that is not registered any more, of
 * a domain that the directory does not know any more, places no further call.
 */
const orders = [{ kind: 'drop-domain-registrations' }, { kind: 'hang-up-domain' }] as const

/** What a clean-up works with besides its ports. */
export interface CleanUpDeps {
  readonly clock: Clock
  /**
   * Nothing is removed sooner after the mark: requests that were let in before it are over, the last events of its
   * calls have reached its hooks, and no connector writes of its phones any more.
   */
  readonly graceMs: number
  /** It may work until then, epoch milliseconds. */
  readonly until: number
  /** Reports an order that is not known to be carried out by every engine, and so is repeated. */
  readonly reportUndone: (order: EngineCommand['kind'], outcome: CommandOutcome | undefined) => void
}

/**
 * Removes what a deleted domain leaves, its own record last, which frees its name. CDRs and recordings stay until their
 * retention ends; for recordings it is noted how long that is. Every step can be repeated and none
 * depends on what an earlier call did: a call that was cut short anywhere is made good by the next one of the same
 * message. What cannot be done yet, or not in the time given, is queued again. A domain whose deletion has not begun is
 * never touched.
 *
 * The name is not freed before every engine has dropped the domain's phones and ended its calls, however long that
 * takes. Otherwise the next tenant of the name would have the phones and calls of this one.
 */
export async function cleanUpDomain(
  ports: CleanUpDomainPorts,
  message: Omit<QueuedCleanup, 'delaySeconds'>,
  deps: CleanUpDeps,
): Promise<'done' | 'queued again'> {
  const { domain, requestedAt } = message
  const { clock, graceMs, until } = deps
  const again = async (delaySeconds: number, silencedAt: number | undefined) => {
    await ports.cleanups.send({ domain, requestedAt, silencedAt, delaySeconds })
    return 'queued again' as const
  }
  const deleted = await ports.domains.readDeleted(domain)
  if (deleted === undefined)
    return clock.now() < requestedAt + requestMs ? again(unmarkedSeconds, message.silencedAt) : 'done'
  const { silencedAt } = message
  // An earlier deletion of a domain of this name says nothing of this one.
  const isSilenced = silencedAt !== undefined && silencedAt >= deleted.since
  if (!isSilenced && !(await silence(ports, deleted, deps))) {
    return again(secondsToRepeat(clock.now() - deleted.since), undefined)
  }
  const silentSince = isSilenced ? silencedAt : clock.now()
  const dueAt = Math.max(deleted.since + graceMs, silentSince + Math.min(settleMs, graceMs))
  const remainingMs = dueAt - clock.now()
  if (remainingMs > 0) return again(Math.ceil(remainingMs / 1000), silentSince)
  await ports.recordings.leave({ domain, retentionDays: retentionDaysOf(deleted), leftAt: clock.now() })
  if (!(await ports.remains.sweep(domain, until))) return again(0, silentSince)
  await ports.domains.endDeletion(domain)
  return 'done'
}

/**
 * Drops the domain's phones and ends its calls at every engine, those included that came up after the mark was set.
 * Returns whether both are done.
 */
async function silence(
  { engine }: CleanUpDomainPorts,
  { name }: DeletedDomain,
  { reportUndone }: CleanUpDeps,
): Promise<boolean> {
  let isDone = true
  // An engine that cannot carry out the first order may still be able to carry out the second.
  for (const order of orders) {
    const outcome = await engine.run(order, { domain: name, presenceId: null }, orderWaitMs)
    if (outcome?.state === 'done') continue
    isDone = false
    reportUndone(order.kind, outcome)
  }
  return isDone
}

function secondsToRepeat(sinceMs: number): number {
  return Math.min(repeatSeconds.most, Math.max(repeatSeconds.least, Math.ceil(sinceMs / 4000)))
}
