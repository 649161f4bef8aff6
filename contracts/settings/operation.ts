import * as z from 'zod/mini'
import {
  type ContextValue,
  type Rule,
  jsonOf,
  matching,
  onOrOff,
  oneOf,
  optional,
  readBy,
  wholeNumber,
} from './setting.ts'

// The settings of how a stage is watched and kept, from the file of the stage.

export const tags = {
  context: 'tags',
  rule: () => readBy(readTags, 'a JSON object of up to 40 tags'),
  fallback: '{}',
  unset: 'none',
  meaning:
    'tags of everything that the stage has, and of its cost, beside `callplane:stage`: `{"owner": "voice", "cost-center": "4711"}`',
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
