import * as z from 'zod/mini'
import {
  type ContextValue,
  type Rule,
  type Variable,
  ipv4Network,
  jsonOf,
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

const nodeCountWords = '1, or a multiple of 2 or 3 up to 80'

const nodeCount: Rule<number> = readBy((text) => {
  const count = Number(text)
  const isSpread = count === 1 || count % 2 === 0 || count % 3 === 0
  if (!/^[1-9]\d?$/.test(text) || count > 80 || !isSpread) throw new Error(`must be ${nodeCountWords}`)
  return count
}, nodeCountWords)

const nodeTypeWords = 'an instance type that takes gp3 disks, such as t3.small.search or r7g.large.search'

const nodeType: Rule<string> = readBy((type) => {
  if (searchNode(type) === undefined) throw new Error(`must be ${nodeTypeWords}`)
  return type
}, nodeTypeWords)

const cpuUnits: Rule<number> = {
  words: '256, 512, 1024, 2048 or 4096',
  schema: z.pipe(z.string().check(z.regex(/^(?:256|512|1024|2048|4096)$/)), z.transform(Number)),
}

export const account = {
  context: 'account',
  rule: () => optional(matching(/^\d{12}$/, 'the 12 digits of an account')),
  fallback: '',
  unset: 'none: that of the credentials',
  meaning: 'the account of the stage: with credentials of another one, nothing is deployed',
} as const satisfies ContextValue

export const region = {
  context: 'region',
  rule: () => optional(matching(/^[a-z]{2}(?:-[a-z]+)+-\d$/, 'a region such as eu-central-1')),
  fallback: '',
  unset: 'none: that of the credentials',
  meaning: 'the region of the stage, whatever `AWS_REGION` says',
} as const satisfies ContextValue

export const tags = {
  context: 'tags',
  rule: () => readBy(readTags, 'a JSON object of up to 40 tags'),
  fallback: '{}',
  unset: 'none',
  meaning:
    'tags of everything that the stage has, and of its cost, beside `callplane:stage`: `{"owner": "voice", "cost-center": "4711"}`',
} as const satisfies ContextValue

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

export const connectorExec = {
  context: 'connectorExec',
  rule: () => onOrOff(),
  fallback: 'off',
  meaning:
    '`on` lets people whom IAM allows `ecs:ExecuteCommand` open a shell in a connector, whose file system can be written then',
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

export const concurrencyQuota = {
  context: 'concurrencyQuota',
  rule: () => wholeNumber(10, 100_000),
  fallback: '1000',
  meaning:
    'how many functions the account may run at once in the region, by its quota: an alarm goes off at 80 % of it',
} as const satisfies ContextValue

export const tracing = {
  context: 'tracing',
  rule: () => onOrOff(),
  fallback: 'off',
  meaning:
    '`on` lets X-Ray record calls of functions, the first of each second and one in twenty of the others, at 5 dollars for a million ([what can be followed](design/tracing.md))',
} as const satisfies ContextValue

export const replicaRegion = {
  context: 'replicaRegion',
  rule: () => optional(matching(/^[a-z]{2}(?:-[a-z]+)+-\d$/, 'a region such as eu-west-1')),
  fallback: '',
  unset: 'none',
  meaning:
    'another region than `region`, which must be given too; it gets a replica of each table of configuration and a copy of each recording ([regions](regions.md))',
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

export const domainName = {
  context: 'domainName',
  rule: () => optional(matching(/^(?=.{4,253}$)(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/, 'a name such as api.example.com')),
  fallback: '',
  unset: 'none',
  meaning:
    'a domain name of yours for the API, with `certificateArn`; it becomes `publicUrl`. [Point it](deploy.md#a-domain-name) at the output `DomainTarget`',
} as const satisfies ContextValue

export const certificateArn = {
  context: 'certificateArn',
  rule: () =>
    optional(matching(/^arn:aws:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/, 'the ARN of a certificate of ACM')),
  fallback: '',
  unset: 'none',
  meaning: 'the certificate of `domainName`, issued by ACM in the region of the stage',
} as const satisfies ContextValue

export const alarmEmail = {
  context: 'alarmEmail',
  rule: () => optional(matching(/^[^\s@]+@[^\s@]+$/, 'an email address')),
  fallback: '',
  unset: 'none',
  meaning:
    'the mail address that receives alarms; subscribe pagers to the topic `CallplaneStateful/OnCall/Topic`, which has the urgent ones; the others are in `OnCall/Tickets`',
} as const satisfies ContextValue

export const monitoring = {
  context: 'monitoring',
  rule: () => oneOf('full', 'deployments'),
  fallback: 'full',
  meaning:
    '`full`: all alarms, the dashboard and the count of failed deliveries by domain; `deployments`: only the alarm that takes back a deployment of the connector, for a stage that no person is on call for',
} as const satisfies ContextValue

export const canary = {
  context: 'canary',
  rule: () => onOrOff(),
  fallback: 'off',
  meaning:
    '`on`, with `full` monitoring: a function does what `npm run smoke` does, every five minutes, and an alarm says when it fails',
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
  meaning:
    'the number of those nodes, up to 80: 1; a multiple of 3, in three zones; or another even number, in two. From 4 on, three dedicated managers are added. Two nodes lose no CDR with a zone, but searches may stop until the service has replaced one; three go on',
} as const satisfies ContextValue

export const searchVolumeGb = {
  context: 'searchVolumeGb',
  rule: () => wholeNumber(10, 3000),
  fallback: '20',
  meaning: 'the disk of each of those nodes in GiB: 10 to 3000',
} as const satisfies ContextValue

export const searchAccess = {
  context: 'searchAccess',
  rule: () => oneOf('public', 'vpc'),
  fallback: 'public',
  meaning:
    '`public`: the store of CDRs has a public address and answers only signed requests of this account; `vpc`: it is in a network without a route to the internet, which the functions that search join. Choose it before the first deployment: a change [makes a new, empty store](deploy.md#the-store-of-cdrs-in-a-vpc)',
} as const satisfies ContextValue

const tagsOf = z.record(
  z.string().check(z.regex(/^(?!aws:|callplane:)[\w +\-=.:/@]{1,128}$/)),
  z.string().check(z.regex(/^[\w +\-=.:/@]{0,256}$/)),
)

/** Reads the tags. Throws a sentence that is read after the name of the setting. */
function readTags(text: string): Readonly<Record<string, string>> {
  const { data } = z.safeParse(tagsOf, jsonOf(text))
  if (data === undefined || Object.keys(data).length > 40) {
    throw new Error('must be a JSON object of up to 40 tags: names and values of letters, digits and _ . : / = + - @')
  }
  return data
}
