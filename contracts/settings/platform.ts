import {
  type Variable,
  hostOrNetwork,
  listOf,
  matching,
  network,
  onOrOff,
  oneOf,
  optional,
  readBy,
  wholeNumber,
} from './setting.ts'
import { rateWords, readRateLimits, usualRateLimits } from './rates.ts'

// The settings of the functions, some of which the connector and `npm start` share. Each stands alone, so that a bundle
// holds only those that its function reads.

export const logLevel = {
  variable: 'LOG_LEVEL',
  context: 'logLevel',
  readers: ['functions', 'connector', 'laptop'],
  rule: () => oneOf('trace', 'debug', 'info', 'warn', 'error'),
  fallback: 'info',
  meaning: 'the lowest level that is logged: `trace`, `debug`, `info`, `warn` or `error`',
} as const satisfies Variable

export const publicUrl = {
  variable: 'PUBLIC_URL',
  context: 'publicUrl',
  readers: ['functions'],
  rule: () => optional(matching(/^https?:\/\/[^\s/]+$/, 'an address such as https://api.example.com')),
  fallback: '',
  unset: "the API's own address",
  meaning:
    '`https://` and a domain name that you have mapped to the API yourself, such as that of a front; without `domainName`',
  // A laptop has no TLS; a deployment always has it.
  deployment: { rule: () => optional(matching(/^https:\/\/[^\s/]+$/, 'an address such as https://api.example.com')) },
} as const satisfies Variable

export const tokenSeconds = {
  variable: 'TOKEN_SECONDS',
  context: 'tokenSeconds',
  readers: ['functions'],
  rule: () => wholeNumber(300, 8_640_000),
  fallback: '604800',
  meaning: 'how long the token of a login is valid, in seconds: 300 to 8640000',
} as const satisfies Variable

export const passwordMinLength = {
  variable: 'PASSWORD_MIN_LENGTH',
  context: 'passwordMinLength',
  readers: ['functions'],
  rule: () => wholeNumber(1, 128),
  fallback: '3',
  meaning: 'the minimum length of a password: 1 to 128',
} as const satisfies Variable

export const deletionGraceSeconds = {
  variable: 'DELETION_GRACE_SECONDS',
  context: 'deletionGraceSeconds',
  readers: ['functions', 'laptop'],
  rule: () => wholeNumber(1, 900),
  fallback: '120',
  meaning: 'seconds, at most 900, after which the rest of a deleted domain is removed and its name is free again',
  // A request or a queue consumer may still use a deleted domain for this long. Tests need less.
  deployment: { rule: () => wholeNumber(60, 900), unset: '120; at least 60' },
} as const satisfies Variable

export const scriptSteps = {
  variable: 'SCRIPT_STEPS',
  context: 'scriptSteps',
  readers: ['functions'],
  rule: () => onOrOff(),
  fallback: 'off',
  meaning: '`on` allows `js` and `script` steps in the callflows of default routes',
} as const satisfies Variable

export const emergencyNumbers = {
  variable: 'EMERGENCY_NUMBERS',
  context: 'emergencyNumbers',
  readers: ['functions', 'laptop'],
  rule: () => listOf(matching(/^[0-9*#+]{1,32}$/, 'a number')),
  fallback: '112,911',
  meaning: 'numbers that no blacklist and no account of a domain may take over, comma-separated',
} as const satisfies Variable

export const emergencyGateway = {
  variable: 'EMERGENCY_GATEWAY',
  context: 'emergencyGateway',
  readers: ['functions', 'laptop'],
  rule: () => optional(matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'the name of a gateway of the engine')),
  fallback: '',
  unset: 'none',
  meaning: 'the gateway of the engine that takes calls to emergency numbers for which a domain has no route',
} as const satisfies Variable

export const contactHosts = {
  variable: 'CONTACT_HOSTS',
  context: 'contactHosts',
  readers: ['functions', 'laptop'],
  rule: () => listOf(hostOrNetwork()),
  fallback: '',
  unset: 'none',
  meaning:
    'hosts and networks, comma-separated: a phone whose contact names one of them is rung there, and not at the source of its REGISTER. Engines of the kit then keep no directory answers of accounts',
} as const satisfies Variable

export const rateLimits = {
  variable: 'RATE_LIMITS',
  context: 'rateLimits',
  readers: ['functions', 'laptop'],
  rule: () => readBy(readRateLimits, rateWords),
  fallback: 'off',
  meaning:
    'the rates of a token, a domain and a source of logins (an IPv4 address or an IPv6 /64), and how many searches of a token may run at once: `token=50/s:100,login=10/m,searching=2`; `off`: no limits',
  deployment: { fallback: usualRateLimits },
} as const satisfies Variable

export const eventsPerSecond = {
  variable: 'EVENTS_PER_SECOND',
  context: 'eventsPerSecond',
  readers: ['functions', 'laptop'],
  rule: () => wholeNumber(50, 100_000),
  fallback: '500',
  meaning: 'how many events of one domain are dispatched to its hooks in a second: 50 to 100000; more of them wait',
} as const satisfies Variable

export const cdrDays = {
  variable: 'CDR_DAYS',
  context: 'cdrDays',
  readers: ['functions', 'laptop'],
  rule: () => wholeNumber(30, 3650),
  fallback: '400',
  meaning:
    'for how many days CDRs are kept, 30 to 3650, where a domain has no parameter `cdr-retention-days`; older ones are removed within hours',
} as const satisfies Variable

export const recordingsLock = {
  variable: 'RECORDINGS_LOCK',
  context: 'recordingsLock',
  readers: ['functions', 'laptop'],
  rule: () => onOrOff(),
  fallback: 'off',
  meaning:
    '`on`: a legal hold on a recording is set in the object store, too, so that it holds against everyone who may remove objects there. In a deployment, [enable versions and Object Lock](deploy.md#object-lock) once, and end all holds before it is `off` again',
} as const satisfies Variable

export const hookAllowedNetworks = {
  variable: 'HOOK_ALLOWED_NETWORKS',
  context: 'hookAllowedNetworks',
  readers: ['functions', 'laptop'],
  rule: () => listOf(network()),
  fallback: '',
  unset: 'none',
  meaning: 'networks that hooks may reach in addition to public addresses, comma-separated',
  laptop: { fallback: '127.0.0.0/8,::1/128' },
} as const satisfies Variable
