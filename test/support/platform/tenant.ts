/** A tenant that has one of everything, and the credentials of its people and programs. */
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import type { Cdr } from '../../../core/cdr/cdr.ts'
import type { DomainToken } from '../../../core/access/token.ts'
import type { Delivery } from '../../../core/hooks/delivery/delivery.ts'
import { secretPurpose } from '../../../core/hooks/definition/signing.ts'
import { tokenDigest, writeToken } from '../../../functions/endpoint/token-text.ts'
import type { Api } from './api.ts'
import { aCdr } from '../records/cdrs.ts'
import { aFileBody } from '../processes/file-bodies.ts'
import {
  aCommandRecord,
  aDelivery,
  aDomain,
  aDomainToken,
  aGateway,
  aGatewayState,
  aHook,
  aKnownCall,
  aPresence,
  aRecording,
  aRequestKey,
  aRole,
  aRoute,
  aStoredObject,
  anAuditRecord,
  anEntry,
  anEvent,
  anErasure,
  anExport,
  aDomainVersion,
  emailSettingsOf,
} from '../records/records.ts'
import type { Things } from './route-requests.ts'
import { aSecondFactor } from '../records/second-factor.ts'
import { logEvent } from '../hooks/logged-events.ts'

/** The accounts that every tenant has. */
export const people = { user: '1000', admin: '1001', operator: '1002', colleague: '1003' } as const

/** The things that a tenant has unless a test says otherwise: two tenants made with them have equal ids. */
export const usualThings: Omit<Things, 'domain'> = {
  account: people.colleague,
  channel: '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f',
  role: 'spare',
  token: '0d3d3d0e-8c1f-4f6c-9a43-0c7e1f2b3a4d',
  list: 'spam|100',
  number: '100',
  routes: ['a'.repeat(24), 'b'.repeat(24)],
  gateway: 'trunk',
  hook: 'c'.repeat(24),
  delivery: `msg_${'a'.repeat(32)}`,
  job: '2b8e1c7e-6a1e-4b1d-9f0e-2d0a4c5b6e7f',
}

/** The values in which tenants differ. */
export interface TenantInput {
  readonly domain: string
  /** Stands in everything that the tenant wrote; letters, digits and hyphens. */
  readonly mark: string
  readonly things?: Partial<Things>
  /** Keys that its requests came with; `key-1` where none is named. */
  readonly keys?: readonly string[]
}

/** A tenant as a test knows it. */
export interface Tenant {
  readonly domain: string
  readonly mark: string
  readonly things: Things
}

/** Makes a tenant with accounts of each kind and, in every store, a record with its mark. */
export async function aTenant(api: Api, { domain, mark, things: given = {}, keys = ['key-1'] }: TenantInput) {
  const tenant: Tenant = { domain, mark, things: { ...usualThings, ...given, domain } }
  const { account } = tenant.things
  await api.ports.domains.create(aDomain({ name: domain, customerId: mark, variables: { x_planted: mark } }))
  await api.ports.roles.write({ domain, roles: rolesOf(mark, tenant.things), version: 1 })
  const secondFactor = await aSecondFactor(api, { domain, login: account }, true)
  const variables = { x_planted: mark }
  await api.account({ domain, login: people.user, variables })
  await api.account({ domain, login: people.admin, role: 'admin', variables })
  await api.account({ domain, login: people.operator, role: 'operator', variables })
  await api.account({ domain, login: account, variables, secondFactor })
  await fillSettings(api, tenant)
  await fillTraces(api, tenant)
  for (const key of keys) {
    await api.ports.idempotency.create(aRequestKey({ domain, key, answer: JSON.stringify({ planted: mark }) }))
  }
  return tenant
}

/** The headers of a user who has a login in a tenant. */
export async function credentialOf(api: Api, { domain }: Pick<Tenant, 'domain'>, login: string) {
  const account = await api.ports.accounts.read(domain, login)
  if (account === undefined) throw new Error(`the tenant ${domain} has no ${login}`)
  return { ...(await api.as(account)) }
}

/** The headers of a new token of a domain itself. */
export async function domainCredential(api: Api, given: Pick<DomainToken, 'domain' | 'role'> & Partial<DomainToken>) {
  const uuid = systemRandomness.uuid()
  const { domain } = given
  const claims = { username: `${uuid}@${domain}`, domain, key: uuid, isDomainToken: true as const }
  const text = writeToken(claims, systemRandomness.bytes(32))
  await api.ports.domainTokens.create(
    aDomainToken({ uuid, digest: tokenDigest(text), createdBy: `${people.admin}@${domain}`, ...given }),
    100,
  )
  return { 'x-access-token': text }
}

function rolesOf(mark: string, { role }: Things) {
  const operator = aRole({
    name: 'operator',
    allows: {
      account: ['ro', 'uo'],
      channels: ['ro', 'do'],
      hook: ['r'],
      domain: ['ro'],
      blacklist: ['r'],
      'rotes/default': ['r'],
    },
  })
  return [operator, aRole({ name: role }), aRole({ name: mark })]
}

/** Plants a delivery; throws where another one stands in its place. */
export async function plantDelivery({ ports }: Pick<Api, 'ports'>, delivery: Delivery): Promise<void> {
  if (!(await ports.deliveries.create(delivery))) throw new Error(`two deliveries of ${delivery.domain} share a place`)
}

/** Plants a stored recording with its object. */
export async function plantRecording(
  { ports }: Pick<Api, 'ports'>,
  given: Parameters<typeof aRecording>[0] = {},
): Promise<void> {
  const recording = aRecording(given)
  const { startedAt: now } = recording
  await ports.recordings.expect(recording)
  await ports.recordings.claim(recording, 'uploader', { now, until: now + 60_000 })
  await ports.recordingFiles.put(recording.key, 'audio/wav', aFileBody(recording.name))
  await ports.recordings.markStored(recording, 'uploader', aStoredObject({ size: recording.name.length }))
}

/** Plants the CDR of a call that began a moment ago. */
export async function plantCdr({ ports, clock }: Pick<Api, 'ports' | 'clock'>, given: Partial<Cdr>): Promise<void> {
  await ports.cdrs.index([{ source: 'event', cdr: aCdr({ created_time: clock.now() - 1000, ...given }) }])
}

/** The things that its people set up, at least two of each kind that is listed. */
async function fillSettings({ ports }: Api, { domain, mark, things }: Tenant): Promise<void> {
  const limits = { entries: 9, lists: 9 }
  const createdBy = `${people.user}@${domain}`
  for (const uuid of [things.token, things.token.replace(/^./, 'f')]) {
    await ports.domainTokens.create(aDomainToken({ domain, uuid, role: 'user', description: mark, createdBy }), 9)
  }
  for (const number of [1, 2]) {
    const version = aDomainVersion({ domain, number, comment: mark, document: mark, createdBy })
    await ports.domainVersions.create(version, 9)
  }
  for (const number of [things.number, `${things.number}1`]) {
    await ports.blacklists.add(anEntry({ domain, list: things.list, number, note: mark }), limits)
  }
  await ports.blacklists.add(anEntry({ domain, list: mark, number: things.number }), limits)
  for (const [order, id] of things.routes.entries()) {
    await ports.defaultRoutes.create(aRoute({ domain, id, order, name: mark }), order)
    await ports.publicRoutes.create(aRoute({ domain, id, order, name: mark }), order)
  }
  for (const id of [things.hook, things.hook.replace(/^./, '9')]) {
    const sealed = await ports.secretBox.seal(systemRandomness.bytes(32), secretPurpose(domain, id))
    await ports.hooks.create([aHook({ domain, id, description: mark, secrets: [{ sealed }] })], 9)
  }
  for (const name of [things.gateway, `${things.gateway}-2`]) {
    const networks = ['198.51.100.0/24']
    const login = { username: mark, sealedPassword: undefined }
    await ports.gateways.create(aGateway({ domain, name, ...login, register: false, networks }), 9)
    await ports.gatewayStates.put([aGatewayState({ domain, name })])
  }
  const { options, ...settings } = emailSettingsOf({ domain, description: mark, from: 'pbx@mail.example.net' })
  await ports.emailSettings.put({ ...settings, options: { ...options, auth: undefined } })
}

/** Calls of the colleague that have ended, and an export of the admin's. */
async function plantCalls({ ports, clock }: Pick<Api, 'ports' | 'clock'>, { domain, mark, things }: Tenant) {
  const presenceId = `${things.account}@${domain}`
  for (const uuid of [things.channel, things.channel.replace(/^./, 'e')]) {
    await plantRecording({ ports }, { domain, uuid, name: mark, presenceId })
    await plantCdr({ ports, clock }, { domain_name: domain, uuid, presence_id: presenceId, caller_id_name: mark })
  }
  // An earlier domain of this name may have left recordings, too.
  await ports.recordings.leave({ domain, retentionDays: 365, leftAt: clock.now() })
  const { party: _party, ...ended } = anErasure({ domain, id: things.job, createdAt: clock.now(), state: 'done' })
  await ports.erasures.create(ended)
  await ports.erasures.mark(domain, [things.job])
  await ports.exports.create(
    anExport({
      domain,
      id: things.job,
      owner: `${people.admin}@${domain}`,
      createdAt: clock.now(),
      request: { body: { query: mark } },
    }),
  )
}

/** The platform's records of it. */
async function fillTraces({ ports, clock }: Api, { domain, mark, things }: Tenant): Promise<void> {
  const now = clock.now()
  const username = `${people.user}@${domain}`
  for (const requestId of ['request-1', 'request-2']) {
    await ports.audit.append(anAuditRecord({ domain, requestId, caller: username, path: `/api/v2/accounts/${mark}` }))
  }
  await ports.presence.put(aPresence({ domain, contacts: [{ id: mark, expiresAt: now + 3_600_000 }] }))
  await plantCalls({ ports, clock }, { domain, mark, things })
  await ports.knownCalls.put(aKnownCall({ domain, uuid: things.channel, callerName: mark }))
  await ports.knownCalls.place({ domain, uuid: things.channel, placedAt: now, showsBy: now + 3_600_000 })
  await ports.rateLimits.take(`domain:${domain}`, { intervalMs: 1000, burst: 100 }, now)
  await ports.rateLimits.takeInWindow(`test-mail:${domain}`, { limit: 5, windowMs: 3_600_000 }, now)
  await ports.loginThrottle.begin(`user ${username}`, { limit: 100, since: 0 }, now)
  await ports.loginThrottle.remember({ domain, login: people.user }, '198.51.100.0/24', now, 20)
  await ports.sessions.touch(username, domain, now)
  await ports.sessions.meet(`${things.token}@${domain}`, '198.51.100.0', now)
  const scope = { domain, presenceId: username }
  const record = aCommandRecord({ scope, command: { kind: 'hold', uuid: things.channel } })
  await ports.commands.create(record)
  await ports.commands.complete(record.id, { state: 'done', text: mark })
  const event = anEvent({ domain, uuid: things.channel, fields: { planted: mark } })
  await logEvent(ports.eventLogWriter, event)
  await ports.deliveries.keepEvent(event)
  for (const id of [things.delivery, things.delivery.replace(/.$/, '0')]) {
    await plantDelivery({ ports }, aDelivery({ domain, id, hookId: things.hook, event }))
  }
}
