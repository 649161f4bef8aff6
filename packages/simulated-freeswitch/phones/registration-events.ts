import type { EventBus } from '../events/event-bus.ts'
import type { CallingPlace, Header } from '../events/engine-event.ts'
import { type Registration, contactUri, registrationSeconds } from './registration.ts'

/** Fires the events of a phone that registers, renews or ends its registration (`events/registrations`). */
export function fireRegistration(
  events: EventBus,
  registration: Registration,
  kind: 'register' | 'reregister' | 'unregister',
): void {
  const expires = kind === 'unregister' ? 0 : registrationSeconds
  const fire = (subclass: string, line: number, headers: Header[]) =>
    events.fire({
      name: 'CUSTOM',
      place: ['sofia_reg.c', 'sofia_reg_handle_register_token', line] satisfies CallingPlace,
      leading: [['Event-Subclass', `sofia::${subclass}`]],
      headers,
    })
  fire('pre_register', 1810, [...attempt(registration, expires), agent(registration)])
  fire('register_attempt', 1606, [
    ...attempt(registration, expires),
    ...credentials(registration),
    agent(registration),
    ['auth-result', 'RENEWED'],
  ])
  if (kind === 'unregister') fire('unregister', 2213, unregistered(registration))
  else fire('register', 2059, registered(registration, kind === 'reregister'))
}

/** Fires the event of a registration that ended without the phone: expired, or flushed. */
export function fireExpire(events: EventBus, registration: Registration): void {
  events.fire({
    name: 'CUSTOM',
    place: ['sofia_reg.c', 'sofia_reg_del_callback', 726],
    leading: [['Event-Subclass', 'sofia::expire']],
    headers: [
      ['profile-name', registration.profile],
      ['call-id', registration.callId],
      ['user', registration.login],
      ['username', registration.login],
      ['host', registration.domain],
      ['contact', contactOf(registration)],
      ['expires', `${Math.trunc(registration.expiresAt / 1000)}`],
      agent(registration),
      ['realm', registration.domain],
      ...network(registration),
    ],
  })
}

function registered(registration: Registration, renewed: boolean): Header[] {
  const [profile, user, host, ...rest] = attempt(registration, registrationSeconds)
  return [
    ...[profile, user, host].filter((header) => header !== undefined),
    ['presence-hosts', 'n/a'],
    ...rest,
    ...credentials(registration),
    agent(registration),
    ...(renewed ? ([['update-reg', 'true']] as const) : []),
    ...directoryHeaders(registration),
  ]
}

function unregistered(registration: Registration): Header[] {
  const { login, domain, callId, profile } = registration
  return [
    ['profile-name', profile],
    ['username', login],
    ['from-user', login],
    ['from-host', domain],
    ['contact', contactOf(registration)],
    ['call-id', callId],
    ['rpid', 'unknown'],
    ['realm', domain],
    ...network(registration),
    agent(registration),
    ['expires', '0'],
    ...directoryHeaders(registration),
  ]
}

function attempt(registration: Registration, expires: number): Header[] {
  const { login, domain, callId, profile } = registration
  return [
    ['profile-name', profile],
    ['from-user', login],
    ['from-host', domain],
    ['contact', contactOf(registration)],
    ['call-id', callId],
    ['rpid', 'unknown'],
    ['status', 'Registered(UDP)'],
    ['expires', `${expires}`],
    ['to-user', login],
    ['to-host', domain],
    ...network(registration),
  ]
}

function directoryHeaders({ login, domain, user }: Registration): Header[] {
  return [
    ['sip_number_alias', login],
    ['sip_auth_username', login],
    ['sip_auth_realm', domain],
    ['number_alias', login],
    ['user_name', login],
    ['domain_name', domain],
    ...user.variables,
  ]
}

function credentials({ login, domain }: Registration): Header[] {
  return [
    ['username', login],
    ['realm', domain],
  ]
}

function network({ port }: Registration): Header[] {
  return [
    ['network-ip', '127.0.0.1'],
    ['network-port', `${port}`],
  ]
}

function agent({ userAgent }: Registration): Header {
  return ['user-agent', userAgent]
}

function contactOf(registration: Registration): string {
  return `"${registration.displayName}" <${contactUri(registration)}>`
}
