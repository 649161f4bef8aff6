import { isJsonObject } from '../default-routes/json.ts'
import { readAssignments } from './assignments.ts'
import { bridgeActions } from './bridge-actions.ts'
import { type EngineAction, type StepContext, StepProblem } from './engine-action.ts'
import { menuActions } from './menu-actions.ts'
import {
  accountName,
  accountPattern,
  application,
  hangUp,
  hangUpCause,
  membersOf,
  nameAtEngine,
  set,
  soundOf,
  toneOf,
  wholeNumber,
} from './step-values.ts'

type StepCompiler = (argument: unknown, context: StepContext) => EngineAction[]

/** The kinds that become applications. `if`, `switch`, `blackList` and tags are decided by run-callflow.ts. */
const compilers: Readonly<Record<string, StepCompiler>> = {
  answer: answerActions,
  hangup: (argument) => hangUp(hangUpCause(isJsonObject(argument) ? argument['cause'] : argument)),
  sleep: (argument) => [application('sleep', String(wholeNumber(argument, 1, 3_600_000)))],
  echo: (argument) => {
    if (argument !== '') throw new StepProblem('must be empty')
    return [application('echo')]
  },
  playback: playbackActions,
  ringback: (argument) => {
    const tone = toneOf(isJsonObject(argument) ? argument['tone'] : argument)
    return [set('ringback', tone), set('transfer_ringback', tone)]
  },
  bridge: bridgeActions,
  menu: menuActions,
  queue: queueActions,
  park: parkActions,
  conference: conferenceActions,
  voicemail: voicemailActions,
  recordSession: recordSessionActions,
  schedule: scheduleActions,
  goto: (argument, { domain, fill }) => [application('transfer', `${numberOf(argument, fill)} XML ${domain}`)],
  setVar: setActions,
  exportVars: (argument) =>
    readAssignments(argument).map(({ name, value }) => {
      if (value === '') throw new StepProblem(`must give ${name} a value: name=value`)
      return application('export', `${name}=${value}`)
    }),
  unSet: (argument) =>
    namesOf(argument)
      .flatMap(readAssignments)
      .map(({ name }) => application('unset', name)),
  setArray: (argument) => readAssignments(argument).map(({ name, value }) => application('push', `${name}=${value}`)),
  setProfileVar: (argument) =>
    readAssignments(argument).map(({ name, value }) => application('set_profile_var', `${name}=${value}`)),
}

const compiledKinds: readonly string[] = Object.keys(compilers)

/** Returns the applications that a step runs at the engine. Throws {@link StepProblem} for a step that has none. */
export function stepActions(kind: string, argument: unknown, context: StepContext): EngineAction[] {
  const compile = Object.hasOwn(compilers, kind) ? compilers[kind] : undefined
  if (compile === undefined) {
    throw new StepProblem(
      `the engine has no such step: use ${[...compiledKinds, 'if', 'switch', 'blackList'].join(', ')}`,
    )
  }
  return compile(argument, context)
}

function answerActions(argument: unknown): EngineAction[] {
  if (typeof argument === 'string') {
    if (/^(?:200(?: ok)?)?$/i.test(argument)) return [application('answer')]
    if (/^183(?: session progress)?$/i.test(argument)) return [application('pre_answer')]
    if (/^180(?: ringing)?$/i.test(argument)) return [application('ring_ready')]
  }
  throw new StepProblem('must be empty, or 200, 183 or 180')
}

function playbackActions(argument: unknown, context: StepContext): EngineAction[] {
  if (typeof argument === 'string') return [application('playback', soundOf(argument, context))]
  const { name, files, tone, loops } = membersOf(argument, ['name', 'type', 'files', 'tone', 'loops'])
  if (Array.isArray(files)) return files.flatMap((file: unknown) => playbackActions(nameIn(file), context))
  if (tone === undefined) return playbackActions(nameIn({ name }), context)
  const times = loops === undefined ? 1 : wholeNumber(loops, 1, 1_000, '.loops')
  return [application('playback', `tone_stream://${toneOf(tone, '.tone')};loops=${times}`)]
}

function nameIn(file: unknown): string {
  const { name } = typeof file === 'string' ? { name: file } : membersOf(file, ['name', 'type'])
  if (typeof name !== 'string') throw new StepProblem('must name a sound')
  return name
}

function queueActions(argument: unknown, { domain, fill }: StepContext): EngineAction[] {
  const { name, action = 'in' } =
    typeof argument === 'string' ? { name: argument } : membersOf(argument, ['name', 'action'])
  if (typeof name !== 'string') throw new StepProblem('must name a queue', '.name')
  if (action !== 'in' && action !== 'out') throw new StepProblem('must be in (wait) or out (take a call)', '.action')
  const queue = nameAtEngine(domain, fill(name), '.name')
  return [application('fifo', action === 'in' ? `${queue} in` : `${queue} out wait`)]
}

function parkActions(argument: unknown, { domain, fill }: StepContext): EngineAction[] {
  if (argument === '') return [musicWhileParked, application('park')]
  const { slot, lot = 'main' } =
    typeof argument === 'string' ? { slot: argument } : membersOf(argument, ['slot', 'lot'])
  const digits = fill(String(slot))
  if (!/^\d{1,10}$/.test(digits)) throw new StepProblem('must be a slot of 1-10 digits, or empty')
  if (typeof lot !== 'string') throw new StepProblem('must be a name', '.lot')
  return [application('valet_park', `${nameAtEngine(domain, fill(lot), '.lot')} ${digits}`)]
}

/** The engine replaces `${hold_music}`, and a valet parking lot plays it by itself. */
const musicWhileParked = application('sched_broadcast', '+0 endless_playback::${hold_music} aleg')

function conferenceActions(argument: unknown, { domain, fill }: StepContext): EngineAction[] {
  const { name, pin } = typeof argument === 'string' ? { name: argument } : membersOf(argument, ['name', 'pin'])
  if (typeof name !== 'string') throw new StepProblem('must name a conference', '.name')
  const digits = typeof pin === 'number' ? String(pin) : (pin ?? '')
  if (typeof digits !== 'string' || !/^\d{0,16}$/.test(digits)) throw new StepProblem('must be up to 16 digits', '.pin')
  const room = `${nameAtEngine(domain, fill(name), '.name')}@default`
  return [application('conference', digits === '' ? room : `${room}+${digits}`)]
}

function voicemailActions(argument: unknown, { domain, fill }: StepContext): EngineAction[] {
  const members: Readonly<Record<string, unknown>> =
    typeof argument === 'string' ? { user: argument } : membersOf(argument, ['user', 'check'])
  const { user, check = false } = members
  if (typeof user !== 'string') throw new StepProblem('must name an account', '.user')
  if (typeof check !== 'boolean') throw new StepProblem('must be true or false', '.check')
  return [application('voicemail', `${check ? 'check ' : ''}default ${domain} ${accountName(fill(user), '.user')}`)]
}

/** `${recording_file}` is set for every call: run-callflow.ts and the engine kit name recordings after their calls. */
function recordSessionActions(argument: unknown): EngineAction[] {
  const { action } = typeof argument === 'string' ? { action: argument } : membersOf(argument, ['action'])
  if (action === '' || action === 'start') return [application('record_session', '${recording_file}')]
  if (action === 'stop') return [application('stop_record_session', '${recording_file}')]
  throw new StepProblem('must be start or stop')
}

function scheduleActions(argument: unknown, { domain, fill }: StepContext): EngineAction[] {
  const { action, data = '', seconds } = membersOf(argument, ['action', 'data', 'seconds'])
  const after = `+${wholeNumber(seconds, 1, 86_400, '.seconds')}`
  if (action === 'hangup') {
    if (data !== '') throw new StepProblem('must be empty for a hang-up', '.data')
    return [application('sched_hangup', `${after} ALLOTTED_TIMEOUT`)]
  }
  if (action !== 'goto') throw new StepProblem('must be goto or hangup', '.action')
  return [application('sched_transfer', `${after} ${numberOf(data, fill, '.data')} XML ${domain}`)]
}

function setActions(argument: unknown): EngineAction[] {
  return readAssignments(argument).map(({ legs, name, value }) => {
    if (legs !== 'own' && value === '') throw new StepProblem(`must give ${name} a value: all:name=value`)
    if (legs === 'all') return application('export', `${name}=${value}`)
    if (legs === 'called') return application('export', `nolocal:${name}=${value}`)
    return value === '' ? application('unset', name) : set(name, value)
  })
}

function namesOf(argument: unknown): unknown[] {
  return Array.isArray(argument) ? argument : isJsonObject(argument) ? Object.keys(argument) : [argument]
}

function numberOf(argument: unknown, fill: StepContext['fill'], at = ''): string {
  const number = typeof argument === 'string' ? fill(argument.replace(/^default:/, '')) : ''
  if (accountPattern.test(number)) return number
  throw new StepProblem('must be a number of the domain', at)
}
