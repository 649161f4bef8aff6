/** Two tenants with different things, and the people and programs that ask for them. */
import type { Route } from '../../../contracts/routes/route.ts'
import type { Api } from '../../support/platform/api.ts'
import { foreign } from '../../support/platform/crossing.ts'
import { aReport, anExport } from '../../support/records/records.ts'
import type { Things } from '../../support/platform/route-requests.ts'
import {
  aTenant,
  credentialOf,
  domainCredential,
  people,
  plantCdr,
  plantRecording,
  usualThings,
} from '../../support/platform/tenant.ts'
import { type Caller, type Thing, callers } from './caller-table.ts'

/** Where most callers are at home, and where the foreign admin is. */
export const tenant = 'a.example.com'
export const another = 'b.example.com'

/** Ids that do not exist. */
export const missingThings: Things = {
  domain: 'c.example.com',
  account: '9999',
  channel: '00000000-6a1e-4b1d-9f0e-2d0a4c5b6e7f',
  role: 'nobody',
  token: '00000000-8c1f-4f6c-9a43-0c7e1f2b3a4d',
  list: 'none',
  number: '555',
  routes: ['f'.repeat(24), '0'.repeat(24)],
  gateway: 'none',
  hook: '8'.repeat(24),
  delivery: `msg_${'8'.repeat(32)}`,
  job: '00000000-6a1e-4b1d-9f0e-2d0a4c5b6e70',
}

/** The headers of each caller. */
export type HeadersOf = Readonly<Record<Caller, Readonly<Record<string, string>>>>

/** The domain that a caller's own things are in. */
export const homeOf = (caller: Caller) => (caller === 'foreign admin' ? another : tenant)

/** The login whose things are the caller's own; of those who have no account the user's. */
export function ownLogin(caller: Caller): string {
  if (caller === 'foreign admin') return people.admin
  return caller === 'program' || caller === 'root' ? people.user : people[caller]
}

const ownUuid = (caller: Caller, usual: string) => `${callers.indexOf(caller) + 1}`.repeat(8) + usual.slice(8)
const ownChannel = (caller: Caller) => ownUuid(caller, usualThings.channel)
const ownJob = (caller: Caller) => ownUuid(caller, usualThings.job)

/** The request of a caller to a route. */
export function thingsFor(caller: Caller, thing: Thing, { path }: Route): Things {
  const home = homeOf(caller)
  const things: Record<Thing, Things> = {
    own: {
      ...usualThings,
      account: ownLogin(caller),
      channel: ownChannel(caller),
      job: ownJob(caller),
      domain: home,
    },
    'of the tenant': { ...usualThings, domain: tenant },
    'of another tenant': { ...foreign, domain: another },
    missing: missingThings,
  }
  // The path also names the domain of a token: it is the caller's, so that only the token is in question.
  return path.includes('{uuid}') ? { ...things[thing], domain: home } : things[thing]
}

/** Makes both tenants and a credential of each caller. */
export async function fillTenants(api: Api): Promise<HeadersOf> {
  await aTenant(api, { domain: tenant, mark: 'mark-a' })
  await aTenant(api, { domain: another, mark: 'mark-b', things: foreign })
  for (const caller of callers) {
    const domain = homeOf(caller)
    const presenceId = `${ownLogin(caller)}@${domain}`
    await plantRecording(api, { domain, uuid: ownChannel(caller), presenceId })
    await plantCdr(api, { domain_name: domain, uuid: ownChannel(caller), presence_id: presenceId })
    const owner = caller === 'root' ? 'root' : presenceId
    const about = { domain, id: ownJob(caller), owner, createdAt: api.clock.now() }
    await api.ports.exports.create(anExport({ ...about, ...(caller === 'user' && { presenceId }) }))
  }
  await api.ports.connectorStatus.report(aReport())
  return {
    user: await credentialOf(api, { domain: tenant }, people.user),
    admin: await credentialOf(api, { domain: tenant }, people.admin),
    operator: await credentialOf(api, { domain: tenant }, people.operator),
    program: await domainCredential(api, { domain: tenant, role: 'user' }),
    'foreign admin': await credentialOf(api, { domain: another }, people.admin),
    root: { ...(await api.as('root')) },
  }
}

/** An engine with a call of each caller and one of a colleague in each tenant; it respects the scope of orders. */
export function respectScopes(api: Api): void {
  const owned = callers.map((caller) => [ownChannel(caller), ownLogin(caller), homeOf(caller)] as const)
  const calls = [
    ...owned,
    [usualThings.channel, people.colleague, tenant] as const,
    [foreign.channel, foreign.account, another] as const,
  ]
  api.ports.engine.answer = (command, { domain, presenceId }) => {
    if (command.kind === 'list-channels') return { state: 'done', text: '{"row_count":0,"rows":[]}' }
    const target = 'target' in command ? command.target : 'uuid' in command ? command.uuid : ''
    const call = command.kind === 'originate' ? undefined : calls.find(([uuid]) => uuid === target)
    const isInReach =
      call !== undefined &&
      (domain === null || domain === call[2]) &&
      (presenceId === null || presenceId === `${call[1]}@${call[2]}`)
    if (command.kind !== 'originate' && !isInReach) return { state: 'absent' }
    return { state: 'done', text: '+OK', uuid: target }
  }
}
