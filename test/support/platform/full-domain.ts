/** A domain with something in every store that holds anything of it. */
import type { StorePorts } from '../stores/stores.ts'
import {
  aDelivery,
  aDomain,
  aDomainToken,
  aDomainVersion,
  aHook,
  aKnownCall,
  aPlacedCall,
  aPresence,
  aRecording,
  aRole,
  aRoute,
  aToken,
  aGateway,
  aGatewayState,
  anAccount,
  anEntry,
  anEvent,
  anErasure,
  anExport,
} from '../records/records.ts'
import { logEvent } from '../hooks/logged-events.ts'

/** The start of a `movableClock`. */
const T0 = Date.UTC(2026, 0, 15, 12)

/** How much of it there is. */
export interface Fill {
  /** Accounts, each with two numbers, a token and a phone. */
  readonly accounts?: number
  /** Text in each account that weighs this many characters. */
  readonly filler?: number
  /** Deliveries of each of two hooks. */
  readonly deliveries?: number
}

/** Makes a domain and fills every store with records of it. */
export async function fillDomain(
  stores: Omit<StorePorts, 'tenantData'>,
  name: string,
  { accounts = 2, filler = 1, deliveries = 2 }: Fill = {},
): Promise<void> {
  await stores.domains.create(aDomain({ name }))
  await stores.roles.write({ domain: name, roles: [aRole()], version: 1 })
  for (let index = 0; index < accounts; index += 1) {
    const login = `${1000 + index}`
    const variables = { filler: 'x'.repeat(filler) }
    await stores.accounts.create(anAccount({ domain: name, login, numbers: [login, `+${login}`], variables }), 10_000)
    await stores.tokens.create(aToken({ domain: name, login }), 50)
    await stores.presence.put(aPresence({ domain: name, login }))
  }
  await stores.loginThrottle.remember({ domain: name, login: '1000' }, '192.0.2.0/24', T0, 20)
  await stores.domainTokens.create(aDomainToken({ domain: name }), 100)
  const hooks = [aHook({ domain: name }), aHook({ domain: name })]
  await stores.sessions.count(T0, name)
  await stores.hooks.create(hooks, 100)
  for (const { id: hookId } of hooks) {
    for (let index = 0; index < deliveries; index += 1) {
      await stores.deliveries.create(aDelivery({ domain: name, hookId }))
    }
  }
  await stores.blacklists.add(anEntry({ domain: name, number: '1' }), { entries: 10, lists: 10 })
  await stores.blacklists.add(anEntry({ domain: name, list: 'other', number: '2' }), { entries: 10, lists: 10 })
  await stores.blacklists.removeList(name, 'other')
  const { edition } = await stores.defaultRoutes.list(name)
  await stores.defaultRoutes.create(aRoute({ domain: name }), edition)
  await stores.publicRoutes.create(aRoute({ domain: name, gateway: 'trunk' }), 0)
  await logEvent(stores.eventLogWriter, anEvent({ domain: name }))
  await stores.deliveries.keepEvent(anEvent({ domain: name }))
  await stores.knownCalls.place(aPlacedCall({ domain: name }))
  await stores.knownCalls.put(aKnownCall({ domain: name }))
  await stores.recordings.expect(aRecording({ domain: name }))
  await stores.exports.create(anExport({ domain: name }))
  await stores.erasures.create(anErasure({ domain: name }))
  await stores.domainVersions.create(aDomainVersion({ domain: name }), 200)
  await stores.gateways.create(aGateway({ domain: name }), 9)
  await stores.gatewayStates.put([aGatewayState({ domain: name })])
  await stores.emailSettings.put({
    id: 'a'.repeat(24),
    domain: name,
    provider: 'smtp',
    description: '',
    from: 'pbx@example.com',
    options: { host: 'mail.example.com', port: 25, secure: false, debug: false, tls: { rejectUnauthorized: true } },
    createdAt: 1,
    version: 1,
  })
  await stores.idempotency.create({
    domain: name,
    key: 'request-1',
    fingerprint: 'f'.repeat(64),
    seed: 'AA==',
    claimId: 'claim-1',
    leaseUntil: T0 + 30_000,
    createdAt: T0,
  })
}
