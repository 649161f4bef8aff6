import { permissionDenied } from '../access/permission.ts'
import type { ClientVariables } from '../client-names/client-names.ts'
import { invalidField } from '../errors.ts'
import type { CallflowStep } from './stored-route.ts'
import { parseExpression } from './expression/parse-expression.ts'
import type { PatternJudge } from '../requests/pattern.ts'
import { menuMembers, nestedCallflows, scriptKinds, stepKinds } from './step-kinds.ts'
import { type StepRules, checkArgument } from './step-argument.ts'
import { type JsonObject, isJsonObject } from './json.ts'

/** The most steps of one callflow, nested ones counted by themselves. */
const maxSteps = 200
/** The deepest nesting; the callflow of the route itself is the first level. */
const maxDepth = 10
/** The most bytes of a whole callflow as JSON in UTF-8. */
const maxBytes = 256 * 1024
const maxQuoted = 64

/** Reports each step of a parsed callflow that cannot become applications of the engine, with its position. */
export type CompileJudge = (
  callflow: readonly CallflowStep[],
  domain: string,
  refuse: (at: string, problem: string) => void,
) => void

/** The rules that a callflow is checked against. */
export interface CallflowJudges {
  readonly checkCompiles: CompileJudge
  readonly domain: string
  readonly patternProblem: PatternJudge
  /** Whether the deployment lets callflows run programs, and whether the caller may write such steps. */
  readonly scripts: { readonly areOn: boolean; readonly arePermitted: boolean }
  readonly clientVariables: ClientVariables
  /** Takes note of each text, name and value that is not allowed; by default the first of them is thrown. */
  readonly refuse?: (at: string, problem: string) => void
}

/** A callflow that keeps to the grammar, and its size as JSON in UTF-8. */
export interface ParsedCallflow {
  readonly callflow: readonly CallflowStep[]
  readonly callflowBytes: number
}

/**
 * Reads a callflow by its closed grammar: steps with exactly one known kind, nested callflows only where the grammar
 * has them. Throws `invalid_field` with the position of the first invalid step, such as `callflow[3].if.then[0]`, or of
 * the first that the engine cannot run, and `permission_denied` for a step that the caller may not write.
 */
export function parseCallflow(steps: readonly unknown[], judges: CallflowJudges): ParsedCallflow {
  const callflow = parseSteps(steps, { at: 'callflow', depth: 1, judges })
  const callflowBytes = new TextEncoder().encode(JSON.stringify(callflow)).length
  if (callflowBytes > maxBytes) throw invalidField('callflow', `must have at most ${maxBytes} bytes as JSON`)
  judges.checkCompiles(callflow, judges.domain, judges.refuse ?? throwProblem)
  return { callflow, callflowBytes }
}

interface StepLocation {
  readonly at: string
  readonly depth: number
  readonly judges: CallflowJudges
}

function parseSteps(value: unknown, { at, depth, judges }: StepLocation): CallflowStep[] {
  if (!Array.isArray(value)) throw invalidField(at, 'must be a list of steps')
  if (depth > maxDepth) throw invalidField(at, `must not be nested deeper than ${maxDepth} levels`)
  if (value.length > maxSteps) throw invalidField(at, `must have at most ${maxSteps} steps`)
  return value.map((step: unknown, index) => parseStep(step, { at: `${at}[${index}]`, depth, judges }))
}

function parseStep(step: unknown, place: StepLocation): CallflowStep {
  const { at, judges } = place
  if (!isJsonObject(step)) throw invalidField(at, 'must be a step: an object with one kind')
  const [kind, other] = Object.keys(step).filter((key) => !checkModifier(step, key, at, judges))
  if (kind === undefined) {
    if (!Object.hasOwn(step, 'break')) throw invalidField(at, 'must have a kind')
    return step
  }
  for (const name of [kind, other]) {
    if (name !== undefined && !stepKinds.has(name)) throw invalidField(at, `unknown step ${quoted(name)}`)
  }
  if (other !== undefined) throw invalidField(at, `must have one kind, has ${quoted(kind)} and ${quoted(other)}`)
  if (scriptKinds.has(kind)) checkScript(kind, at, judges)
  parseArgument(kind, step[kind], { ...place, at: `${at}.${kind}` })
  return step
}

function checkModifier(step: JsonObject, key: string, at: string, judges: CallflowJudges): boolean {
  const value = step[key]
  if (key === 'break' || key === 'async') {
    if (typeof value !== 'boolean') throw invalidField(`${at}.${key}`, 'must be true or false')
    return true
  }
  if (key !== 'tag') return false
  if (typeof value !== 'string' || value === '' || value.length > 120) {
    throw invalidField(`${at}.tag`, 'must be text of 1-120 characters')
  }
  checkArgument('tag', value, `${at}.tag`, rulesOf(judges))
  return true
}

function rulesOf({ domain, clientVariables: added, refuse = throwProblem }: CallflowJudges): StepRules {
  return { domain, added, refuse }
}

function throwProblem(at: string, problem: string): never {
  throw invalidField(at, problem)
}

function checkScript(kind: string, at: string, { scripts }: CallflowJudges): void {
  if (!scripts.arePermitted)
    throw permissionDenied(`steps of the kind ${quoted(kind)} need every permission of "rotes/default"`)
  if (!scripts.areOn) throw invalidField(at, `steps of the kind ${quoted(kind)} are switched off here`)
}

function parseArgument(kind: string, argument: unknown, place: StepLocation): void {
  if (kind === 'if') return parseIf(argument, place)
  if (kind === 'switch') return parseSwitch(argument, place)
  if (kind === 'menu') return parseMenu(argument, place)
  checkArgument(kind, parseNested(argument, nestedCallflows.get(kind) ?? [], place), place.at, rulesOf(place.judges))
}

function parseNested(argument: unknown, [name, ...path]: readonly string[], place: StepLocation): unknown {
  if (name === undefined || !isJsonObject(argument) || !Object.hasOwn(argument, name)) return argument
  const { [name]: member, ...rest } = argument
  const at = `${place.at}.${name}`
  if (path.length > 0) {
    if (!isJsonObject(member)) throw invalidField(at, 'must be an object')
    return { ...rest, [name]: parseNested(member, path, { ...place, at }) }
  }
  parseSteps(member, { ...place, at, depth: place.depth + 1 })
  return rest
}

function parseIf(argument: unknown, place: StepLocation): void {
  const { at, depth, judges } = place
  const members = closedObject(argument, ['expression', 'then', 'else'], at)
  const { expression } = members
  if (typeof expression !== 'string') throw invalidField(`${at}.expression`, 'must be text')
  parseExpression(expression, `${at}.expression`, judges.patternProblem)
  for (const branch of ['then', 'else']) {
    if (Object.hasOwn(members, branch)) {
      parseSteps(members[branch], { at: `${at}.${branch}`, depth: depth + 1, judges })
    }
  }
}

function parseSwitch(argument: unknown, place: StepLocation): void {
  const { at, depth, judges } = place
  const members = closedObject(argument, ['variable', 'case'], at)
  const { variable, case: cases } = members
  if (typeof variable !== 'string' || variable === '') throw invalidField(`${at}.variable`, 'must be text')
  checkArgument('switch', variable, `${at}.variable`, rulesOf(judges))
  if (!isJsonObject(cases)) throw invalidField(`${at}.case`, 'must be an object: value to callflow')
  for (const [value, callflow] of Object.entries(cases)) {
    checkArgument('switch', value, `${at}.case`, rulesOf(judges))
    parseSteps(callflow, { at: `${at}.case.${value.slice(0, maxQuoted)}`, depth: depth + 1, judges })
  }
}

/** Keys that are no keys of a phone are refused where the menu becomes an application of the engine. */
function parseMenu(argument: unknown, place: StepLocation): void {
  const { at, depth, judges } = place
  const { digits, ...rest } = closedObject(argument, menuMembers, at)
  if (!isJsonObject(digits)) throw invalidField(`${at}.digits`, 'must be an object: keys to callflow')
  for (const [keys, callflow] of Object.entries(digits)) {
    checkArgument('menu', keys, `${at}.digits`, rulesOf(judges))
    parseSteps(callflow, { at: `${at}.digits.${keys.slice(0, maxQuoted)}`, depth: depth + 1, judges })
  }
  checkArgument('menu', rest, at, rulesOf(judges))
}

/** Accepts an object of known members only: an unknown one might have a meaning for the engine. */
function closedObject(argument: unknown, names: readonly string[], at: string): JsonObject {
  if (!isJsonObject(argument)) throw invalidField(at, `must be an object of ${names.join(', ')}`)
  const unknown = Object.keys(argument).find((name) => !names.includes(name))
  if (unknown !== undefined) throw invalidField(at, `unknown member ${quoted(unknown)}: has ${names.join(', ')}`)
  return argument
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, maxQuoted))
}
