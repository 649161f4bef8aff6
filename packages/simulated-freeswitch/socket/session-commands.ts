import type { EventBus } from '../events/event-bus.ts'
import type { SeededRandom } from '../runtime/random.ts'
import type { SocketCommand } from './command-reader.ts'
import { apiResponse, commandReply } from './frames.ts'
import { logLevelOf } from './log-level.ts'
import { sentEvent } from './send-event.ts'
import type { Subscription } from './subscription.ts'

/** The services that the commands of a connection use in addition to the connection itself. */
export interface SocketServices {
  readonly password: string
  readonly events: EventBus
  readonly random: SeededRandom
  /** Runs an api command; resolves with its answer, which may be empty. Never rejects. */
  runApi(line: string): Promise<string>
  hasChannel(uuid: string): boolean
  hangUp(uuid: string, cause: string): void
  /** Reloads the module (`reload mod_event_socket`): every connection is notified and closed. */
  reloadModule(): void
}

/** The state of a connection that commands change. */
export interface SocketSession {
  readonly subscription: Subscription
  authenticated: boolean
  logLevel: number | undefined
}

/** A reply, and whether the engine closes the connection after it. */
export interface SocketReply {
  readonly text: string
  readonly closes?: boolean
}

type SessionCommand = (
  session: SocketSession,
  services: SocketServices,
  given: { readonly argument: string; readonly command: SocketCommand },
) => SocketReply | Promise<SocketReply>

const notFound = reply('-ERR command not found')

/** Runs one command of a connection. Names are compared without regard to case; unknown ones are refused. */
export async function runSessionCommand(
  session: SocketSession,
  services: SocketServices,
  command: SocketCommand,
): Promise<SocketReply> {
  const [, word = '', argument = ''] = /^(\S*) ?(.*)$/s.exec(command.line) ?? []
  const name = word.toLowerCase()
  if (!session.authenticated && !beforeLogin.has(name)) return notFound
  if (session.authenticated && name.endsWith('auth')) return notFound
  if (needsArgument.has(name) && !command.line.includes(' ')) return notFound
  if (reloadsModule(command.line, name)) return reload(services)
  return (sessionCommands.get(name) ?? (() => notFound))(session, services, { argument, command })
}

const beforeLogin = new Set(['auth', 'userauth', 'exit'])
const needsArgument = new Set(['auth', 'userauth', 'api', 'bgapi', 'filter', 'myevents'])

const sessionCommands = new Map<string, SessionCommand>([
  ['auth', logIn],
  ['userauth', () => ({ ...reply('-ERR invalid'), closes: true })],
  ['exit', () => ({ ...reply('+OK bye'), closes: true })],
  ['api', runApi],
  ['bgapi', runInBackground],
  ['event', ({ subscription }, _services, { argument }) => reply(subscription.enable(wordsOf(argument)))],
  ['nixevent', ({ subscription }, _services, { argument }) => reply(subscription.disable(wordsOf(argument)))],
  ['noevents', ({ subscription }) => reply(subscription.clear())],
  ['filter', changeFilter],
  ['myevents', listenToChannel],
  ['log', startLog],
  ['nolog', stopLog],
  ['linger', () => reply('-ERR not controlling a session')],
  ['nolinger', () => reply('-ERR not controlling a session')],
  ['divert_events', () => reply('-ERR not controlling a session.')],
  ['sendmsg', sendMessage],
  ['sendevent', sendEvent],
])

function logIn(session: SocketSession, services: SocketServices, { argument }: { argument: string }): SocketReply {
  if (argument !== services.password) return { ...reply('-ERR invalid'), closes: true }
  session.authenticated = true
  return reply('+OK accepted')
}

async function runApi(
  _session: SocketSession,
  services: SocketServices,
  { argument }: { argument: string },
): Promise<SocketReply> {
  const answer = await services.runApi(argument)
  return { text: apiResponse(answer === '' ? '-ERR no reply\n' : answer) }
}

/** The answer comes later, as a BACKGROUND_JOB event, and is empty where `api` would say "no reply". */
function runInBackground(
  _session: SocketSession,
  services: SocketServices,
  { argument, command }: { argument: string; command: SocketCommand },
): SocketReply {
  const own = command.headers.find(([name]) => name.toLowerCase() === 'job-uuid')?.[1]
  const job = own === undefined || own === '' ? services.random.uuid() : own
  const [, name = '', rest = ''] = /^(\S*) ?(.*)$/s.exec(argument) ?? []
  void services.runApi(argument).then((body) =>
    services.events.fire({
      name: 'BACKGROUND_JOB',
      place: ['mod_event_socket.c', 'api_exec', 1569],
      headers: [['Job-UUID', job], ['Job-Command', name], ...(rest === '' ? [] : [['Job-Command-Arg', rest] as const])],
      body,
    }),
  )
  return { text: commandReply(`+OK Job-UUID: ${job}\nJob-UUID: ${job}`) }
}

function changeFilter(
  { subscription }: SocketSession,
  _services: SocketServices,
  { argument }: { argument: string },
): SocketReply {
  const [, header = '', value = ''] = /^ *(\S*) ?(.*)$/s.exec(argument) ?? []
  if (value === '') return reply('-ERR invalid syntax')
  if (header.toLowerCase() !== 'delete') {
    subscription.filter.add(header, value)
    return reply(`+OK filter added. [${header}]=[${value}]`)
  }
  const [, removed = '', only = ''] = /^(\S*) ?(.*)$/s.exec(value) ?? []
  subscription.filter.remove(removed, only)
  return reply(`+OK filter deleted. [${removed}][${only}]`)
}

function listenToChannel(
  { subscription }: SocketSession,
  services: SocketServices,
  { argument }: { argument: string },
): SocketReply {
  const [uuid = '', format] = wordsOf(argument)
  return reply(subscription.onlyChannel(services.hasChannel(uuid) ? uuid : undefined, format))
}

function startLog(session: SocketSession, _services: SocketServices, { argument }: { argument: string }): SocketReply {
  const level = logLevelOf(argument.trim())
  if (level === undefined) return reply('-ERR invalid log level')
  session.logLevel = level
  return reply(`+OK log level ${argument.trim()} [${level}]`)
}

function stopLog(session: SocketSession): SocketReply {
  if (session.logLevel === undefined) return reply('-ERR not loging')
  session.logLevel = undefined
  return reply('+OK no longer logging')
}

/** Only `call-command: hangup` has an effect here; the engine's other session commands are not simulated. */
function sendMessage(
  _session: SocketSession,
  services: SocketServices,
  { argument, command }: { argument: string; command: SocketCommand },
): SocketReply {
  const uuid = argument.trim()
  if (!services.hasChannel(uuid)) return reply(`-ERR invalid session id [${uuid}]`)
  const header = (wanted: string) => command.headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
  if (header('call-command') !== 'hangup') return reply('-ERR not simulated')
  services.hangUp(uuid, header('hangup-cause') ?? 'NORMAL_CLEARING')
  return reply('+OK')
}

function sendEvent(
  _session: SocketSession,
  services: SocketServices,
  { command }: { command: SocketCommand },
): SocketReply {
  const uuid = services.random.uuid()
  services.events.fire(sentEvent(command, uuid))
  return reply(`+OK ${uuid}`)
}

/** Any api line with these words becomes that command, wherever they stand (`session/reload-mod-event-socket`). */
function reloadsModule(line: string, name: string): boolean {
  return (name === 'api' || name === 'bgapi') && /reload|unload/.test(line) && line.includes('mod_event_socket')
}

function reload(services: SocketServices): SocketReply {
  services.reloadModule()
  return { text: apiResponse(`+OK Job-UUID: ${services.random.uuid()}\n`) }
}

function reply(text: string): SocketReply {
  return { text: commandReply(text) }
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
