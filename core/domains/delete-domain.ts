import { tellEngine, tellHooks } from '../accounts/tell-engine.ts'
import { noSuchDomain } from '../access/resolve-domain.ts'
import { type Precondition, requireMatch } from '../concurrency/precondition.ts'
import { serviceEvent } from '../events/service-event.ts'
import type { PortsOf } from '../ports.ts'
import type { DomainContext } from './create-domain.ts'

/** The ports of {@link deleteDomain}. */
export type DeleteDomainPorts = PortsOf<{
  readonly domains: readonly ['read', 'beginDeletion']
  readonly cleanups: readonly ['send']
  readonly engine: readonly ['send']
  readonly events: readonly ['publish']
}>

/** The clean-up comes this much later at most, so that it usually finds the mark of the deletion in its place. */
const cleanupDelaySeconds = 5

/** What a domain is deleted with besides its ports. */
export interface DeletionContext extends DomainContext {
  readonly requestId?: string | undefined
  readonly precondition: Precondition
  /** What the domain leaves is removed this much later. */
  readonly graceMs: number
}

/**
 * Deletes a domain. From the moment of its mark every credential of it is refused, the engine finds none of its
 * accounts, and its calls are hung up; what it leaves is removed behind the scenes. `warning` is empty, or says what
 * could not be told. Throws `not_found` and `precondition_failed`.
 *
 * The clean-up is queued before the mark is set: whenever this ends early, there is either no mark, and the clean-up
 * finds nothing to do, or a clean-up that will see it.
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
    fields: { 'Domain-Name': name },
  })
  const [isTold] = await Promise.all([
    tellHooks(ports.events, event, reportUnsent),
    tellEngine(ports.engine, [{ kind: 'hang-up-domain' }], { domain: name, requestId, reportUnsent }),
  ])
  return { warning: isTold ? '' : 'the domain is deleted; its event could not be sent' }
}
