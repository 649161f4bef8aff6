// oxlint-disable unicorn/no-thenable -- the contract calls a branch of `if` so, and it is a list
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CallflowStep } from '../../../core/default-routes/stored-route.ts'
import { isJsonObject } from '../../../core/default-routes/json.ts'
import { localTime } from '../../../core/dialplan/call-time.ts'
import { menuVariable } from '../../../core/dialplan/menu-actions.ts'
import { positionVariable, runCallflow } from '../../../core/dialplan/run-callflow.ts'
import { fixed } from '../../support/records/hostile-text.ts'

const id = 'a'.repeat(24)

/** Steps that set and wait, and that branch over what was set. */
const { callflow: callflows } = fc.letrec<{ callflow: CallflowStep[]; step: CallflowStep }>((tie) => ({
  callflow: fc.array(tie('step'), { minLength: 1, maxLength: 5, depthIdentifier: 'callflow' }),
  step: fc.oneof(
    { depthIdentifier: 'callflow', maxDepth: 3 },
    fc.tuple(fc.constantFrom('x_a', 'x_b'), fc.constantFrom('1', '2')).map(([name, value]) => ({
      setVar: `${name}=${value}`,
    })),
    { arbitrary: fc.constant({ sleep: 1 }), weight: 3 },
    fc.constant({ break: true }),
    fc.constant({ answer: '', break: true }),
    fc.constant({ hangup: 'USER_BUSY' }),
    fc
      .tuple(fc.constantFrom('${x_a} == 1', '!${x_b}'), tie('callflow'), tie('callflow'))
      .map(([expression, yes, no]) => ({ if: { expression, then: yes, else: no } })),
    fc
      .tuple(fc.constantFrom('x_a', '${x_b}'), tie('callflow'), tie('callflow'))
      .map(([variable, one, other]) => ({ switch: { variable, case: { 1: one, default: other } } })),
    fc
      .tuple(tie('callflow'), tie('callflow'))
      .map(([one, other]) => ({ menu: { tone: 'busy', digits: { 1: one, '#': other } } })),
  ),
}))

/** What the caller presses at the menus, in turn: a choice, the other one, and nothing. */
const pressed = (done: readonly string[]) => ['1', '#', ''][done.filter(isMenu).length % 3] ?? ''
const isMenu = (line: string) => line.startsWith('play_and_get_digits ')

/** Runs a callflow as a program would that is never interrupted: the applications in order. */
function runWhole(steps: readonly CallflowStep[], variables: Map<string, string>, done: string[]): 'ended' | 'goes on' {
  for (const step of steps) {
    if (runStep(step, variables, done) === 'ended' || step['break'] === true) return 'ended'
  }
  return 'goes on'
}

function runStep(step: CallflowStep, variables: Map<string, string>, done: string[]): 'ended' | 'goes on' {
  const { if: condition, switch: choice, menu, setVar, sleep, hangup, answer } = step
  if (isJsonObject(condition)) {
    const holds = condition['expression'] === '!${x_b}' ? !variables.has('x_b') : variables.get('x_a') === '1'
    return runWhole(listOf(condition[holds ? 'then' : 'else']), variables, done)
  }
  if (isJsonObject(choice)) {
    const value = variables.get(choice['variable'] === 'x_a' ? 'x_a' : 'x_b')
    const cases = isJsonObject(choice['case']) ? choice['case'] : {}
    return runWhole(listOf(cases[value === '1' ? '1' : 'default']), variables, done)
  }
  if (isJsonObject(menu)) {
    done.push(
      'play_and_get_digits 1 1 3 5000 none tone_stream://%(500,500,480,620) tone_stream://%(400,100,300) svc_menu ^(#|1)$',
    )
    const choices = isJsonObject(menu['digits']) ? menu['digits'] : {}
    return runWhole(listOf(choices[pressed(done)]), variables, done)
  }
  if (typeof setVar === 'string') {
    variables.set(setVar.slice(0, 3), setVar.slice(4))
    done.push(`set ${setVar}`)
  }
  if (sleep !== undefined) done.push('sleep 1')
  if (answer !== undefined) done.push('answer ')
  if (hangup === undefined) return 'goes on'
  done.push('set sip_ignore_remote_cause=true', 'hangup USER_BUSY')
  return 'ended'
}

const listOf = (value: unknown): CallflowStep[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])

/** Runs a callflow as the engine does: each plan to its end, then the next from the position that the call has. */
function runInParts(callflow: readonly CallflowStep[]): string[] {
  const done: string[] = []
  let variables = new Map<string, string>()
  let from: number[] | undefined
  do {
    const known = new Map(variables)
    known.delete(positionVariable)
    const call = {
      domain: 'a.example.com',
      number: '5',
      context: 'a.example.com',
      captures: ['5'],
      variables: known,
      time: localTime(0, 'UTC'),
      finds: () => false,
      isEmergency: false,
      ignored: [],
      listed: new Map(),
    }
    const plan = runCallflow({ id, callflow }, call, from)
    const applications = plan.actions.map(({ application, data }) => `${application} ${data}`)
    if (plan.continuesAt !== undefined) {
      expect(applications.splice(-2)).toEqual([
        `set ${positionVariable}=${id}:${plan.continuesAt.join('.')}:5`,
        'transfer 5 XML a.example.com',
      ])
    }
    done.push(...applications)
    variables = new Map(plan.variables)
    if (isMenu(done.at(-1) ?? '')) variables.set(menuVariable, pressed(done))
    from = plan.continuesAt === undefined ? undefined : [...plan.continuesAt]
  } while (from !== undefined)
  return done
}

describe('callflows', () => {
  it('a callflow that is run in parts runs the same applications as one that is never interrupted', () => {
    const seen = { parts: 0, menus: 0 }
    fc.assert(
      fc.property(callflows, (callflow) => {
        const whole: string[] = []
        runWhole(callflow, new Map(), whole)

        expect(runInParts(callflow)).toEqual(whole)
        if (whole.includes('sleep 1')) seen.parts += 1
        if (whole.some(isMenu)) seen.menus += 1
      }),
      fixed(500),
    )
    expect(seen.parts).toBeGreaterThan(100)
    expect(seen.menus).toBeGreaterThan(100)
  })
})
