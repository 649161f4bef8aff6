import type { Engine } from '../calls/engine.ts'
import { localStamp } from '../events/event-bus.ts'
import { type Registration, contactUri } from '../phones/registration.ts'
import { gatewayProfileCommand, gatewaysXml, registeredTo } from './sofia-gateways.ts'

const rule = `${'='.repeat(97)}\n`

/**
 * `sofia status`, `sofia status profile <name> reg [user]`, `sofia profile <name> flush_inbound_reg [<user>]@<domain>`,
 * and the commands of gateways.
 */
export function sofia(engine: Engine, argument: string): string | Promise<string> {
  const [area, ...rest] = argument.split(/\s+/).filter((word) => word !== '')
  if (area === 'profile') return profileCommand(engine, rest)
  if (area === 'status') return status(engine, rest)
  if (area === 'xmlstatus' && rest.join() === 'gateway') return gatewaysXml(engine)
  return '-USAGE: sofia status|profile\n'
}

/** `sofia_contact [<profile>/]<user>@<domain>`: the dial string of a user's phone. Any profile does, as recorded. */
export function sofiaContact(engine: Engine, argument: string): string {
  const address = argument.slice(argument.indexOf('/') + 1)
  const at = Math.max(address.lastIndexOf('@'), 0)
  const phone = engine.phones.find(address.slice(0, at), address.slice(at + 1))
  if (phone === undefined) return 'error/user_not_registered'
  return `sofia/${phone.profile}/${contactUri(phone)}`
}

function profileCommand(engine: Engine, [profile, command = '', address = '']: readonly string[]) {
  const isOfGateways = engine.gateways.isThere && profile === engine.gateways.profile
  if (profile !== engine.phones.profile && !isOfGateways) return 'Invalid Profile!\n'
  if (command !== 'flush_inbound_reg' && isOfGateways) return gatewayProfileCommand(engine, command, address)
  if (command !== 'flush_inbound_reg') return '-ERR Unknown command!\n'
  // No phone is registered at the profile of gateways.
  if (isOfGateways) return '+OK flushing all registrations matching specified call_id\n'
  const at = address.lastIndexOf('@')
  engine.phones.flush(address.slice(0, Math.max(at, 0)), address.slice(at + 1))
  return '+OK flushing all registrations matching specified call_id\n'
}

function status(engine: Engine, [kind, profile, what, user]: readonly string[]): string {
  if (kind === undefined) return profileList(engine)
  if (kind !== 'profile' || profile !== engine.phones.profile || (what !== 'reg' && what !== 'user'))
    return 'Invalid Profile!\n'
  const listed = engine.phones
    .registrations()
    .filter(({ login, domain }) => user === undefined || user === (what === 'reg' ? login : `${login}@${domain}`))
  const texts = listed.map((registration) => registrationText(engine, registration))
  return `\nRegistrations:\n${rule}${texts.join('')}Total items returned: ${listed.length}\n${rule}`
}

/** The list of SIP profiles and gateways, as recorded (`api/idle`, `api/gateways`). */
function profileList({ phones, gateways, timers }: Engine): string {
  const row = (name: string, type: string, data: string, state: string) =>
    `${name.padStart(25)}\t${type}\t  ${data.padStart(40)}\t${state}\n`
  const retries = (state: string, at: number) =>
    ['TRYING', 'FAILED', 'FAIL_WAIT'].includes(state)
      ? `${state} (retry: ${Math.max(0, Math.trunc((at - timers.now()) / 1_000))}s)`
      : state
  const rows = [
    ...(gateways.isThere ? [row(gateways.profile, 'profile', 'sip:mod_sofia@127.0.0.1:5080', 'RUNNING (0)')] : []),
    ...gateways
      .list()
      .map((one) =>
        row(`${gateways.profile}::${one.name}`, 'gateway', registeredTo(one), retries(one.state, one.retryAt)),
      ),
    row(phones.profile, 'profile', 'sip:mod_sofia@127.0.0.1:5060', 'RUNNING (0)'),
  ]
  const count = gateways.isThere ? '2 profiles' : '1 profile'
  return `${row('Name', '   Type', 'Data', 'State')}${rule}${rows.join('')}${rule}${count} 0 aliases\n`
}

function registrationText(engine: Engine, registration: Registration): string {
  const { login, domain, port } = registration
  const until = registration.expiresAt + 60_000
  const seconds = Math.trunc((until - engine.timers.now()) / 1000)
  const lines = [
    ['Call-ID:    ', registration.callId],
    ['User:       ', `${login}@${domain}`],
    ['Contact:    ', `"${registration.displayName}" <${contactUri(registration)}>`],
    ['Agent:      ', registration.userAgent],
    ['Status:     ', `Registered(UDP)(unknown) EXP(${localStamp(until)}) EXPSECS(${seconds})`],
    ['Ping-Status:', 'Reachable'],
    ['Ping-Time:', '0.00'],
    ['Host:       ', 'fs1'],
    ['IP:         ', '127.0.0.1'],
    ['Port:       ', `${port}`],
    ['Auth-User:  ', login],
    ['Auth-Realm: ', domain],
    ['MWI-Account:', `${login}@${domain}`],
  ]
  return `${lines.map(([label, value]) => `${label}\t${value}\n`).join('')}\n`
}
