import { lowerAscii } from '../access/resolve-domain.ts'
import { assignmentProblem } from '../client-names/client-names.ts'
import { isJsonObject } from './json.ts'

/** The rules for the form of an argument. */
export interface GrammarRules {
  /** The domain of the route, in lower case: a step names nothing outside of it. */
  readonly domain: string
  /** Called with the position of each forbidden text or member; may throw. */
  readonly refuse: (at: string, problem: string) => void
}

type Form = (value: unknown, at: string, rules: GrammarRules) => void

/**
 * The values of the call that a name may hold: the engine's captures of the dialled number, and the numbers of both
 * sides. The code that serves a route fills them in itself, and only with values of letters, digits and `+ * # . _ -`:
 * a caller chooses them.
 */
const numbers = String.raw`(?:\$[0-9]|\$\{(?:destination_number|caller_id_number)(?::-?\d{1,4}){0,2}\}|[0-9*#+]){1,64}`
const login = String.raw`[A-Za-z0-9._+-]{1,64}`
const gateway = '[a-z][a-z0-9_-]{0,63}'

function text(pattern: string, words: string): Form {
  const whole = new RegExp(`^(?:${pattern})$`, 'u')
  return (value, at, { refuse }) => {
    if (typeof value !== 'string' || !(value === '' || whole.test(value))) refuse(at, `must be ${words}`)
  }
}

function oneOf(...words: readonly string[]): Form {
  return text(words.join('|'), words.join(', '))
}

function listOf(form: Form, most: number): Form {
  return (value, at, rules) => {
    if (!Array.isArray(value) || value.length > most) return rules.refuse(at, `must be a list of up to ${most}`)
    value.forEach((item, index) => form(item, `${at}[${index}]`, rules))
  }
}

/** Accepts an object of these members and no others, because the engine may give others a meaning. */
function object(members: Readonly<Record<string, Form>>): Form {
  const names = Object.keys(members).join(', ')
  return (value, at, rules) => {
    if (!isJsonObject(value)) return rules.refuse(at, `must be an object of ${names}`)
    for (const [name, member] of Object.entries(value)) {
      const form = Object.hasOwn(members, name) ? members[name] : undefined
      if (form === undefined) rules.refuse(at, `unknown member ${JSON.stringify(name.slice(0, 64))}: has ${names}`)
      else form(member, `${at}.${name}`, rules)
    }
  }
}

function textOr(form: Form, other: Form): Form {
  return (value, at, rules) => (typeof value === 'string' ? form : other)(value, at, rules)
}

/** Judged by the closed lists of names instead (set-names.ts). */
const setNames: Form = () => {}

const accountWords = 'must be the login or number of an account of the domain'

/** An account of the route's domain: its login or a number, with `@<domain>` or without. */
const account: Form = (value, at, { domain, refuse }) => {
  const [, name, given = domain] = /^([^@]*)(?:@([^@]*))?$/.exec(typeof value === 'string' ? value : '@@') ?? []
  const isLogin = name !== undefined && new RegExp(`^(?:${login}|[0-9*#+]{1,64})$`).test(name)
  if (value !== '' && !(isLogin && lowerAscii(given) === domain)) {
    refuse(at, `${accountWords}, without lookups`)
  }
}

const accountOrGroups: Form = (value, at, rules) => {
  const rest = typeof value === 'string' ? value.replaceAll(/\$[0-9](?![0-9A-Za-z])/g, '1') : value
  account(rest, at, { ...rules, refuse: () => rules.refuse(at, `${accountWords}, which may hold $0 to $9`) })
}

/** Dial strings and channels of the engine are no endpoints: `loopback/` and `sofia/` reach every domain. */
const endpoint: Form = (value, at, rules) => {
  const type = isJsonObject(value) ? value['type'] : undefined
  if (type === 'user') return userEndpoint(value, at, rules)
  if (type === 'gateway' || type === 'sipGateway') return gatewayEndpoint(value, at, rules)
  rules.refuse(at, 'must be an object with a type: user, gateway or sipGateway')
}

const endpointSettings = { parameters: setNames, variables: setNames }
const userEndpoint = object({ type: oneOf('user'), name: accountOrGroups, ...endpointSettings })
const gatewayEndpoint = object({
  type: oneOf('gateway', 'sipGateway'),
  name: text(gateway, 'the name of a gateway of the domain'),
  dialString: text(`${numbers}(?:@${gateway})?`, 'a number or ${destination_number}, with @<gateway> or without'),
  ...endpointSettings,
})

const empty = text('', 'empty')

/**
 * Names of the client's own with their values. Neither may be looked up: the engine splits headers at commas, so that a
 * value could bring a header of its own.
 */
const ownSettings: Form = (value, at, { refuse }) => {
  if (!isJsonObject(value)) return refuse(at, 'must be an object of names to texts')
  for (const [name, member] of Object.entries(value)) {
    const problem = assignmentProblem('callVariables', name, String(member), { added: new Map() })
    if (typeof member !== 'string') refuse(`${at}.${name.slice(0, 64)}`, 'must be text')
    else if (problem !== undefined) refuse(at, problem)
  }
}

/** Up to a day. */
const seconds: Form = (value, at, { refuse }) => {
  if (!Number.isInteger(value) || Number(value) < 0 || Number(value) > 86_400) refuse(at, 'must be 0-86400 seconds')
}

const target = text(
  `(?:default:)?${numbers}|local:tag:[\\p{L}\\p{N} ._-]{1,120}`,
  'a number that the default routes of the domain are asked for, or "local:tag:<tag>" for a step of this route',
)

const anyText: Form = (value, at, { refuse }) => {
  if (typeof value !== 'string') refuse(at, 'must be text')
}

const forms: Readonly<Record<string, Form>> = {
  setUser: account,
  goto: target,
  bridge: textOr(
    empty,
    object({
      strategy: oneOf('failover', 'multiple'),
      endpoints: listOf(endpoint, 20),
      codecs: listOf(text('[A-Za-z0-9@.]{1,32}', 'a codec'), 20),
      parameters: setNames,
      variables: setNames,
      global: setNames,
    }),
  ),
  // Its actions are a callflow, which is parsed by itself.
  originate: textOr(empty, object({ endpoint, parameters: setNames, variables: setNames, global: setNames })),
  sendEvent: textOr(
    empty,
    // Events of the service and of the engine have other classes, and the domain of the call is no header of its own.
    object({
      subclass: text('custom::[A-Za-z0-9_.-]{1,64}', '"custom::" and a name of letters, digits and . _ -'),
      headers: ownSettings,
    }),
  ),
  log: textOr(anyText, object({ level: oneOf('debug', 'info', 'notice', 'warning', 'error'), text: anyText })),
  // A leg is never named by its uuid: the engine would let the listener into calls of every domain.
  eavesdrop: textOr(account, object({ user: account, mode: oneOf('listen', 'whisper_a', 'whisper_b', 'barge') })),
  schedule: textOr(empty, object({ action: oneOf('goto', 'hangup'), data: target, seconds })),
  sipRedirect: textOr(
    text('', 'a list of SIP addresses'),
    listOf(text('sips?:[A-Za-z0-9._+*#-]{1,64}@[A-Za-z0-9.-]{1,253}(?::\\d{1,5})?', 'a SIP address'), 10),
  ),
}

const namingKinds: ReadonlySet<string> = new Set([
  'menu',
  'playback',
  'ringback',
  'setSounds',
  'recordSession',
  'recordFile',
  'park',
  'pickup',
  'conference',
  'voicemail',
  'receiveFax',
  'exists',
  'queue',
  'callback',
  'member',
  'agent',
  'findUser',
  'userData',
  'answer',
  'hangup',
  'sleep',
  'echo',
  'amd',
  'inBandDTMF',
  'flushDTMF',
])

const lookUpOfNumber = /\$[0-9](?![0-9A-Za-z])|\$\{(?:destination_number|caller_id_number)(?::-?\d{1,4}){0,2}\}/g

/**
 * A name that means nothing beyond itself: no path out of the domain's folder, no address, no dial string, no program,
 * no other domain.
 */
const plainName: Form = (value, at, { domain, refuse }) => {
  if (typeof value !== 'string') return
  const rest = value.replaceAll(lookUpOfNumber, '1')
  const [, name = '', given = domain] = /^([^@]*)(?:@([^@]*))?$/.exec(rest) ?? []
  const isPlain = /^[\p{L}\p{M}\p{N} ._+*#(),%-]+(?:\/[\p{L}\p{M}\p{N} ._+*#(),%-]+)*$/u.test(name)
  const isInside = !name.split('/').some((part) => /^\.+$/.test(part.trim())) && lowerAscii(given) === domain
  const isEndpoint = /^(?:loopback|sofia|user|group|error|verto|sofia_contact|pickup|null|portaudio)\//i.test(name)
  if (rest !== '' && !(isPlain && isInside && !isEndpoint)) {
    refuse(at, 'must be a plain name, with "/" only between parts and "@" only before the own domain')
  }
}

function everyText(value: unknown, at: string, rules: GrammarRules): void {
  if (Array.isArray(value)) value.forEach((item, index) => everyText(item, `${at}[${index}]`, rules))
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      // Variables have closed lists of their own.
      if (!/^(?:variables|setVar|export(?:Vars?|Variables))$/.test(name)) {
        everyText(member, `${at}.${name.slice(0, 64)}`, rules)
      }
    }
  } else plainName(value, at, rules)
}

/**
 * Checks that the argument of a step has a form that reaches nothing outside the route's domain: no account, event,
 * gateway or room of another tenant, no command and no file of the engine. An empty text is allowed everywhere.
 */
export function checkGrammar(kind: string, argument: unknown, at: string, rules: GrammarRules): void {
  if (Object.hasOwn(forms, kind)) forms[kind]?.(argument, at, rules)
  else if (namingKinds.has(kind)) everyText(argument, at, rules)
}
