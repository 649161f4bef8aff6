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
  wholeNumber,
} from './setting.ts'

// The settings of what a deployment is made of, from the file of its stage (`settings/<stage>.json`).

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
