import { isJsonObject } from '../default-routes/json.ts'
import type { CallflowStep } from '../default-routes/stored-route.ts'
import { gatewayAtEngine, gatewayNamePattern } from '../gateways/gateway.ts'
import { escapeForEngine } from '../requests/engine-text.ts'
import { readAssignments } from './assignments.ts'
import { branchesOf, kindOf } from './branches.ts'
import { type Assignment, type EngineAction, type StepContext, StepProblem } from './engine-action.ts'
import { nothingOfThePhone } from './gateway-terms.ts'
import { accountName, application, set } from './step-values.ts'

/** Returns whether a callflow has a bridge to a gateway, also in its branches. */
export function callsGateways(callflow: readonly CallflowStep[]): boolean {
  return callflow.some((step) => {
    const kind = kindOf(step)
    if (kind === undefined) return false
    const argument = step[kind]
    if (kind !== 'bridge') return branchesOf(kind, argument).some(({ steps }) => callsGateways(steps))
    const endpoints = isJsonObject(argument) ? argument['endpoints'] : undefined
    return Array.isArray(endpoints) && endpoints.some(isGateway)
  })
}

function isGateway(endpoint: unknown): boolean {
  return isJsonObject(endpoint) && endpoint['type'] !== 'user'
}

/** Settings of the calling leg, which the engine reads from its variables. */
const ofCaller: ReadonlySet<string> = new Set(['hangup_after_bridge', 'continue_on_fail'])

/**
 * Calls accounts and gateways: one after the other (`failover`, the default), or all at once (`multiple`). An answered
 * call ends with the bridge. After an unanswered one the steps after it follow; without any, the caller gets the
 * reason.
 */
export function bridgeActions(argument: unknown, context: StepContext): EngineAction[] {
  if (!isJsonObject(argument)) throw new StepProblem('must be an object with endpoints')
  const { endpoints, strategy, codecs, variables, parameters, global } = argument
  if (!Array.isArray(endpoints) || endpoints.length === 0) throw new StepProblem('must have an endpoint', '.endpoints')
  const given = [variables, parameters, global].flatMap(assignmentsOf)
  const callers = new Map(given.filter(({ name }) => ofCaller.has(name)).map(({ name, value }) => [name, value]))
  const legs = given.filter(({ name }) => !ofCaller.has(name))
  const codecList = Array.isArray(codecs) ? codecs.filter((codec) => codec !== '') : []
  if (codecList.length > 0) legs.push({ legs: 'own', name: 'absolute_codec_string', value: codecList.join(',') })
  const ofLegs = inBrackets('{}', legs, '.variables')
  const dialled = endpoints.map((endpoint: unknown, index) => dialStringOf(endpoint, `.endpoints[${index}]`, context))
  const dialString = `${ofLegs}${dialled.join(strategy === 'multiple' ? ',' : '|')}`
  return [
    ...(endpoints.some(isGateway) ? nothingOfThePhone : []),
    set('hangup_after_bridge', callers.get('hangup_after_bridge') || 'true'),
    set('continue_on_fail', callers.get('continue_on_fail') || String(context.goesOn)),
    ...(dialString.includes(apostrophe) ? [set(apostrophe, "'")] : []),
    application('bridge', dialString),
  ]
}

function assignmentsOf(argument: unknown): Assignment[] {
  if (argument === undefined || argument === '') return []
  return readAssignments(argument).filter(({ value }) => value !== '')
}

/**
 * The values that a list in brackets can hold: the engine reads brackets, backslashes and double quotes as its own, `|`
 * as the next endpoint, `:_:` as the next dial string, and `^^` as a separator to come. A pattern of the operator's may
 * allow them.
 */
const listedValue = /^(?!\^\^|.*:_:)[^{}[\]"\\|]*$/u

/** The engine halves backslashes when it expands an application's data, then splits `{}` twice and `[]` four times. */
const backslashes = { '{}': 6, '[]': 30 } as const

/** A variable that holds an apostrophe: the engine leaves out an application whose data has one behind a backslash. */
const apostrophe = 'svc_apostrophe'

/**
 * Writes variables of legs as a dial string has them: of one leg in `[]`, of all in `{}`. If one has an apostrophe,
 * each gets brackets of its own: in a list in `[]`, the engine takes apostrophes for quotes around the commas after
 * them.
 */
export function inBrackets(brackets: '{}' | '[]', assignments: readonly Assignment[], at: string): string {
  if (assignments.length === 0) return ''
  const parts = assignments.map(({ name, value }) => {
    if (!listedValue.test(value)) throw new StepProblem(`must give ${name} a value without {}[]"\\|, ^^ and :_:`, at)
    return `${name}=${escapeForEngine(value, backslashes[brackets], `\${${apostrophe}}`)}`
  })
  const lists = assignments.some(({ value }) => value.includes("'")) ? parts : [parts.join(',')]
  return lists.map((list) => `${brackets.charAt(0)}${list}${brackets.charAt(1)}`).join('')
}

const dialledNumber = /^\+?[0-9*#]{1,63}$/

function dialStringOf(endpoint: unknown, at: string, { domain, fill, through }: StepContext): string {
  if (!isJsonObject(endpoint)) throw new StepProblem('must be an object with a type: user, gateway or sipGateway', at)
  const { type, name, dialString, variables, parameters } = endpoint
  const settings = [variables, parameters].flatMap(assignmentsOf)
  if (settings.some((assignment) => ofCaller.has(assignment.name))) {
    throw new StepProblem('hangup_after_bridge and continue_on_fail belong to the bridge, not to an endpoint', at)
  }
  // The terms of a gateway win over the settings of a step.
  const ownIn = (terms: readonly Assignment[]) => {
    const own = settings.filter((assignment) => !terms.some((term) => term.name === assignment.name))
    return inBrackets('[]', [...own, ...terms], `${at}.variables`)
  }
  if (type === 'user') {
    if (typeof name !== 'string') throw new StepProblem('must name an account', `${at}.name`)
    return `${ownIn([])}user/${accountName(fill(name), `${at}.name`)}@${domain}`
  }
  const [number = '', ofNumber = ''] = fill(typeof dialString === 'string' ? dialString : '').split('@')
  const gateway = typeof name === 'string' && name !== '' ? name : ofNumber
  if (!gatewayNamePattern.test(gateway)) throw new StepProblem('must name a gateway of the domain', `${at}.name`)
  if (ofNumber !== '' && ofNumber !== gateway) throw new StepProblem('must name one gateway', `${at}.dialString`)
  if (!dialledNumber.test(number)) {
    throw new StepProblem('must have a number to call, of digits, * and #, which may begin with +', `${at}.dialString`)
  }
  const terms = through === undefined ? [] : through(gateway)
  if (terms === undefined) return 'error/INVALID_GATEWAY'
  return `${ownIn(terms)}sofia/gateway/${gatewayAtEngine({ domain, name: gateway })}/${number}`
}
