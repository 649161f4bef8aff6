import { mergeAssignments } from '../accounts/assignments.ts'
import { tellEngine, tellHooks } from '../accounts/tell-engine.ts'
import type { ClientVariables } from '../client-names/client-names.ts'
import { DomainError } from '../errors.ts'
import { serviceEvent } from '../events/service-event.ts'
import type { Clock, PortsOf, Randomness } from '../ports.ts'
import { readSettings } from './domain-settings.ts'

/** The ports of {@link createDomain}. */
export type CreateDomainPorts = PortsOf<{
  readonly domains: readonly ['create']
  readonly events: readonly ['publish']
  readonly engine: readonly ['send']
}>

/** A domain to be made; the name is lower-cased. */
export interface DomainInput {
  readonly domain_name: string
  readonly customer_id: string
  readonly variables?: readonly string[] | undefined
  readonly parameters?: readonly string[] | undefined
}

/** What a domain is made with besides its ports. */
export interface DomainContext {
  readonly requestId?: string | undefined
  readonly clock: Clock
  readonly random: Randomness
  /** Told of what could not be passed on after the domain was made. */
  readonly reportUnsent: (what: string, error: unknown) => void
}

/**
 * Creates a tenant, publishes its event and flushes the engine's directory cache: an answer of an earlier version that is
 * kept there could be taken for one about a user of this domain (docs/design/directory.md). `warning` is empty, or says what could not
 * be done besides. Throws `invalid_field`, and `conflict` when the name is taken.
 */
export async function createDomain(
  ports: CreateDomainPorts,
  input: DomainInput,
  {
    requestId,
    clock,
    random,
    clientVariables: added,
    reportUnsent,
  }: DomainContext & { readonly clientVariables: ClientVariables },
): Promise<{ name: string; warning: string }> {
  const parameters = readSettings('parameters', input.parameters, { field: 'parameters', added })
  const variables = readSettings('variables', input.variables, { field: 'variables', added })
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
    fields: { 'Domain-Name': name },
  })
  const [isTold] = await Promise.all([
    tellHooks(ports.events, event, reportUnsent),
    tellEngine(ports.engine, [{ kind: 'flush-directory' }], { domain: name, requestId, reportUnsent }),
  ])
  return { name, warning: isTold ? '' : 'the domain is created; its event could not be sent' }
}
