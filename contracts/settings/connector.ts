import { engineSocketWords, readEngineSockets } from './engine-sockets.ts'
import { matching, oneOf, optional, readBy, wholeNumber } from './rule.ts'
import type { Variable } from './setting.ts'

// The settings of the connector. `npm start` takes those of another engine, and passes them on.

const stageName = () => matching(/^[a-z][a-z0-9-]{0,15}$/, 'up to 16 small letters, digits and hyphens, such as prod')

export const stage = {
  variable: 'STAGE',
  context: 'stage',
  readers: ['connector'],
  rule: () => optional(stageName()),
  fallback: '',
  meaning:
    'which file of `settings` a deployment takes, given with `-c stage=`; part of the names of stacks, alarms and metrics',
  deployment: { rule: () => stageName(), unset: 'none: required' },
} as const satisfies Variable

export const engineUrl = {
  variable: 'ENGINE_URL',
  readers: ['connector', 'laptop'],
  rule: () => readBy(readEngineSockets, engineSocketWords),
  unset: 'unset: simulated engine',
  meaning:
    'the event socket of another engine, `esl://:password@host:8021`; several, separated by commas, form one platform',
} as const satisfies Variable

const shareWords = 'a part of 1, 2, 4 or 8, such as 1/2'

function readShare(text: string): EngineShare {
  const [, part, of] = /^([1-8])\/([1248])$/.exec(text) ?? []
  if (part === undefined || Number(part) > Number(of)) throw new Error(`must be ${shareWords}`)
  return { part: Number(part), of: Number(of) }
}

/** Which part of the engines a connector relays: the first of two, for instance. */
export interface EngineShare {
  readonly part: number
  readonly of: number
}

export const engineShare = {
  variable: 'ENGINE_SHARE',
  readers: ['connector'],
  rule: () => readBy(readShare, shareWords),
  fallback: '1/1',
  meaning:
    'which of the engines of `ENGINE_URL` the connector relays the events of: `1/2` is every second one from the first; it reads all of them and sends commands to all',
} as const satisfies Variable

export const enginePassword = {
  variable: 'ENGINE_PASSWORD',
  readers: ['connector', 'laptop'],
  rule: () => optional(matching(/^[^\r\n\0]+$/, 'one line')),
  fallback: '',
  unset: 'none',
  meaning: 'the password of the addresses in `ENGINE_URL` that have none',
} as const satisfies Variable

export const engineMode = {
  variable: 'ENGINE_MODE',
  readers: ['connector', 'laptop'],
  rule: () => oneOf('control', 'observe'),
  fallback: 'control',
  meaning:
    '`observe` sends the engines of `ENGINE_URL` nothing but commands that read; what would change something at them is answered with 409',
} as const satisfies Variable

/** The tenants of an engine that is only observed, by the names of its contexts and domains. */
export type EngineTenants = ReadonlyMap<string, string>

const engineTenantsWords =
  'a list such as public=acme.example.com,pbx.local=acme.example.com that names each context and domain once, and gives the name of no tenant to another'

function readEngineTenants(text: string): EngineTenants {
  const pairs = text.split(',').map((pair) => /^([A-Za-z0-9._-]{1,253})=([A-Za-z0-9.-]{1,253})$/.exec(pair.trim()))
  const tenants = new Map(pairs.map((pair) => [pair?.[1]?.toLowerCase() ?? '', pair?.[2]?.toLowerCase() ?? '']))
  const isGivenAway = (tenant: string) => (tenants.get(tenant) ?? tenant) !== tenant
  if (tenants.has('') || tenants.size < pairs.length || [...tenants.values()].some(isGivenAway)) {
    throw new Error(`must be ${engineTenantsWords}`)
  }
  return tenants
}

export const engineTenants = {
  variable: 'ENGINE_TENANTS',
  readers: ['connector', 'laptop'],
  rule: () => optional(readBy(readEngineTenants, engineTenantsWords)),
  fallback: '',
  unset: 'none: a domain of the engine is the tenant of the same name',
  meaning:
    'with `ENGINE_MODE=observe`: the tenant of each context or domain of the engine, `context=tenant`, separated by commas',
} as const satisfies Variable

export const healthPort = {
  variable: 'HEALTH_PORT',
  readers: ['connector'],
  rule: () => wholeNumber(0, 65_535),
  meaning: "the port of the connector's private health endpoint; 0 takes a free one",
} as const satisfies Variable

export const stopSeconds = {
  variable: 'STOP_SECONDS',
  context: 'connectorStopSeconds',
  readers: ['connector'],
  rule: () => wholeNumber(30, 120),
  fallback: '120',
  meaning:
    'how long a connector that is asked to stop may take to hand over what waits in it before it is killed: 30 to 120 seconds, the most that Fargate allows',
} as const satisfies Variable

export const spoolDir = {
  variable: 'SPOOL_DIR',
  readers: ['connector'],
  rule: () => optional(matching(/./, 'a path')),
  fallback: '',
  unset: 'unset: in memory only',
  meaning: 'the folder in which events wait while their queue is away',
} as const satisfies Variable

/** A smaller spool could not hold a few of the largest events. */
const leastSpoolBytes = 4 * 1024 ** 2

/** Five minutes of a busy engine (500 events of 7 KB a second). */
const usualSpoolBytes = 1024 ** 3

export const spoolBytes = {
  variable: 'SPOOL_BYTES',
  readers: ['connector'],
  rule: () => wholeNumber(leastSpoolBytes, 999_999_999_999_999),
  fallback: String(usualSpoolBytes),
  meaning: 'the most bytes that they may take there',
} as const satisfies Variable
