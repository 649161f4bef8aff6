import { type ClientVariables, assignmentProblem, nameProblem } from '../client-names/client-names.ts'
import type { NameLocation } from '../client-names/closed-lists.ts'
import { isJsonObject } from './json.ts'

interface NameRule {
  readonly place: NameLocation
  readonly holds: 'names' | 'values'
}

const variableNames: NameRule = { place: 'stepVariables', holds: 'names' }
const variableValues: NameRule = { place: 'stepVariables', holds: 'values' }
const bridgeValues: NameRule = { place: 'bridgeVariables', holds: 'values' }

const ofKind: ReadonlyMap<string, NameRule> = new Map([
  ['setVar', variableValues],
  ['setArray', variableValues],
  ['exportVars', variableValues],
  // Unsetting a name changes its meaning to the engine, just as setting it does.
  ['unSet', variableNames],
  ['setProfileVar', { place: 'profileVariables', holds: 'values' }],
])

/**
 * Members that set variables in the argument of any kind, at any depth. All but `variables` name those for a result;
 * their values are no values of variables.
 */
const inAnyKind: ReadonlyMap<string, NameRule> = new Map([
  ['variables', variableValues],
  ['setVar', variableNames],
  ['exportVar', variableNames],
  ['exportVars', variableNames],
  ['exportVariables', variableNames],
])

const dialMembers = (rule: NameRule): ReadonlyMap<string, NameRule> =>
  new Map([
    ['variables', rule],
    ['parameters', rule],
    ['global', rule],
  ])

const inKind: ReadonlyMap<string, ReadonlyMap<string, NameRule>> = new Map([
  ['bridge', dialMembers(bridgeValues)],
  ['originate', dialMembers(variableValues)],
  [
    'httpRequest',
    new Map([
      ['responseCode', variableNames],
      ['exportCookie', variableNames],
    ]),
  ],
])

/** The rules for the names of a step. */
export interface SetNameRules {
  readonly added: ClientVariables
  /** Called with the position of each forbidden name or value; may throw. */
  readonly refuse: (at: string, problem: string) => void
}

/** Judges the variables that the argument of a step sets, and refuses those that the closed lists do not allow. */
export function checkSetNames(kind: string, argument: unknown, at: string, rules: SetNameRules): void {
  const rule = ofKind.get(kind)
  if (rule !== undefined) return checkNames(argument, rule, at, rules)
  checkMembers(argument, inKind.get(kind) ?? new Map(), at, rules)
}

function checkMembers(value: unknown, members: ReadonlyMap<string, NameRule>, at: string, rules: SetNameRules): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => checkMembers(item, members, `${at}[${index}]`, rules))
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const place = `${at}.${name.slice(0, 64)}`
      const rule = members.get(name) ?? inAnyKind.get(name)
      if (rule === undefined) checkMembers(member, members, place, rules)
      else checkNames(member, rule, place, rules)
    }
  }
}

/** Names as text, as `name=value`, as a list of either, or as the keys of an object. */
function checkNames(value: unknown, rule: NameRule, at: string, rules: SetNameRules): void {
  if (typeof value === 'string') {
    checkText(value, rule, at, rules)
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      if (typeof item === 'string') checkText(item, rule, `${at}[${index}]`, rules)
      else rules.refuse(`${at}[${index}]`, 'must be text')
    })
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const values = rule.holds === 'names' ? [undefined] : Array.isArray(member) ? member : [member]
      for (const each of values) checkName(name, each, rule, at, rules)
    }
  } else {
    rules.refuse(at, 'must name variables: text, a list of texts or an object')
  }
}

/** `name` or `name=value`; `all:` and `nolocal:` before it say which legs get it. */
function checkText(text: string, rule: NameRule, at: string, rules: SetNameRules): void {
  const equals = text.indexOf('=')
  const name = (equals < 0 ? text : text.slice(0, equals)).replace(/^(?:all|nolocal):/, '')
  const value = equals < 0 || rule.holds === 'names' ? undefined : text.slice(equals + 1)
  checkName(name, value, rule, at, rules)
}

function checkName(
  name: string,
  value: unknown,
  { place }: NameRule,
  at: string,
  { added, refuse }: SetNameRules,
): void {
  const problem = /^[A-Za-z0-9_-]{1,64}$/.test(name)
    ? valueProblem(place, name, value, added)
    : 'must name variables of 1-64 letters, digits, _ and -'
  if (problem !== undefined) refuse(at, problem)
}

/** An absent or empty value takes the name away. */
function valueProblem(place: NameLocation, name: string, value: unknown, added: ClientVariables): string | undefined {
  const refusal = nameProblem(place, name, { added })
  if (refusal !== undefined) return `"${name}" ${refusal}`
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return 'must have a value that is text, a number, true or false'
  }
  return assignmentProblem(place, name, String(value), { added })
}
