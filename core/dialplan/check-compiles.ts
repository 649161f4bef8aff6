import type { CallflowStep } from '../default-routes/stored-route.ts'
import { parseExpression } from '../default-routes/expression/parse-expression.ts'
import { isJsonObject } from '../default-routes/json.ts'
import type { CompileJudge } from '../default-routes/parse-callflow.ts'
import { branchesOf, cursorOfTag, kindOf } from './branches.ts'
import { filled } from './call-variables.ts'
import { StepProblem } from './engine-action.ts'
import { functionsOf } from './evaluate-expression.ts'
import { stepActions } from './step-actions.ts'

interface CompileCheck {
  readonly domain: string
  readonly callflow: readonly CallflowStep[]
  readonly refuse: (at: string, problem: string) => void
}

/** Refuses each step of a parsed callflow that cannot become applications of the engine, with its position. */
export const checkCompiles: CompileJudge = (callflow, domain, refuse) =>
  checkSteps(callflow, 'callflow', { domain, callflow, refuse })

function checkSteps(steps: readonly CallflowStep[], at: string, check: CompileCheck): void {
  for (const [index, step] of steps.entries()) checkStep(step, `${at}[${index}]`, check)
}

function checkStep(step: CallflowStep, at: string, check: CompileCheck): void {
  if (step['async'] === true) check.refuse(`${at}.async`, 'the engine runs one step after the other: leave it out')
  const kind = kindOf(step)
  if (kind === undefined) return
  const place = `${at}.${kind}`
  const argument = step[kind]
  try {
    checkArgument(kind, argument, check)
  } catch (error) {
    if (!(error instanceof StepProblem)) throw error
    return check.refuse(`${place}${error.at}`, error.message)
  }
  for (const branch of branchesOf(kind, argument)) checkSteps(branch.steps, `${place}.${branch.name}`, check)
}

function checkArgument(kind: string, argument: unknown, { domain, callflow }: CompileCheck): void {
  if (kind === 'switch') return
  if (kind === 'if') return checkCondition(argument)
  if (kind === 'blackList') {
    listOf(argument)
    return
  }
  const tag = kind === 'goto' ? tagOf(argument) : undefined
  if (tag === undefined) {
    stepActions(kind, argument, { domain, fill: (text) => filled(text, sample, samples) ?? '', goesOn: true })
  } else if (cursorOfTag(callflow, tag) === undefined) {
    throw new StepProblem(`no step of this route has the tag ${JSON.stringify(tag.slice(0, 64))}`)
  }
}

/** Numbers of any call stand in for those of the coming ones. */
const sample = new Map([
  ['destination_number', '1234567890'],
  ['caller_id_number', '1234567890'],
])
const samples = Array.from({ length: 10 }, () => '1')

function checkCondition(argument: unknown): void {
  const expression = isJsonObject(argument) ? argument['expression'] : undefined
  const parsed = parseExpression(String(expression), 'expression', () => undefined)
  const [unknown] = functionsOf(parsed)
  if (unknown !== undefined) {
    throw new StepProblem(`&${unknown} cannot be asked while a call is routed: leave it out`, '.expression')
  }
}

/** Returns the tag that a `goto` names, if it names one. */
export function tagOf(argument: unknown): string | undefined {
  return typeof argument === 'string' && argument.startsWith('local:tag:') ? argument.slice(10) : undefined
}

/** Returns the blacklist that a step asks, and the number that it looks for instead of the caller's. */
export function listOf(argument: unknown): { readonly list: string; readonly number?: string | undefined } {
  const {
    name,
    number,
    actions: _actions,
    ...rest
  } = typeof argument === 'string' ? { name: argument } : isJsonObject(argument) ? argument : {}
  const [other] = Object.keys(rest)
  if (other !== undefined) throw new StepProblem('the engine cannot do this: leave it out', `.${other.slice(0, 64)}`)
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  if (typeof name !== 'string' || !/^[^/\\\u0000-\u001f\u007f$]{1,64}$/.test(name)) {
    throw new StepProblem('must name a blacklist')
  }
  if (number !== undefined && (typeof number !== 'string' || number.length > 64)) {
    throw new StepProblem('must be a number', '.number')
  }
  return { list: name, number }
}
