import { mergeAssignments } from '../client-names/assignments.ts'
import { notifyEngine, publishEvent } from '../commands/notify-engine.ts'
import type { ClientVariables } from '../client-names/client-names.ts'
import { DomainError } from '../errors.ts'
import { serviceEvent } from '../events/service-event.ts'
import type { DomainStore } from './domain-store.ts'
import type { EventSink } from '../events/event-sink.ts'
import type { CallEngine } from '../commands/call-engine.ts'
import type { Clock, Randomness } from '../time.ts'
import { readSettings } from './domain-settings.ts'

/** The ports of {@link createDomain}. */
export interface CreateDomainPorts {
  readonly domains: Pick<DomainStore, 'create'>
  readonly events: Pick<EventSink, 'publish'>
  readonly engine: Pick<CallEngine, 'send'>
}

/** A domain to be made; the name is lower-cased. */
export interface DomainInput {
  readonly domain_name: string
  readonly customer_id: string
  readonly variables?: readonly string[] | undefined
  readonly parameters?: readonly string[] | undefined
}

/** The inputs of a domain's creation in addition to its ports. */
export interface DomainContext {
  readonly requestId?: string | undefined
  readonly clock: Clock
  readonly random: Randomness
  readonly reportUnsent: (what: string, error: unknown) => void
}

/**
 * Creates a tenant, publishes its event and flushes the engine's directory cache: a cached answer could be mistaken for
 * one about a user of this domain (docs/design/directory.md). `warning` is empty, or names the notification that
 * failed. Throws `invalid_field`, and `conflict` when the name is in use.
 */
export async function createDomain(
  ports: CreateDomainPorts,
  input: DomainInput,
  {
    requestId,
    clock,
    random,
    isRoot,
    clientVariables: added,
    reportUnsent,
  }: DomainContext & { readonly clientVariables: ClientVariables; readonly isRoot: boolean },
): Promise<{ name: string; warning: string }> {
  const parameters = readSettings('parameters', input.parameters, { field: 'parameters', added, isRoot })
  const variables = readSettings('variables', input.variables, { field: 'variables', added, isRoot })
  const name = input.domain_name
  const createdAt = clock.now()
  const creationId = random.uuid()
  const isNew = await ports.domains.create({
    name,
    customerId: input.customer_id,
    variables: mergeAssignments({}, variables),
    parameters: mergeAssignments({}, parameters),
    createdAt,
    creationId,
    accountCount: 0,
    version: 1,
  })
  if (!isNew) throw new DomainError('conflict', 'a domain of this name exists, or is still being deleted')
  const event = serviceEvent({
    kind: 'domain_create',
    id: `domain_create:${creationId}`,
    domain: name,
    occurredAt: createdAt,
    requestId,
    fields: { 'Domain-Name': name },
  })
  const [isPublished, isFlushed] = await Promise.all([
    publishEvent(ports.events, event, reportUnsent),
    notifyEngine(ports.engine, [{ kind: 'flush-directory' }], { domain: name, requestId, reportUnsent }),
  ])
  const warnings = [
    isPublished ? [] : 'its event could not be sent',
    isFlushed ? [] : 'engines may keep old directory answers: change one of its settings to flush them',
  ].flat()
  return { name, warning: warnings.length === 0 ? '' : `the domain is created; ${warnings.join('; ')}` }
}
