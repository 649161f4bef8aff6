/** Tenants with equal accounts, ids and names of everything, whose own names are parts of each other. */
import { joinKey } from '../../../adapters/dynamodb/key.ts'
import { usualRateLimits } from '../../../contracts/settings/rates.ts'
import type { Route } from '../../../contracts/routes/route.ts'
import type { Api } from '../../support/platform/api.ts'
import type { FilledPlatform } from '../../support/platform/filled-platform.ts'
import { aDelivery, aReport } from '../../support/records/records.ts'
import {
  type Tenant,
  aTenant,
  credentialOf,
  domainCredential,
  people,
  plantDelivery,
  usualThings,
} from '../../support/platform/tenant.ts'
import { engineAuthorization } from '../../support/platform/engine-credential.ts'

/** Each name is a prefix, a suffix or a part of another. */
export const names = ['a.example.com', 'x.a.example.com', 'a.example.com.au', 'example.com'] as const

/**
 * Tenants without callers. The stores' separator stands in the first name, what the separator is escaped to in
 * the second, and the third is being deleted.
 */
const bystanders = ['a.example.com|c', 'a.example.com%007cc', 'a.example.co'] as const
const beingDeleted = bystanders[2]

/** Who acts for a tenant; root names it. */
export const callers = ['user', 'admin', 'program', 'root'] as const
/** One of them. */
export type Caller = (typeof callers)[number]

/** The environment of the endpoints: everything that is counted by tenant is counted. */
export const env = { RATE_LIMITS: usualRateLimits }

type Headers = Readonly<Record<string, string>>

/** The tenants, in the order of {@link names} and then {@link bystanders}, and the headers of who acts for each. */
export interface LikeTenants {
  readonly tenants: readonly Tenant[]
  readonly headersOf: (domain: string, caller: Caller, route: Route) => Headers
}

/** A platform with these tenants. */
export type Likes = FilledPlatform<LikeTenants>

/** The key of a tenant's own next request, which every other tenant has used already. */
const keyOf = (domain: string) => `key|${all.indexOf(domain)}`

const all: readonly string[] = [...names, ...bystanders]

/** Creates the tenants. Only their records distinguish them. */
export async function fillLikes(api: Api): Promise<LikeTenants> {
  const tenants: Tenant[] = []
  const headers = new Map<string, Headers>()
  const root = { ...(await api.as('root')) }
  for (const [index, domain] of all.entries()) {
    const keys = all.filter((other) => other !== domain).map(keyOf)
    const tenant = await aTenant(api, { domain, mark: `planted-by-${index}`, keys })
    tenants.push(tenant)
    headers.set(`user ${domain}`, await credentialOf(api, tenant, people.user))
    headers.set(`admin ${domain}`, await credentialOf(api, tenant, people.admin))
    headers.set(`program ${domain}`, await domainCredential(api, { domain, role: 'admin' }))
    headers.set(`root ${domain}`, root)
  }
  // The id of a hook that continues where the name of the first bystander ends: the parts of both keys make one text.
  const { hook, delivery } = usualThings
  await plantDelivery(api, aDelivery({ domain: names[0], id: delivery, hookId: `c|${hook}` }))
  await api.ports.domains.beginDeletion(beingDeleted, api.clock.now())
  await api.ports.connectorStatus.report(aReport())
  const engine = engineAuthorization(api.ports.secrets.engine)
  return {
    tenants,
    headersOf(domain, caller, { authentication, method }) {
      if (authentication === 'none') return {}
      if (authentication === 'engine') return engine
      const key: Headers = method === 'POST' ? { 'idempotency-key': keyOf(domain) } : {}
      return { ...headers.get(`${caller} ${domain}`), ...key }
    },
  }
}

/** Makes the engine list two calls in any scope, and carry out every order. */
export function obey({ ports }: Api): void {
  const uuids = ['6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f', '7f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f']
  const rows = uuids.map((uuid) => ({ uuid, created: '2026-01-15 12:00:00', created_epoch: '1768478400' }))
  ports.engine.answer = ({ kind }) =>
    kind === 'list-channels'
      ? { state: 'done', text: JSON.stringify({ row_count: rows.length, rows }) }
      : { state: 'done', text: '+OK', uuid: uuids[0] }
}

/** Each domain's name, as it is or as it stands in keys: the whole of it, not a part of a longer one. */
const patterns = new Map(all.map((domain) => [domain, patternOf(domain)]))

function patternOf(domain: string): RegExp {
  const forms = [domain, joinKey(domain)].map((form) => form.replaceAll(/[.|]/g, String.raw`\$&`))
  return new RegExp(String.raw`(?<![\w.-])(?:${forms.join('|')})(?![\w.-])`)
}

/** Whether a text names one of the tenants. */
export function isNamed(text: string, domain: string): boolean {
  return patterns.get(domain)?.test(text) ?? false
}

/** Everything that is stored of a tenant: each record that names it. */
export async function recordsOf({ stored }: Likes, domain: string): Promise<string[]> {
  return (await stored()).filter((text) => isNamed(text, domain))
}

/** The query by which root names its domain. */
export function queryOf(caller: Caller, name: string, { domain }: Route): string {
  return caller === 'root' && (domain === 'required' || domain === 'optional') ? `domain=${name}` : ''
}
