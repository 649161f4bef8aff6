import type { ChannelTable, Engine } from './engine.ts'
import { hostName, localStamp } from '../events/event-bus.ts'
import type { EngineTimers } from '../runtime/timers.ts'
import type { Channel } from './channel.ts'

/** The engine writes its table in the background: rows come and go up to this much later (`api/after-hupall`). */
const tableLagMs = 100

/** Returns the rows of `show channels`. */
export function channelTable(timers: EngineTimers, channels: Engine['channels']): ChannelTable {
  let rows: readonly Readonly<Record<string, string>>[] = []
  let pending = false
  return {
    rows: () => rows,
    changed: () => {
      if (pending) return
      pending = true
      timers.after(tableLagMs, () => {
        pending = false
        rows = [...channels.values()].map(rowOf)
      })
    },
  }
}

function rowOf(channel: Channel): Record<string, string> {
  const { profile, initialProfile: initial, times } = channel
  return {
    uuid: channel.uuid,
    direction: profile.direction,
    created: localStamp(times.created / 1000),
    created_epoch: `${Math.trunc(times.created / 1e6)}`,
    name: channel.name,
    state: channel.running,
    cid_name: profile.callerIdName ?? '',
    cid_num: profile.callerIdNumber,
    // Written when the channel is made, and again when it is transferred.
    ip_addr: (profile.index > 1 ? profile : initial).networkAddress ?? '',
    dest: profile.destinationNumber,
    application: channel.application?.name ?? '',
    application_data: channel.application?.data ?? '',
    dialplan: profile.dialplan ?? '',
    context: profile.context,
    ...codecCells('read', channel.readCodec),
    ...codecCells('write', channel.writeCodec),
    secure: '',
    hostname: hostName,
    presence_id: channel.presenceId ?? '',
    presence_data: '',
    accountcode: channel.otherLeg?.type === 'originator' ? '' : channel.text('accountcode'),
    callstate: channel.callState,
    callee_name: profile.calleeIdName ?? '',
    callee_num: profile.calleeIdNumber ?? '',
    callee_direction: channel.text('last_sent_callee_id_number') === '' ? (channel.hitDialplan ? 'RECV' : '') : 'SEND',
    call_uuid: channel.callUuid,
    sent_callee_name: channel.text('last_sent_callee_id_name'),
    sent_callee_num: channel.text('last_sent_callee_id_number'),
    initial_cid_name: initial.callerIdName ?? '',
    initial_cid_num: initial.callerIdNumber,
    initial_ip_addr: initial.networkAddress ?? '',
    initial_dest: initial.destinationNumber,
    initial_dialplan: initial.dialplan ?? '',
    initial_context: initial.context,
  }
}

function codecCells(side: 'read' | 'write', codec: Channel['readCodec']): Record<string, string> {
  return {
    [`${side}_codec`]: codec?.name ?? '',
    [`${side}_rate`]: codec === undefined ? '' : '8000',
    [`${side}_bit_rate`]: codec?.bitRate ?? '',
  }
}
