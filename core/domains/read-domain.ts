import { type PresenceStore, liveContacts } from '../accounts/presence.ts'
import { noSuchDomain } from '../access/resolve-domain.ts'
import type { ClientVariables } from '../client-names/client-names.ts'
import { ignoredSettings } from './domain-settings.ts'
import type { Domain } from './domain.ts'
import type { DomainStore } from './domain-store.ts'

/** The ports of {@link readDomain}. */
export interface ReadDomainPorts {
  readonly domains: Pick<DomainStore, 'read'>
  readonly presence: Pick<PresenceStore, 'list'>
}

/** Shown instead of the voicemail PIN, which cannot be read back. */
const masked = '********'

/** A domain as callers see it. */
export interface DomainDetail {
  readonly name: string
  readonly customer_id: string
  /** Each `name=value`, by name. */
  readonly variables: string[]
  readonly parameters: string[]
  /** Settings such as `variables.foo` that are no longer allowed and that the engine is not served; absent: none. */
  readonly ignored?: string[]
  /** Epoch milliseconds. */
  readonly created_on: number
  readonly counts: { readonly accounts: number; readonly devices: number }
}

/** A domain as callers see it, and its record. */
export interface DomainView {
  readonly detail: DomainDetail
  readonly record: Domain
}

/** The time of the request, and the operator's additions to the names that clients may set. */
export interface ViewContext {
  /** Epoch milliseconds. */
  readonly now: number
  readonly clientVariables: ClientVariables
}

/** Returns a domain with the numbers of its accounts and of the phones registered at `now`. Throws `not_found`. */
export async function readDomain(ports: ReadDomainPorts, name: string, context: ViewContext): Promise<DomainView> {
  const domain = await ports.domains.read(name)
  if (domain === undefined) throw noSuchDomain()
  return domainView(ports, domain, context)
}

/** See {@link DomainView}. */
export async function domainView(
  { presence }: Pick<ReadDomainPorts, 'presence'>,
  record: Domain,
  { now, clientVariables }: ViewContext,
): Promise<DomainView> {
  const { name, customerId, variables, parameters, createdAt, accountCount } = record
  const presences = await presence.list(name)
  const ignored = ignoredSettings(record, clientVariables)
  const devices = presences.reduce((sum, each) => sum + liveContacts(each, now), 0)
  const detail = {
    name,
    customer_id: customerId,
    variables: assignmentsOf(variables),
    parameters: assignmentsOf('vm-password' in parameters ? { ...parameters, 'vm-password': masked } : parameters),
    ...(ignored.length === 0 ? {} : { ignored }),
    created_on: createdAt,
    counts: { accounts: accountCount, devices },
  }
  return { detail, record }
}

function assignmentsOf(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
}
