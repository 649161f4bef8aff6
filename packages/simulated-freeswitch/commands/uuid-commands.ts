import { liveChannel, hangUp } from '../calls/flow.ts'
import { causeNamed } from '../calls/hangup-cause.ts'
import { hold, unhold } from '../calls/hold.ts'
import { startRecording } from '../calls/recording.ts'
import { transfer } from '../calls/transfer.ts'
import type { Engine } from '../calls/engine.ts'
import { arrayText } from '../events/engine-event.ts'
import { eventText } from '../socket/serialize-event.ts'

const noChannel = '-ERR No such channel!\n'
const success = '+OK Success\n'
const failed = '-ERR Operation failed\n'

/** `uuid_kill <uuid> [cause]`. An unknown cause is taken for a normal end. */
export function uuidKill(engine: Engine, argument: string): string {
  const [uuid, cause = 'NORMAL_CLEARING'] = words(argument)
  if (uuid === undefined) return '-USAGE: <uuid> [cause]\n'
  const channel = liveChannel(engine, uuid)
  if (channel === undefined) return noChannel
  hangUp(engine, channel, causeNamed(cause))
  return '+OK\n'
}

/** `uuid_hold [off|toggle] <uuid>`. A uuid of no channel is a success to the engine; holding twice is not. */
export function uuidHold(engine: Engine, argument: string): string {
  const given = words(argument)
  const mode = given[0] === 'off' || given[0] === 'toggle' ? given[0] : 'on'
  const uuid = given[mode === 'on' ? 0 : 1]
  if (uuid === undefined) return `-USAGE: [off|toggle] <uuid> [<display>]\n${failed}`
  const channel = liveChannel(engine, uuid)
  if (channel === undefined) return success
  const off = mode === 'off' || (mode === 'toggle' && channel.held)
  return (off ? unhold(engine, channel) : hold(engine, channel)) ? success : failed
}

/** `uuid_exists <uuid>`. */
export function uuidExists(engine: Engine, argument: string): string {
  return liveChannel(engine, argument) === undefined ? 'false' : 'true'
}

/** `uuid_dump <uuid> [json|xml]`; any other format is the plain one. */
export function uuidDump(engine: Engine, argument: string): string {
  const [uuid = '', format] = words(argument)
  const channel = liveChannel(engine, uuid)
  if (channel === undefined) return noChannel
  const event = engine.events.complete({
    name: 'CHANNEL_DATA',
    place: ['mod_commands.c', 'uuid_dump_function', 6495],
    headers: [...channel.headers(), ...channel.variableHeaders()],
  })
  return eventText(event, format === 'json' || format === 'xml' ? format : 'plain')
}

/** `uuid_getvar <uuid> <name>`. */
export function uuidGetVariable(engine: Engine, argument: string): string {
  const [uuid, name] = words(argument)
  if (uuid === undefined || name === undefined) return '-USAGE: <uuid> <var>\n'
  const channel = liveChannel(engine, uuid)
  if (channel === undefined) return noChannel
  const value = channel.variables.get(name)
  return value === undefined ? '_undef_' : arrayText(value)
}

/** `uuid_setvar <uuid> <name> [value]`; without a value the variable is removed. */
export function uuidSetVariable(engine: Engine, argument: string): string {
  const [, uuid = '', name = '', value = ''] = /^(\S+) +(\S+) ?(.*)$/s.exec(argument) ?? []
  if (name === '') return '-USAGE: <uuid> <var> [value]\n'
  const channel = liveChannel(engine, uuid)
  if (channel === undefined) return noChannel
  channel.set({ [name]: value })
  return '+OK\n'
}

/** `uuid_setvar_multi <uuid> <name>=<value>;…`. */
export function uuidSetVariables(engine: Engine, argument: string): string {
  const [, uuid = '', list = ''] = /^(\S+) +(.*)$/s.exec(argument) ?? []
  const channel = liveChannel(engine, uuid)
  if (channel === undefined) return noChannel
  for (const pair of list.split(';')) {
    const [, name = '', value = ''] = /^([^=]+)=?(.*)$/s.exec(pair) ?? []
    if (name !== '') channel.set({ [name]: value })
  }
  return '+OK\n'
}

/** `uuid_recv_dtmf <uuid> <keys>`: the caller presses keys. */
export function uuidReceiveKeys(engine: Engine, argument: string): string {
  const [uuid, keys] = words(argument)
  if (uuid === undefined || keys === undefined) return '-USAGE: <uuid> <dtmf_data>\n'
  const channel = liveChannel(engine, uuid)
  if (channel === undefined) return '-ERR Cannot locate session!\n'
  channel.keys.press(keys.replaceAll(/[^0-9*#A-D]/g, ''))
  return `+OK ${uuid} received DTMF ${keys}.\n`
}

/** `uuid_record <uuid> start|stop|mask|unmask <path> [limit]`. */
export function uuidRecord(engine: Engine, argument: string): string {
  const [uuid, action, path] = words(argument)
  const known = action === 'start' || action === 'stop' || action === 'mask' || action === 'unmask'
  if (uuid === undefined || path === undefined || !known) {
    return '-USAGE: <uuid> [start|stop|mask|unmask] <path> [<limit>] [<recording_vars>]\n'
  }
  const channel = liveChannel(engine, uuid)
  if (channel === undefined) return '-ERR Cannot locate session!\n'
  if (action === 'start') {
    const recorded = channel.recording?.path === path || startRecording(engine, channel, path)
    return recorded ? success : '-ERR Cannot record session!\n'
  }
  if (action !== 'stop') return success
  if (channel.recording === undefined || (path !== 'all' && path !== channel.recording.path)) {
    return '-ERR Cannot stop record session!\n'
  }
  channel.recording.stop('success-maxtime')
  return success
}

/** `uuid_transfer <uuid> <extension> [XML] [context]`. An extension that does not exist is accepted too. */
export function uuidTransfer(engine: Engine, argument: string): string {
  const [uuid, extension, , context] = words(argument)
  if (uuid === undefined || extension === undefined)
    return '-USAGE: <uuid> [-bleg|-both] <dest-exten> [<dialplan>] [<context>]\n'
  const channel = liveChannel(engine, uuid)
  if (channel === undefined) return noChannel
  transfer(engine, channel, { extension, context: context ?? channel.profile.context })
  return '+OK\n'
}

/** `uuid_answer <uuid>`: every leg that commands see has answered, or answers by its own phone. */
export function uuidAnswer(engine: Engine, argument: string): string {
  return liveChannel(engine, argument.trim()) === undefined ? '-ERROR\n' : '+OK\n'
}

/** `hupall [cause]`. */
export function hangUpAll(engine: Engine, argument: string): string {
  const [cause = 'MANAGER_REQUEST'] = words(argument)
  for (const channel of engine.channels.values()) hangUp(engine, channel, causeNamed(cause))
  return `+OK hangup all channels with cause ${causeNamed(cause)}\n`
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
