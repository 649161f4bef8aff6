import type { AccountStore } from '../../accounts/account-store.ts'
import type { CleanupQueue, QueuedCleanup } from '../cleanup-queue.ts'
import type { DeletedDomain } from '../domain.ts'
import type { CommandOutcome, EngineCommand } from '../../commands/commands.ts'
import type { TenantData, DomainStore } from '../domain-store.ts'
import type { CallEngine } from '../../commands/call-engine.ts'
import { mapAtMost } from '../../concurrency/semaphore.ts'
import { noteOf } from '../../recordings/left-recordings.ts'
import type { RecordingStore } from '../../recordings/recording-store.ts'
import type { Clock } from '../../time.ts'

/** The ports of {@link cleanUpDomain}. */
export interface CleanUpDomainPorts {
  readonly domains: Pick<DomainStore, 'readDeleted' | 'endDeletion'>
  readonly tenantData: Pick<TenantData, 'purge'>
  readonly cleanups: Pick<CleanupQueue, 'send'>
  readonly engine: Pick<CallEngine, 'run' | 'send'>
  readonly accounts: Pick<AccountStore, 'list'>
  readonly recordings: Pick<RecordingStore, 'leave'>
}

/** A request is over within 29 s: whatever was let in before the mark has been written, or never will be. */
export const requestMs = 30_000

/**
 * After its calls were ended and its phones dropped, their last events have this long to arrive, or the whole grace. It
 * is more than the minute at most that a later domain of the name reaches back (tenancy-start.ts).
 */
const settleMs = 75_000

/** The delay before looking again for a mark that does not exist yet. */
const unmarkedSeconds = 15

/**
 * The delay before orders are repeated that an engine has not carried out: a quarter of the time since the deletion,
 * within these limits.
 */
const repeatSeconds = { least: 15, most: 300 }

/** An engine that can be reached carries out each order within seconds. Only two clean-ups run at a time. */
const orderWaitMs = 10_000

/**
 * The orders that end the calls and phones of a domain at the engines. The phones go first: an unregistered phone, of a
 * domain that is missing from the directory, places no further call.
 */
const orders = [{ kind: 'drop-domain-registrations' }, { kind: 'hang-up-domain' }] as const

/** Orders about accounts, of which a domain has 10 000 at most, that are queued at one time. */
const sendsAtOnce = 20

/** The dependencies of a clean-up in addition to its ports. */
export interface CleanUpDeps {
  readonly clock: Clock
  /**
   * The least time between the mark and the removal: after it, earlier requests have ended, the last events of the
   * domain's calls have reached its hooks, and no connector writes about its phones any more.
   */
  readonly graceMs: number
  /** It may work until then, epoch milliseconds. */
  readonly until: number
  readonly reportUndone: (order: EngineCommand['kind'], outcome: CommandOutcome | undefined) => void
}

/**
 * Removes the records of a deleted domain. Its own record is last, which frees its name. CDRs and recordings stay until
 * their retention ends; the retention of recordings is recorded. Every step can be repeated and none depends on an
 * earlier call: if a call was cut short, the next one of the same message completes it. Steps that are not possible
 * yet, or not in the given time, are queued again. A domain whose deletion has not begun is never touched. The name is
 * not freed before every engine has dropped the domain's phones and ended its calls, however long that takes. Otherwise
 * the next tenant of the name would get the phones and calls of this one.
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
  // A silencing from an earlier deletion of the same name does not count.
  const isSilenced = silencedAt !== undefined && silencedAt >= deleted.since
  if (!isSilenced && !(await silence(ports, deleted, deps))) {
    return again(secondsToRepeat(clock.now() - deleted.since), undefined)
  }
  const silentSince = isSilenced ? silencedAt : clock.now()
  const dueAt = Math.max(deleted.since + graceMs, silentSince + Math.min(settleMs, graceMs))
  const remainingMs = dueAt - clock.now()
  if (remainingMs > 0) return again(Math.ceil(remainingMs / 1000), silentSince)
  await ports.recordings.leave(noteOf(deleted, clock.now()))
  if (!(await ports.tenantData.purge(domain, until))) return again(0, silentSince)
  await ports.domains.endDeletion(domain)
  return 'done'
}

/**
 * Drops the domain's phones and ends its calls at every engine, those included that came up after the mark was set.
 * Returns whether both are done. Then each mailbox is emptied, so that the next owner of the name hears no message of
 * this one.
 */
async function silence(
  { engine, accounts }: CleanUpDomainPorts,
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
  if (!isDone) return false
  await mapAtMost(await accounts.list(name), sendsAtOnce, ({ login }) =>
    engine.send({ kind: 'drop-registrations', login }, { domain: name, presenceId: null }),
  )
  return true
}

function secondsToRepeat(sinceMs: number): number {
  return Math.min(repeatSeconds.most, Math.max(repeatSeconds.least, Math.ceil(sinceMs / 4000)))
}
