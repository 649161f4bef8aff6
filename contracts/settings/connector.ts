import { engineSocketWords, readEngineSockets } from './engine-sockets.ts'
import { type Variable, matching, oneOf, optional, readBy } from './setting.ts'

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
