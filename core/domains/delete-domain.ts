import type { ChangeContext } from '../accounts/account-context.ts'
import { notifyEngine, publishEvent } from '../commands/notify-engine.ts'
import { noSuchDomain } from '../access/resolve-domain.ts'
import type { CallEngine } from '../commands/call-engine.ts'
import { type Precondition, requireMatch } from '../requests/precondition.ts'
import { serviceEvent } from '../events/service-event.ts'
import type { DomainStore } from './domain-store.ts'
import type { CleanupQueue } from './cleanup-queue.ts'
import type { EventSink } from '../events/event-sink.ts'
import type { DomainContext } from './create-domain.ts'

/** The ports of {@link deleteDomain}. */
export interface DeleteDomainPorts {
  readonly domains: Pick<DomainStore, 'read' | 'beginDeletion'>
  readonly cleanups: Pick<CleanupQueue, 'send'>
  readonly engine: Pick<CallEngine, 'send' | 'run'>
  readonly events: Pick<EventSink, 'publish'>
}

/** The delay of the clean-up, so that it usually finds the mark of the deletion. */
const cleanupDelaySeconds = 5

/** The engine gets this long to drop the domain's phones before the deletion is answered; the clean-up repeats it. */
const dropMs = 3_000

/** The inputs of a domain's deletion in addition to its ports. */
export interface DeletionContext extends DomainContext {
  readonly precondition: Precondition
  readonly graceMs: number
}

/**
 * Deletes a domain. Once the mark is set, every credential of it is refused and the directory knows none of its
 * accounts. Then the engine forgets their cached records and drops their registrations, in this order, so that no phone
 * of the domain registers after this function has returned. Its calls are hung up, and its records are removed in the
 * background. `warning` is empty, or names the steps that are still due. Throws `not_found` and `precondition_failed`.
 * The clean-up is queued before the mark is set. If this function ends early, there is either no mark, and the clean-up
 * finds nothing to do, or a clean-up that will see the mark.
 */
export async function deleteDomain(
  ports: DeleteDomainPorts,
  name: string,
  { requestId, clock, random, precondition, graceMs, reportUnsent }: DeletionContext,
): Promise<{ warning: string }> {
  const domain = await ports.domains.read(name)
  if (domain === undefined) throw noSuchDomain()
  requireMatch(precondition, domain)
  const now = clock.now()
  const delaySeconds = Math.min(cleanupDelaySeconds, Math.ceil(graceMs / 2000))
  await ports.cleanups.send({ domain: name, requestedAt: now, delaySeconds })
  if (!(await ports.domains.beginDeletion(name, now))) throw noSuchDomain()
  const event = serviceEvent({
    kind: 'domain_destroy',
    id: `domain_destroy:${random.uuid()}`,
    domain: name,
    occurredAt: now,
    requestId,
    fields: { 'Domain-Name': name },
  })
  const context = { domain: name, requestId, reportUnsent }
  const [isPublished, isDropped] = await Promise.all([
    publishEvent(ports.events, event, reportUnsent),
    dropPhones(ports.engine, context),
    notifyEngine(ports.engine, [{ kind: 'hang-up-domain' }], context),
  ])
  const failures = [
    ...(isPublished ? [] : ['its event could not be sent']),
    ...(isDropped ? [] : ['the engine could not drop its phones yet']),
  ]
  return { warning: failures.length === 0 ? '' : `the domain is deleted; ${failures.join('; ')}` }
}

/** Waits until no phone of the domain is registered or can register; `false` when that is not certain. */
async function dropPhones(
  engine: Pick<CallEngine, 'run'>,
  { domain, requestId, reportUnsent }: Pick<ChangeContext, 'domain' | 'requestId' | 'reportUnsent'>,
): Promise<boolean> {
  const command = { kind: 'drop-domain-registrations' } as const
  try {
    const outcome = await engine.run(command, { domain, presenceId: null, requestId }, dropMs)
    if (outcome?.state === 'done') return true
    reportUnsent(`command ${command.kind}`, undefined)
  } catch (error) {
    reportUnsent(`command ${command.kind}`, error)
  }
  return false
}
