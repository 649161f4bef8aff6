import * as z from 'zod/mini'
import {
  type ContextValue,
  type Rule,
  type Variable,
  ipv4Network,
  listOf,
  matching,
  onOrOff,
  oneOf,
  optional,
  readBy,
  wholeNumber,
} from './setting.ts'
import { searchNode } from './search-nodes.ts'

// The settings of a deployment, from the file of its stage (`settings/<stage>.json`).

const engineHostRule = listOf(
  matching(
    /^[A-Za-z0-9.-]{1,253}(?::[1-9]\d{0,4})?$/,
    'a host name or an IPv4 address, with :port where it is not 8021',
  ),
)

/** A list of one at least and 32 at most: each engine costs the connector two links. */
const engineHosts: Rule<string[]> = {
  words: `${engineHostRule.words}, one at least and 32 at most`,
  schema: z.pipe(engineHostRule.schema, z.array(z.string()).check(z.minLength(1), z.maxLength(32))),
}

const nodeCount: Rule<number> = {
  words: '1 or an even number up to 80',
  schema: z.pipe(z.string().check(z.regex(/^(?:1|[2468]|[1-7][02468]|80)$/)), z.transform(Number)),
}

const nodeTypeWords = 'an instance type that takes gp3 disks, such as t3.small.search or r7g.large.search'

const nodeType: Rule<string> = readBy((type) => {
  if (searchNode(type) === undefined) throw new Error(`must be ${nodeTypeWords}`)
  return type
}, nodeTypeWords)

const cpuUnits: Rule<number> = {
  words: '256, 512, 1024, 2048 or 4096',
  schema: z.pipe(z.string().check(z.regex(/^(?:256|512|1024|2048|4096)$/)), z.transform(Number)),
}

export const engineHost = {
  context: 'engineHost',
  rule: () => engineHosts,
  unset: 'none: required',
  meaning:
    "the engine's event socket, as the connector's network sees it; several are separated by commas, each with `:port` if that is not 8021",
} as const satisfies ContextValue

export const engineNetwork = {
  context: 'engineNetwork',
  rule: () => ipv4Network(),
  fallback: '10.0.0.0/16',
  meaning: "the only network in which the connector may open the engines' ports",
} as const satisfies ContextValue

export const connectorNetwork = {
  context: 'connectorNetwork',
  rule: () => ipv4Network(),
  fallback: '10.90.0.0/24',
  meaning: "the connector's own network; must not overlap the engine's",
} as const satisfies ContextValue

export const zones = {
  context: 'zones',
  rule: () => wholeNumber(1, 2),
  fallback: '2',
  meaning:
    "the number of availability zones of the connector's network: 1 or 2. Remove the stack `CallplaneConnector` before a change",
} as const satisfies ContextValue

export const connectorEgress = {
  context: 'connectorEgress',
  rule: () => oneOf('endpoints', 'publicAddress'),
  fallback: 'endpoints',
  meaning:
    'how connectors reach the services of AWS: `publicAddress`, as in the committed files of stages: each has an address that nothing may connect to, and connections out are encrypted; `endpoints`, private ones, in a network without any route to the internet, which cost ten times as much. Remove the stack `CallplaneConnector` before a change',
} as const satisfies ContextValue

export const connectorTasks = {
  context: 'connectorTasks',
  rule: () => wholeNumber(1, 4),
  fallback: '2',
  meaning:
    'the number of connectors: 1 to 4. One does all the work; a second keeps events and commands flowing when it ends',
} as const satisfies ContextValue

export const connectorCpu = {
  context: 'connectorCpu',
  rule: () => cpuUnits,
  fallback: '512',
  meaning:
    'the processor of a connector in units of Fargate, 1024 for each: 256 to 4096; it has two MiB of memory for each unit',
} as const satisfies ContextValue

export const connectorImage = {
  context: 'connectorImage',
  rule: () =>
    optional(
      matching(
        /^\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com\/[a-z0-9]+(?:[._/-][a-z0-9]+)*(?::[\w.-]{1,128}|@sha256:[0-9a-f]{64})$/,
        'an image of ECR with its tag or digest, such as 123456789012.dkr.ecr.eu-central-1.amazonaws.com/connector:1.2.3',
      ),
    ),
  fallback: '',
  unset: 'none: built by the deployment',
  meaning:
    "the connector's image, built before from `.build/bundles/connector`; the network of the connector reaches ECR of its own region only",
} as const satisfies ContextValue

export const connectorBaseDigest = {
  context: 'connectorBaseDigest',
  rule: () => optional(matching(/^sha256:[0-9a-f]{64}$/, 'a digest: sha256: and 64 hexadecimal digits')),
  fallback: '',
  unset: 'none: as the tag is at the time',
  meaning: 'the digest of the image that the image of the connector is built on',
} as const satisfies ContextValue

export const requestsPerSecond = {
  context: 'requestsPerSecond',
  rule: () => wholeNumber(1, 10_000),
  fallback: '1000',
  meaning:
    'the requests a second that the API takes, half of them at one moment, which API Gateway applies as the default of its routes; more are answered with 429. Each route of `/engine/*` takes as many of its own, so that no other request takes what phones need',
} as const satisfies ContextValue

export const engineConcurrency = {
  context: 'engineConcurrency',
  rule: () => wholeNumber(0, 1000),
  fallback: '0',
  meaning:
    'how many requests of engines each function of `/engine/*` can always run at once, and at most, whatever tenants do; `0`: they share the concurrency of the account',
} as const satisfies ContextValue

export const tracing = {
  context: 'tracing',
  rule: () => onOrOff(),
  fallback: 'off',
  meaning:
    '`on` lets X-Ray record calls of functions, the first of each second and one in twenty of the others, at 5 dollars for a million ([what can be followed](design/tracing.md))',
} as const satisfies ContextValue

/** Whole days for which CloudWatch can keep logs. */
const logRetentions: Rule<number> = readBy((text) => {
  const days = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653]
  const found = days.find((each) => String(each) === text)
  if (found === undefined) throw new Error(`must be one of ${days.join(', ')}`)
  return found
}, 'a number of days for which CloudWatch keeps logs, such as 30, 90, 180, 365 or 400')

export const logDays = {
  context: 'logDays',
  rule: () => logRetentions,
  fallback: '30',
  meaning: 'for how many days logs are kept: 30, 90, 180, 365, 400 or another number that CloudWatch takes',
} as const satisfies ContextValue

export const terminationProtection = {
  context: 'terminationProtection',
  rule: () => onOrOff(),
  fallback: 'off',
  meaning:
    '`on` protects the stacks that hold data from deletion. Set it once the first deployment has succeeded: a protected stack whose creation failed cannot be created again',
} as const satisfies ContextValue

export const allowedOrigins = {
  variable: 'ALLOWED_ORIGINS',
  context: 'allowedOrigins',
  readers: ['laptop'],
  rule: () => listOf(matching(/^https?:\/\/[^\s,/*]+$/, 'an origin such as https://console.example.com')),
  fallback: '',
  unset: 'none',
  meaning: 'origins whose pages may call the API, comma-separated',
} as const satisfies Variable

export const alarmEmail = {
  context: 'alarmEmail',
  rule: () => optional(matching(/^[^\s@]+@[^\s@]+$/, 'an email address')),
  fallback: '',
  unset: 'none',
  meaning: 'the mail address that receives alarms; subscribe pagers to the topic `CallplaneStateful/OnCall`',
} as const satisfies ContextValue

export const monitoring = {
  context: 'monitoring',
  rule: () => oneOf('full', 'deployments'),
  fallback: 'full',
  meaning:
    '`full`: all alarms, the dashboard and the count of failed deliveries by domain; `deployments`: only the alarm that takes back a deployment of the connector, for a stage that no person is on call for',
} as const satisfies ContextValue

export const searchInstanceType = {
  context: 'searchInstanceType',
  rule: () => nodeType,
  fallback: 't3.small.search',
  meaning: 'the instance type of the nodes that store CDRs',
} as const satisfies ContextValue

export const searchInstances = {
  context: 'searchInstances',
  rule: () => nodeCount,
  fallback: '2',
  meaning: 'the number of those nodes: 1, or an even number up to 80; from 4 on, three dedicated managers are added',
} as const satisfies ContextValue

export const searchVolumeGb = {
  context: 'searchVolumeGb',
  rule: () => wholeNumber(10, 3000),
  fallback: '20',
  meaning: 'the disk of each of those nodes in GiB: 10 to 3000',
} as const satisfies ContextValue
