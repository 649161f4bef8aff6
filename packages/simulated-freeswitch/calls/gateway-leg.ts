import type { SimulatedGateway } from '../gateways/gateways.ts'
import type { PhoneBehaviour } from '../phones/phones.ts'
import type { Registration } from '../phones/registration.ts'
import type { Engine } from './engine.ts'
import { callFromGateway } from './gateway-call.ts'
import { count, placeOf } from './limit.ts'
import { type DialledLeg, type LegRequest, ringPhone } from './phone-leg.ts'

/** The far ends of numbers that are not answered at once, by their last digits: as the engine's own numbers. */
const farEnds: readonly (readonly [ending: string, PhoneBehaviour])[] = [
  ['5100', { kind: 'refuse', status: '486', phrase: 'Busy Here', cause: 'USER_BUSY' }],
  ['5101', { kind: 'refuse', status: '603', phrase: 'Decline', cause: 'CALL_REJECTED' }],
  ['5102', { kind: 'ring' }],
  ['5103', { kind: 'refuse', status: '404', phrase: 'Not Found', cause: 'UNALLOCATED_NUMBER' }],
  ['5110', { kind: 'answer', afterMs: 5_000 }],
]

/** The far end of a number with this beginning calls the rest of the number, through the same gateway. */
const callsBack = '97'

/** Calls a number through a gateway. No provider exists: numbers answer as {@link farEnds} says. */
export function callGateway(
  engine: Engine,
  [name = '', number = '']: readonly string[],
  request: LegRequest,
): DialledLeg | { cause: string } {
  const gateway = engine.gateways.find(name)
  if (gateway === undefined || number === '') return { cause: 'INVALID_GATEWAY' }
  if (gateway.status !== 'UP') return { cause: 'GATEWAY_DOWN' }
  const [, limit] = /^limit (.*)$/.exec(request.variables['execute_on_originate'] ?? '') ?? []
  const place = limit === undefined ? undefined : placeOf(engine, limit)
  if (place?.refusal !== undefined) return { cause: place.refusal }
  const { variables } = request
  const shown = {
    callerIdNumber: variables['origination_caller_id_number'] ?? request.callerIdNumber,
    callerIdName: variables['origination_caller_id_name'] ?? request.callerIdName,
  }
  const leg = ringPhone(engine, farEnd(engine, gateway, number), { ...request, ...shown }, reactionOf(number))
  if (!('channel' in leg)) return leg
  const { channel } = leg
  channel.presenceId = undefined
  channel.set({ presence_id: '', dialed_user: '', dialed_domain: '', sip_gateway_name: gateway.name })
  channel.set(Object.fromEntries(gateway.outbound))
  if (place !== undefined) count(channel, place)
  if (number.startsWith(callsBack)) void callBack(engine, gateway, leg, number.slice(callsBack.length))
  return leg
}

function reactionOf(number: string): PhoneBehaviour {
  return farEnds.find(([ending]) => number.endsWith(ending))?.[1] ?? { kind: 'answer', afterMs: 200 }
}

async function callBack(engine: Engine, gateway: SimulatedGateway, leg: DialledLeg, number: string): Promise<void> {
  if (!(await leg.answered) || number === '') return
  callFromGateway(engine, gateway, { to: number, from: leg.channel.profile.callerIdNumber, until: leg.channel })
}

function farEnd(engine: Engine, { name, parameters }: SimulatedGateway, number: string): Registration {
  return {
    login: number,
    domain: parameters.get('realm') ?? name,
    user: { login: number, domain: name, variables: new Map(), hasMailbox: false },
    profile: engine.gateways.profile,
    displayName: '',
    userAgent: 'Simulated provider 1.0',
    port: 5_060,
    parameters: '',
    callId: engine.random.hex(16),
    expiresAt: 0,
  }
}
