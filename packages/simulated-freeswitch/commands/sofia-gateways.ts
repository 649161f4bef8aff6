import type { Engine } from '../calls/engine.ts'
import type { SimulatedGateway } from '../gateways/gateways.ts'

/** `sofia profile external killgw <name>|_all_` and `sofia profile external rescan`, as recorded (`api/gateways`). */
export async function gatewayProfileCommand({ gateways }: Engine, command: string, name: string): Promise<string> {
  if (command === 'rescan') {
    await gateways.rescan()
    return 'Reload XML [Success]\n+OK scan complete\n'
  }
  if (command !== 'killgw') return '-ERR Unknown command!\n'
  if (name === '_all_') {
    for (const gateway of gateways.list()) gateways.kill(gateway.name)
    return '+OK every gateway marked for deletion.\n'
  }
  return gateways.kill(name) ? '+OK gateway marked for deletion.\n' : '-ERR no such gateway.\n'
}

/** `sofia_gateway_data <name> ivar|ovar <variable>`. Throws where the engine answers nothing. */
export function gatewayData({ gateways }: Engine, argument: string): string {
  const [name = '', kind, variable = ''] = argument.split(' ')
  const gateway = gateways.find(name)
  const value = (kind === 'ivar' ? gateway?.inbound : gateway?.outbound)?.get(variable)
  if (value === undefined) throw new Error('no such gateway or variable')
  return value
}

/** `sofia xmlstatus gateway`: every gateway with all that the engine shows of it, its password not included. */
export function gatewaysXml({ gateways, timers }: Engine): string {
  const elements = gateways.list().map((gateway) => gatewayXml(gateway, gateways.profile, timers.now()))
  return `<?xml version="1.0" encoding="ISO-8859-1"?>\n<gateways>\n${elements.join('')}</gateways>\n`
}

/** Returns the address in a gateway's registrations. */
export function registeredTo({ parameters }: SimulatedGateway): string {
  return `sip:${parameters.get('username') ?? ''}@${parameters.get('proxy') ?? ''}`
}

function gatewayXml(gateway: SimulatedGateway, profile: string, now: number): string {
  const { name, parameters, state, status, retryAt } = gateway
  const value = (parameter: string) => parameters.get(parameter) ?? ''
  const address = registeredTo(gateway)
  const contact = `sip:gw+${name}@127.0.0.1:5080;transport=${value('register-transport')};gw=${name}`
  const seconds = Math.max(0, Math.trunc((retryAt - now) / 1_000))
  const fields: readonly (readonly [string, string])[] = [
    ['name', name],
    ['profile', profile],
    ['scheme', 'Digest'],
    ['realm', value('realm')],
    ['username', value('username')],
    ['password', value('password') === '' ? 'no' : 'yes'],
    ['from', `&lt;${address}&gt;`],
    ['contact', `&lt;${contact}&gt;`],
    ['exten', value('extension')],
    ['to', address],
    ['proxy', `sip:${value('proxy')}`],
    ['context', value('context')],
    ['expires', value('expire-seconds')],
    ['freq', value('expire-seconds')],
    ...['ping', 'pingfreq', 'pingmin', 'pingcount', 'pingmax'].map((field) => [field, '0'] as const),
    ['pingtime', '0.00'],
    ['pinging', '0'],
    ['state', state],
    ['status', status],
    ['uptime-usec', '0'],
    ...['calls-in', 'calls-out', 'failed-calls-in', 'failed-calls-out'].map((field) => [field, '0'] as const),
    ...(['TRYING', 'FAILED', 'FAIL_WAIT'].includes(state) ? [['retry', `${seconds}s`] as const] : []),
  ]
  return `  <gateway>\n${fields.map(([field, text]) => `    <${field}>${text}</${field}>\n`).join('')}  </gateway>\n`
}
