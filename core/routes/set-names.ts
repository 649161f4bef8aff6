import { isClientVariable } from '../accounts/setting-names.ts'
import { invalidField } from '../errors.ts'
import { isJsonObject } from './json.ts'

/** Whether steps may set something of this name. */
type NameRule = (name: string) => boolean

/** Fields of the caller's profile that may be set; the others decide where a call goes and whose it is. */
const profileFields: ReadonlySet<string> = new Set([
  'caller_id_name',
  'caller_id_number',
  'callee_id_name',
  'callee_id_number',
  'ani',
  'rdnis',
])

/** What an endpoint of `bridge` and `originate` may be told besides, although the engine gives it a meaning. */
const dialParameters: ReadonlySet<string> = new Set([
  'absolute_codec_string',
  'bridge_early_media',
  'continue_on_fail',
  'fail_on_single_reject',
  'hangup_after_bridge',
  'ignore_display_updates',
  'ignore_early_media',
  'origination_caller_id_name',
  'origination_caller_id_number',
  'sip_auto_answer',
  'sip_invite_params',
  'sip_renegotiate_codec_on_reinvite',
])

const isProfileField: NameRule = (name) => profileFields.has(name)
const isDialParameter: NameRule = (name) => dialParameters.has(name) || isClientVariable(name)

/** Kinds whose whole argument is names, or names with values. */
const ofKind: ReadonlyMap<string, NameRule> = new Map([
  ['setVar', isClientVariable],
  ['setArray', isClientVariable],
  ['exportVars', isClientVariable],
  // Taking a name away changes what it means to the engine, just as setting it.
  ['unSet', isClientVariable],
  ['setProfileVar', isProfileField],
])

/** Members that hold names in the argument of any kind, at any depth. */
const inAnyKind: ReadonlyMap<string, NameRule> = new Map([
  ['setVar', isClientVariable],
  ['exportVar', isClientVariable],
  ['exportVars', isClientVariable],
  ['exportVariables', isClientVariable],
])

const dialMembers: ReadonlyMap<string, NameRule> = new Map([
  ['variables', isDialParameter],
  ['parameters', isDialParameter],
  ['global', isDialParameter],
])

/** Members that hold names in the argument of one kind. */
const inKind: ReadonlyMap<string, ReadonlyMap<string, NameRule>> = new Map([
  ['bridge', dialMembers],
  ['originate', dialMembers],
  ['member', new Map([['variables', isClientVariable]])],
  [
    'httpRequest',
    new Map([
      ['responseCode', isClientVariable],
      ['exportCookie', isClientVariable],
    ]),
  ],
])

/** Throws `invalid_field` when the argument of a step sets a variable that only the service may set. */
export function checkSetNames(kind: string, argument: unknown, at: string): void {
  const rule = ofKind.get(kind)
  if (rule !== undefined) return checkNames(argument, rule, at)
  checkMembers(argument, inKind.get(kind) ?? new Map(), at)
}

function checkMembers(value: unknown, rules: ReadonlyMap<string, NameRule>, at: string): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => checkMembers(item, rules, `${at}[${index}]`))
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const place = `${at}.${name.slice(0, 64)}`
      const rule = rules.get(name) ?? inAnyKind.get(name)
      if (rule === undefined) checkMembers(member, rules, place)
      else checkNames(member, rule, place)
    }
  }
}

/** Names as text, as `name=value`, as a list of either, or as the keys of an object. */
function checkNames(value: unknown, rule: NameRule, at: string): void {
  if (typeof value === 'string') {
    checkName(nameIn(value), rule, at)
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      if (typeof item !== 'string') throw invalidField(`${at}[${index}]`, 'must be text')
      checkName(nameIn(item), rule, `${at}[${index}]`)
    })
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) checkName(name, rule, at)
  } else {
    throw invalidField(at, 'must name variables: text, a list of texts or an object')
  }
}

/** The name in `name=value`, or the whole; `all:` and `nolocal:` before it say which legs get it. */
function nameIn(text: string): string {
  const [name = ''] = text.split('=', 1)
  return name.replace(/^(?:all|nolocal):/, '')
}

function checkName(name: string, isAllowed: NameRule, at: string): void {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw invalidField(at, 'must name variables of 1-64 letters, digits, _ and -')
  }
  if (!isAllowed(name)) throw invalidField(at, `"${name}" is a name that only the service may set`)
}
