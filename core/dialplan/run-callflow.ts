import type { CallflowStep, StoredRoute } from '../default-routes/stored-route.ts'
import type { Expression } from '../default-routes/expression/expression.ts'
import { parseExpression } from '../default-routes/expression/parse-expression.ts'
import { isJsonObject } from '../default-routes/json.ts'
import { type Cursor, branchesOf, cursorOfTag, kindOf } from './branches.ts'
import { type CallVariables, filled, variableOf } from './call-variables.ts'
import { listOf, tagOf } from './check-compiles.ts'
import { type Assignment, type EngineAction, StepProblem } from './engine-action.ts'
import { type ExpressionCall, holds } from './evaluate-expression.ts'
import { afterMenu, menuVariable } from './menu-actions.ts'
import { stepActions } from './step-actions.ts'
import { application, hangUp, set } from './step-values.ts'

/**
 * The variable in which a call keeps its position in a route while it asks for the rest, and the number that it asks
 * for. If it could not ask, the variable stays, and a call that is transferred to another number has nothing to do with
 * it.
 */
export const positionVariable = 'svc_route'

/** An application that the engine runs, and the step that it comes from. */
export interface PlannedAction extends EngineAction {
  /** `callflow[0].if.then[1]`; `call` for what every call gets. */
  readonly path: string
  readonly kind: string
}

/** One step that was decided. */
export interface PlannedStep extends Partial<EngineAction> {
  readonly path: string
  readonly kind: string
  readonly taken: boolean
  readonly reason: string
}

/** The call that a callflow runs for. */
export interface CallflowCall extends ExpressionCall {
  readonly domain: string
  readonly context: string
  /** As {@link StepContext.through}, with the variables of the call as they are at the step. */
  readonly through?: ((gateway: string, variables: CallVariables) => readonly Assignment[] | undefined) | undefined
  readonly number: string
  /** Texts of the pattern's groups; the first is the whole. */
  readonly captures: readonly string[]
  /** Emergency numbers: blacklists are not asked. */
  readonly isEmergency: boolean
  readonly ignored: readonly string[]
  readonly listed: ReadonlyMap<string, boolean>
}

/** The next applications of the engine. */
export interface CallflowPlan {
  readonly actions: readonly PlannedAction[]
  readonly steps: readonly PlannedStep[]
  /** The question to a blacklist without whose answer the plan cannot be made; all else is then unfinished. */
  readonly asks?: BlacklistQuestion | undefined
  readonly continuesAt?: Cursor | undefined
  readonly variables: ReadonlyMap<string, string>
}

/** A number that a blacklist is asked for; by default the caller's. */
export interface BlacklistQuestion {
  readonly list: string
  readonly number?: string | undefined
}

/** Returns the name under which an answer of a blacklist is known. */
export function blacklistKey({ list, number }: BlacklistQuestion): string {
  return JSON.stringify([list, number ?? null])
}

/** Applications that take no time and tell nothing new: the data of the call after them are known. */
const instant: ReadonlySet<string> = new Set([
  'answer',
  'pre_answer',
  'ring_ready',
  'set',
  'unset',
  'export',
  'set_profile_var',
  'record_session',
  'stop_record_session',
  'sched_broadcast',
  'sched_hangup',
  'sched_transfer',
])

const ofProfile: ReadonlySet<string> = new Set(['caller_id_name', 'caller_id_number'])

/** Conditions that were parsed: a callflow may be evaluated many times for one call. */
const parsed = new WeakMap<object, Expression>()

interface BranchedStep {
  readonly path: string
  readonly kind: string
  readonly cursor: Cursor
  readonly from: Cursor
  readonly goesOn: boolean
}

class CallflowRun {
  readonly actions: PlannedAction[] = []
  readonly steps: PlannedStep[] = []
  readonly variables: Map<string, string>
  asks: BlacklistQuestion | undefined
  continuesAt: Cursor | undefined
  readonly #call: CallflowCall
  readonly #callflow: readonly CallflowStep[]
  readonly #routeId: string
  #isStale = false
  #ended = false

  constructor(call: CallflowCall, { id, callflow }: Pick<StoredRoute, 'id' | 'callflow'>) {
    this.#call = call
    this.#callflow = callflow
    this.#routeId = id
    this.variables = new Map(call.variables)
  }

  run(steps: readonly CallflowStep[], at: string, prefix: Cursor, from: Cursor, more: boolean): void {
    const [first = 0, ...inner] = from
    for (const [index, step] of steps.entries()) {
      if (this.#ended) return
      if (index < first) continue
      const goesOn = step['break'] !== true && (more || index < steps.length - 1)
      this.#step(step, `${at}[${index}]`, [...prefix, index], index === first ? inner : [], goesOn)
      if (step['break'] === true) this.#ended = true
    }
  }

  #step(step: CallflowStep, path: string, cursor: Cursor, inner: Cursor, goesOn: boolean): void {
    const kind = kindOf(step)
    if (kind === undefined) return this.#note({ path, kind: 'break', taken: true, reason: 'the route ends here' })
    const argument = step[kind]
    const branches = branchesOf(kind, argument)
    if (this.#isIgnored(path, kind, branches)) {
      return this.#note({ path, kind, taken: false, reason: 'left out: it would be refused today' })
    }
    const [branch, ...rest] = inner
    if (branch === afterMenu) return this.#choose(branches, { path, kind, cursor, from: [], goesOn })
    if (branch !== undefined) return this.#branch(branches, branch, { path, kind, cursor, from: rest, goesOn })
    try {
      if (kind === 'if' || kind === 'switch' || kind === 'blackList') {
        if (this.#isStale) return this.#askAgain(path, kind, cursor)
        const taken = this.#decide(kind, argument, path, branches)
        if (taken !== undefined) this.#branch(branches, taken, { path, kind, cursor, from: [], goesOn })
        return
      }
      const tag = kind === 'goto' ? tagOf(argument) : undefined
      if (tag !== undefined) return this.#askAgain(path, kind, cursorOfTag(this.#callflow, tag))
      const { through } = this.#call
      const actions = stepActions(kind, argument, {
        domain: this.#call.domain,
        through: through && ((gateway) => through(gateway, this.variables)),
        fill: (text) => this.#fill(text),
        goesOn,
      })
      for (const action of actions) this.#act(path, kind, action)
      if (kind === 'menu') this.#askAgain(path, kind, [...cursor, afterMenu])
    } catch (error) {
      if (!(error instanceof StepProblem)) throw error
      this.#note({ path, kind, taken: false, reason: `left out: ${error.message}` })
    }
  }

  #isIgnored(path: string, kind: string, branches: ReturnType<typeof branchesOf>): boolean {
    const inner = branches.map(({ name }) => `${path}.${kind}.${name}[`)
    return this.#call.ignored.some(
      (place) => (place === path || place.startsWith(`${path}.`)) && !inner.some((start) => place.startsWith(start)),
    )
  }

  #branch(
    branches: ReturnType<typeof branchesOf>,
    index: number,
    { path, kind, cursor, from, goesOn }: BranchedStep,
  ): void {
    const branch = branches[index]
    if (branch !== undefined) {
      this.run(branch.steps, `${path}.${kind}.${branch.name}`, [...cursor, index], from, goesOn)
    }
  }

  /** Takes the branch of the keys that the caller pressed at a menu; without one, the steps after the menu follow. */
  #choose(branches: ReturnType<typeof branchesOf>, place: BranchedStep): void {
    const keys = this.variables.get(menuVariable) ?? ''
    const chosen = branches.findIndex(({ name }) => name === `digits.${keys}`)
    const { path, kind } = place
    const reason = chosen < 0 ? 'no choice was made' : `digits.${keys}`
    this.#note({ path, kind, taken: chosen >= 0, reason })
    if (chosen >= 0) this.#branch(branches, chosen, place)
  }

  #decide(kind: string, argument: unknown, path: string, branches: ReturnType<typeof branchesOf>): number | undefined {
    if (kind === 'blackList') return this.#askBlacklist(argument, path, branches)
    const members = isJsonObject(argument) ? argument : {}
    if (kind === 'if') {
      const expression = parsed.get(members) ?? parseExpression(String(members['expression']), path, () => undefined)
      parsed.set(members, expression)
      const isHeld = holds(expression, { ...this.#call, variables: this.variables })
      this.#note({ path, kind, taken: true, reason: isHeld ? 'the condition holds' : 'the condition does not hold' })
      return isHeld ? 0 : 1
    }
    const value = this.#switchValue(String(members['variable']))
    const names = [`case.${value}`, 'case.default']
    const index = names.map((name) => branches.findIndex((each) => each.name === name)).find((each) => each >= 0)
    const reason = index === undefined ? 'no case is equal, and there is no default' : (branches[index]?.name ?? '')
    this.#note({ path, kind, taken: index !== undefined, reason })
    return index
  }

  #switchValue(variable: string): string {
    const [, name = variable] = /^\$\{(.+)\}$/.exec(variable) ?? []
    const capture = /^\$([0-9])$/.exec(variable)?.[1]
    if (capture !== undefined) return this.#call.captures[Number(capture)] ?? ''
    return variableOf(this.variables, name) ?? ''
  }

  #askBlacklist(argument: unknown, path: string, branches: ReturnType<typeof branchesOf>): number | undefined {
    const kind = 'blackList'
    if (this.#call.isEmergency) {
      this.#note({ path, kind, taken: false, reason: 'an emergency number is never blocked' })
      return undefined
    }
    const { list, number } = listOf(argument)
    const question = { list, number: number === undefined ? undefined : this.#fill(number) }
    const isListed = this.#call.listed.get(blacklistKey(question))
    if (isListed === undefined) {
      this.asks = question
      this.#ended = true
      return undefined
    }
    this.#note({ path, kind, taken: isListed, reason: isListed ? 'the caller is listed' : 'the caller is not listed' })
    if (!isListed) return undefined
    if ((branches[0]?.steps.length ?? 0) > 0) return 0
    for (const action of hangUp('CALL_REJECTED')) this.#act(path, kind, action)
    return undefined
  }

  #askAgain(path: string, kind: string, cursor: Cursor | undefined): void {
    if (cursor === undefined) return this.#note({ path, kind, taken: false, reason: 'no step has this tag' })
    this.#act(path, kind, set(positionVariable, `${this.#routeId}:${cursor.join('.')}:${this.#call.number}`))
    this.#act(path, kind, application('transfer', `${this.#call.number} XML ${this.#call.context}`))
    this.continuesAt = cursor
  }

  #fill(text: string): string {
    const name = filled(text, this.variables, this.#call.captures)
    if (name === undefined)
      throw new StepProblem('the call has a number with other characters than letters, digits and + * # . _ -')
    return name
  }

  #act(path: string, kind: string, action: EngineAction): void {
    this.actions.push({ path, kind, ...action })
    this.#note({ path, kind, ...action, taken: true, reason: '' })
    const [, name = '', value = ''] = /^(?:nolocal:)?([^=]*)=?(.*)$/s.exec(action.data) ?? []
    const { application: done } = action
    if (done === 'unset') this.variables.delete(action.data)
    if (done === 'set' || (done === 'export' && !action.data.startsWith('nolocal:'))) this.variables.set(name, value)
    if (done === 'set_profile_var' && ofProfile.has(name)) this.variables.set(name, value)
    if (done === 'hangup' || done === 'transfer') this.#ended = true
    if (!instant.has(done)) this.#isStale = true
  }

  #note(step: PlannedStep): void {
    this.steps.push(step)
  }
}

/**
 * Makes the applications of a callflow for one call, from a position on. Where the route depends on what only the
 * engine will know (after a bridge, a sound, any wait), the plan ends with a transfer that makes the engine ask again
 * from there.
 */
export function runCallflow(
  route: Pick<StoredRoute, 'id' | 'callflow'>,
  call: CallflowCall,
  from: Cursor = [],
): CallflowPlan {
  const run = new CallflowRun(call, route)
  run.run(route.callflow, 'callflow', [], from, false)
  const { actions, steps, asks, continuesAt, variables } = run
  return { actions, steps, asks, continuesAt, variables }
}
