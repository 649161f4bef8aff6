import type { Node } from 'constructs'
import { readClientVariables } from '../contracts/client-variables.ts'
import { isEngineName } from '../contracts/engine-names.ts'
import { usualRateLimits } from '../contracts/environment.ts'
import { concurrencyNames, limitNames } from '../contracts/routes/route.ts'
import {
  type SettingRule,
  anyNetwork,
  both,
  listOf,
  matching,
  network,
  oneOf,
  optional,
  partsOf,
  wholeNumber,
} from './setting-rules.ts'

/** What an engineer decides about a deployment. Each is a context value of the same name (`-c name=value`, cdk.json). */
export interface Settings {
  /** The engines' event sockets, as the connector's network sees them: one at least, no two the same. */
  readonly engines: readonly EngineSocket[]
  /** Network in CIDR form that the engines are in: the only one that the connector may open their ports to. */
  readonly engineNetwork: string
  /** Network in CIDR form for the connector; must not overlap the engine's, so that the two can be peered. */
  readonly connectorNetwork: string
  /** The folder that the engines record to, as they call it; empty: their recordings are not stored. */
  readonly recordingsFolder: string
  /** Public base address of the service; empty: the API's own address. */
  readonly publicUrl: string
  /** Origins whose pages may call the API from a browser; none by default. */
  readonly allowedOrigins: readonly string[]
  /** Who is mailed when an alarm goes off; empty: nobody, only the topic is told. */
  readonly alarmEmail: string
  /** `trace`, `debug`, `info`, `warn` or `error`. */
  readonly logLevel: string
  /** Name of the root user; empty: the functions' default. */
  readonly rootName: string
  /** Life of a login's token in seconds; empty: the functions' default. */
  readonly tokenSeconds: string
  /** Least length of a password; empty: the functions' default. */
  readonly passwordMinLength: string
  /** Seconds between the deletion of a domain and the removal of what it leaves; empty: the functions' default. */
  readonly deletionGraceSeconds: string
  /** `on` lets callflows hold `js` and `script` steps; empty: the functions' default, which is off. */
  readonly scriptSteps: string
  /** Names of variables that clients may set besides the closed lists, as JSON of names and patterns; empty: none. */
  readonly clientVariables: string
  /** The rates that requests are held to, in the form of contracts/environment.ts; `off`: none. */
  readonly rateLimits: string
  /** Networks in CIDR form, comma-separated, that hooks may reach besides public addresses. */
  readonly hookAllowedNetworks: string
  /** The size of the store of CDRs. */
  readonly search: SearchSize
}

/** The size of the store of CDRs. */
export interface SearchSize {
  /** Kind of its nodes. */
  readonly instanceType: string
  /** One, or an even number up to 80, spread over two zones. */
  readonly instances: number
  /** GiB of disk of each node. */
  readonly volumeGb: number
}

/** Where an engine's event socket is. */
export interface EngineSocket {
  /** Host name or IPv4 address. */
  readonly host: string
  readonly port: number
}

const engineHost = matching(
  /^[A-Za-z0-9.-]{1,253}(?::[1-9]\d{0,4})?$/,
  'a host name or an IPv4 address, with :port where it is not enginePort',
)

const engineHosts: SettingRule = {
  words: `${listOf(engineHost).words}, one at least and 32 at most`,
  accepts: (value) => value !== '' && listOf(engineHost).accepts(value) && partsOf(value).length <= 32,
}

const rate = matching(
  new RegExp(
    `^(?:(?:${limitNames.join('|')})=[1-9]\\d{0,6}/[smh](?::[1-9]\\d{0,6})?|(?:${concurrencyNames.join('|')})=[1-9]\\d{0,6})$`,
  ),
  'a rate such as token=50/s:100',
)
const rates: SettingRule = {
  words: `"off", or ${listOf(rate).words}`,
  accepts: (value) => value === 'off' || (value !== '' && listOf(rate).accepts(value)),
}

const origin = matching(/^https?:\/\/[^\s,/*]+$/, 'an origin such as https://console.example.com')

/** The reader of the setting says what is wrong with it. */
const anything: SettingRule = { words: 'text', accepts: () => true }

const searchNodes = both(wholeNumber(1, 80), matching(/^(?:1|\d*[02468])$/, 'and even unless it is 1'))

/**
 * The engines are told by two context values: their hosts, and the port of those that name none. The size of the store
 * of CDRs is told by three.
 */
type ContextName =
  | Exclude<keyof Settings, 'engines' | 'search'>
  | 'engineHost'
  | 'enginePort'
  | 'searchInstanceType'
  | 'searchInstances'
  | 'searchVolumeGb'

/** What each setting is when nobody says anything, and what it must be. An empty text leaves the default to others. */
const rules: { readonly [Name in ContextName]: { readonly fallback: string; readonly rule: SettingRule } } = {
  engineHost: { fallback: 'engine.callplane.internal', rule: engineHosts },
  enginePort: { fallback: '8021', rule: wholeNumber(1, 65_535) },
  engineNetwork: { fallback: '10.0.0.0/16', rule: network },
  connectorNetwork: { fallback: '10.90.0.0/24', rule: network },
  recordingsFolder: {
    fallback: '',
    rule: optional(
      matching(
        /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)+$/,
        'an absolute path such as /var/lib/freeswitch/recordings',
      ),
    ),
  },
  publicUrl: {
    fallback: '',
    rule: optional(matching(/^https:\/\/[^\s/]+$/, 'an address such as https://api.example.com')),
  },
  allowedOrigins: { fallback: '', rule: listOf(origin) },
  alarmEmail: { fallback: '', rule: optional(matching(/^[^\s@]+@[^\s@]+$/, 'an email address')) },
  logLevel: { fallback: 'info', rule: oneOf('trace', 'debug', 'info', 'warn', 'error') },
  rootName: { fallback: '', rule: optional(matching(/^[A-Za-z0-9._-]{1,64}$/, 'up to 64 letters, digits, ., _ or -')) },
  tokenSeconds: { fallback: '', rule: optional(wholeNumber(300, 8_640_000)) },
  passwordMinLength: { fallback: '', rule: optional(wholeNumber(1, 128)) },
  deletionGraceSeconds: { fallback: '', rule: optional(wholeNumber(60, 900)) },
  scriptSteps: { fallback: '', rule: optional(oneOf('on', 'off')) },
  clientVariables: { fallback: '', rule: anything },
  rateLimits: { fallback: usualRateLimits, rule: rates },
  hookAllowedNetworks: { fallback: '', rule: listOf(anyNetwork) },
  searchInstanceType: {
    fallback: 't3.small.search',
    rule: matching(/^[a-z][a-z0-9-]{1,15}\.[a-z0-9]{1,15}\.search$/, 'an instance type such as t3.small.search'),
  },
  searchInstances: { fallback: '2', rule: searchNodes },
  searchVolumeGb: { fallback: '20', rule: wholeNumber(10, 3000) },
}

/** Reads the settings from the context. Throws a plain sentence that names the first value that cannot be used. */
export function readSettings(node: Node): Settings {
  const read = (name: ContextName): string => {
    const { fallback, rule } = rules[name]
    const given: unknown = node.tryGetContext(name)
    const value = given === undefined ? fallback : typeof given === 'number' ? String(given) : given
    if (typeof value === 'string' && rule.accepts(value)) return value
    throw new Error(`context value ${name} must be ${rule.words}, got ${JSON.stringify(value)}`)
  }
  return {
    engines: engineSockets(read('engineHost'), Number(read('enginePort'))),
    engineNetwork: read('engineNetwork'),
    connectorNetwork: read('connectorNetwork'),
    recordingsFolder: read('recordingsFolder'),
    publicUrl: read('publicUrl'),
    allowedOrigins: partsOf(read('allowedOrigins')),
    alarmEmail: read('alarmEmail'),
    logLevel: read('logLevel'),
    rootName: read('rootName'),
    tokenSeconds: read('tokenSeconds'),
    passwordMinLength: read('passwordMinLength'),
    deletionGraceSeconds: read('deletionGraceSeconds'),
    scriptSteps: read('scriptSteps'),
    clientVariables: clientVariables(node, read),
    rateLimits: read('rateLimits'),
    hookAllowedNetworks: read('hookAllowedNetworks'),
    search: {
      instanceType: read('searchInstanceType'),
      instances: Number(read('searchInstances')),
      volumeGb: Number(read('searchVolumeGb')),
    },
  }
}

/** cdk.json may hold the object itself instead of its text. */
function clientVariables(node: Node, read: (name: 'clientVariables') => string): string {
  const given: unknown = node.tryGetContext('clientVariables')
  const text = typeof given === 'object' && given !== null ? JSON.stringify(given) : read('clientVariables')
  try {
    readClientVariables(text, isEngineName)
    return text
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'cannot be read'
    throw new Error(`context value clientVariables ${problem}`, { cause })
  }
}

function engineSockets(hosts: string, usualPort: number): EngineSocket[] {
  const engines = partsOf(hosts).map((text) => {
    const [host = '', port] = text.toLowerCase().split(':')
    return { host, port: port === undefined ? usualPort : Number(port) }
  })
  const names = new Set(engines.map(({ host, port }) => `${host}:${port}`))
  if (names.size < engines.length || engines.some(({ port }) => port > 65_535)) {
    throw new Error(
      `context value engineHost must be different engines, with ports up to 65535, got ${JSON.stringify(hosts)}`,
    )
  }
  return engines
}
