import { isIPv4 } from 'node:net'
import type { SimulatedGateway } from '../gateways/gateways.ts'
import { type CallerProfile, newTimes } from './caller-profile.ts'
import { enterCallState, enterState, fireChannel, fireCodec } from './channel-events.ts'
import { Channel } from './channel.ts'
import { type Engine, maxChannels } from './engine.ts'
import { addChannel, hangUp, microsNow } from './flow.ts'

/** A call that comes in from a gateway. All byte text. */
interface GatewayCall {
  readonly to: string
  readonly from: string
  readonly until: Channel
}

/** The context of calls at the profile of gateways. */
export const publicContext = 'public'

/** Lets a gateway's other side call a number at the contact that the engine registered, if there is room. */
export function callFromGateway(engine: Engine, gateway: SimulatedGateway, call: GatewayCall): void {
  if (engine.channels.size >= maxChannels) return
  const { to, from, until } = call
  const channel = newCallingChannel(engine, gateway, call)
  const sessionId = addChannel(engine, channel)
  channel.stateNumber = 0
  channel.hasProfile = false
  enterState(engine, channel, 'CS_NEW')
  channel.hasProfile = true
  fireCodec(engine, channel, { name: 'PCMU', bitRate: '64000' })
  enterState(engine, channel, 'CS_INIT', 1)
  channel.set({
    direction: 'inbound',
    uuid: channel.uuid,
    call_uuid: channel.callUuid,
    session_id: `${sessionId}`,
    channel_name: channel.name,
    sip_from_user: from,
    sip_network_ip: sourceOf(gateway),
    sip_network_port: '5060',
    sip_gateway: gateway.name,
    sofia_profile_name: engine.gateways.profile,
    sip_req_user: `gw+${gateway.name}`,
    sip_req_host: '127.0.0.1',
    sip_to_user: to,
    max_forwards: '70',
    ...Object.fromEntries(gateway.inbound),
  })
  channel.stateNumber = 2
  fireChannel(engine, channel, 'CHANNEL_CREATE')
  channel.running = 'CS_ROUTING'
  enterCallState(engine, channel, 'RINGING')
  endWith(engine, channel, until)
  endWith(engine, until, channel)
  void engine.runExtension(channel, { extension: to, context: publicContext })
}

function sourceOf({ parameters }: SimulatedGateway): string {
  const host = (parameters.get('proxy') ?? '').split(':')[0] ?? ''
  return isIPv4(host) ? host : '127.0.0.1'
}

function endWith(engine: Engine, leg: Channel, other: Channel): void {
  if (!other.up) hangUp(engine, leg, 'NORMAL_CLEARING')
  else other.onInterrupt(() => endWith(engine, leg, other))
}

function newCallingChannel(engine: Engine, gateway: SimulatedGateway, { to, from }: GatewayCall): Channel {
  const now = microsNow(engine)
  const profile: CallerProfile = {
    direction: 'inbound',
    logicalDirection: 'inbound',
    username: from,
    dialplan: 'XML',
    callerIdName: from,
    callerIdNumber: from,
    origCallerIdName: from,
    origCallerIdNumber: from,
    networkAddress: sourceOf(gateway),
    ani: from,
    destinationNumber: to,
    uniqueId: engine.random.uuid(),
    source: 'mod_sofia',
    context: publicContext,
    channelName: `sofia/${engine.gateways.profile}/${from}@${sourceOf(gateway)}`,
    index: 1,
    createdAt: now,
  }
  return new Channel({ kind: 'sofia', profile, times: newTimes(now) })
}
