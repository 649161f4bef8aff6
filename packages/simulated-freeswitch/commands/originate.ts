import type { Channel } from '../calls/channel.ts'
import { fireCallUpdate, fireChannel } from '../calls/channel-events.ts'
import { type DialString, parseDialString, splitArguments, unquote } from '../calls/dial-string.ts'
import { dialParsed } from '../calls/dial.ts'
import { runApplication, runExtension } from '../calls/session.ts'
import { transfer } from '../calls/transfer.ts'
import type { Engine } from '../calls/engine.ts'

const usage =
  '-USAGE: <call url> <exten>|&<application_name>(<app_args>) [<dialplan>] [<context>] [<cid_name>] [<cid_num>] [<timeout_sec>]\n'

/** The engine's own patience when no timeout is given. */
const defaultTimeoutSeconds = 60

/**
 * `originate`: calls a party and, once it answers, runs an application or an extension on it. The answer comes with
 * the party's; what happens afterwards is not in it (`control/originate-ok`).
 */
export async function originate(engine: Engine, argument: string): Promise<string> {
  const [url, destination, , context = 'default', name, number, timeout, ...more] = splitArguments(argument)
  if (url === undefined || destination === undefined || more.length > 0 || unclosedQuote(argument)) return usage
  const parsed = parseDialString(url)
  if (parsed === undefined) return '-ERR DESTINATION_OUT_OF_ORDER\n'
  const { variables } = parsed
  const seconds = Number.parseInt(variables['originate_timeout'] ?? timeout ?? '', 10)
  const result = await dialParsed(engine, parsed, {
    uuid: variables['origination_uuid'] ?? legUuid(parsed),
    variables,
    callerIdName: variables['origination_caller_id_name'] ?? (name === undefined ? undefined : unquote(name)),
    callerIdNumber: variables['origination_caller_id_number'] ?? number,
    timeoutMs: (seconds > 0 ? seconds : defaultTimeoutSeconds) * 1000,
  })
  if ('cause' in result) return `-ERR ${result.cause}\n`
  void start(engine, result.channel, destination, context)
  return `+OK ${result.channel.uuid}\n`
}

function unclosedQuote(argument: string): boolean {
  return (argument.replace(/\\./gs, '').match(/'/g)?.length ?? 0) % 2 === 1
}

function legUuid(parsed: DialString): string | undefined {
  return parsed.alternatives[0]?.[0]?.variables['origination_uuid']
}

/** The answered leg goes where the command said. It now is the caller of what follows: the two numbers swap. */
async function start(engine: Engine, channel: Channel, destination: string, context: string): Promise<void> {
  if (channel.kind === 'sofia') {
    fireChannel(engine, channel, 'CHANNEL_OUTGOING')
    const contact = engine.phones.find(channel.text('dialed_user'), channel.text('dialed_domain'))
    channel.set({ endpoint_disposition: 'ANSWER', ...Object.fromEntries(contact?.user.variables ?? []) })
    channel.set({ originate_endpoint: 'user' })
  } else channel.set({ endpoint_disposition: 'ANSWER' })
  const application = /^&([^(]*)(?:\((.*)\)?)?$/s.exec(unquote(destination))
  const target = { extension: unquote(destination), context }
  if (application === null) transfer(engine, channel, target)
  flipNumbers(channel)
  fireCallUpdate(engine, channel, 'RECV')
  channel.transfer = undefined
  if (application === null) return runExtension(engine, channel, target)
  const [, name = '', rest = ''] = application
  await runApplication(engine, channel, { name, data: rest.replace(/\)$/, '') })
}

function flipNumbers(channel: Channel): void {
  const { callerIdName = '', callerIdNumber, calleeIdName, calleeIdNumber = '' } = channel.profile
  channel.hitDialplan = true
  channel.set({ pre_transfer_caller_id_name: callerIdName, pre_transfer_caller_id_number: callerIdNumber })
  channel.set({ channel_cid_flipped: 'yes' })
  channel.profile = {
    ...channel.profile,
    callerIdName: calleeIdName,
    callerIdNumber: calleeIdNumber,
    calleeIdName: callerIdName,
    calleeIdNumber: callerIdNumber,
  }
}
