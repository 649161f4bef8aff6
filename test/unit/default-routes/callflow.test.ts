import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { patternJudge } from '../../../adapters/regex/written-patterns.ts'
import { DomainError } from '../../../core/errors.ts'
import { parseCallflow } from '../../../core/default-routes/parse-callflow.ts'
import { stepKinds } from '../../../core/default-routes/step-kinds.ts'
import { breadth } from '../../support/breadth.ts'

const judges = {
  domain: 'a.example.com',
  patternProblem: patternJudge(),
  scripts: { areOn: true, arePermitted: true },
  clientVariables: new Map(),
  checkCompiles: () => {},
}
const parse = (callflow: readonly unknown[], scripts = judges.scripts) =>
  parseCallflow(callflow, { ...judges, scripts })

const refusalOf = (callflow: readonly unknown[], scripts = judges.scripts): DomainError | undefined => {
  try {
    parse(callflow, scripts)
    return undefined
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
}

/** A callflow of so many levels, each inside the one before. */
const nested = (levels: number, wrap: (inner: unknown[]) => unknown): unknown[] =>
  levels === 1 ? [{ answer: '' }] : [wrap(nested(levels - 1, wrap))]
const inIf = (then: unknown[]) => ({ if: { expression: '${a}', then } })
const inElse = (inner: unknown[]) => ({ if: { expression: '${a}', else: inner } })
const inSwitch = (inner: unknown[]) => ({ switch: { variable: '${a}', case: { 1: inner, default: [] } } })
const inMenu = (inner: unknown[]) => ({ menu: { sound: 'menu.wav', digits: { 1: inner, '*#': [] } } })
const inBlackList = (actions: unknown[]) => ({ blackList: { name: 'spam', number: '${caller_id_number}', actions } })
const inQueue = (actions: unknown[]) => ({ queue: { name: 'main', timer: { interval: 90, tries: 1, actions } } })
const inOriginate = (actions: unknown[]) => ({ originate: { endpoint: { type: 'user', name: '1000' }, actions } })
const nesting = { inIf, inElse, inSwitch, inMenu, inBlackList, inQueue, inOriginate }

/** An argument that a kind takes; most take any. */
const argumentOf = (kind: string): unknown =>
  (
    ({
      if: { expression: '${a} == 1' },
      switch: { variable: '${a}', case: {} },
      menu: { sound: 'menu.wav', digits: {} },
      setVar: 'x_mine=1',
      setArray: { x_mine: ['1', '2'] },
      exportVars: ['x_mine'],
      unSet: 'x_mine',
      setProfileVar: 'caller_id_name=me',
    }) as Record<string, unknown>
  )[kind] ?? ''

describe('a callflow', () => {
  it('a callflow of every kind of step, with every modifier, is accepted unchanged', () => {
    const callflow = [...stepKinds].map((kind) => ({
      [kind]: argumentOf(kind),
      break: true,
      async: false,
      tag: 'here',
    }))

    expect(stepKinds.size).toBe(53)
    expect(parse(callflow).callflow).toEqual(callflow)
  })

  it.each<[string, unknown]>([
    ['break alone', { break: true }],
    ['an answer by its text', { answer: '200 OK' }],
    ['a queue by its name', { queue: { name: 'main' }, break: true }],
    ['a number', { sleep: 1_000 }],
    ['true', { flushDTMF: true }],
    ['a list', { sipRedirect: ['sip:a@example.com', 'sip:b@example.com'] }],
    ['names with values', { setVar: ['x_a=1', 'all:x_c=x=y', 'nolocal:x_d=', 'toll_allow=a,b', 'timezone=UTC'] }],
    ['names and values as an object', { setVar: { x_a: 1, x_b: '2', 'x-c': true } }],
    ['a name that takes a result', { calendar: { name: 'work', setVar: 'x_is_work_day' } }],
    ['a name deep inside', { playback: { name: 'a.wav', getDigits: { setVar: 'x_digit', max: 1 } } }],
    [
      'names that take an answer apart',
      { httpRequest: { url: 'https://a.test', exportVariables: { x_mine: '${a}.b' } } },
    ],
    ['a body of several lines', { httpRequest: { url: 'https://a.test', data: 'a\nb' } }],
    ['a message of several lines', { sendEmail: { to: ['a@example.com'], message: 'a\r\nb' } }],
    [
      'names that an endpoint may be given',
      {
        bridge: {
          parameters: ['continue_on_fail=true'],
          endpoints: [{ type: 'user', parameters: ['absolute_codec_string=PCMA,opus@8000h'] }],
        },
      },
    ],
    ['variables of a member', { member: { dialer: 'd', variables: { x_DID: '380' } } }],
    ['a caller id', { setVar: 'effective_caller_id_number=1' }],
    ['a step called as a thing of every object', { cache: { toString: 1, constructor: 'x' } }],
    ['parts of a looked up value', { log: 'from ${caller_id_number:-4} to ${x_a.b:1:3}' }],
    ['a dialled number', { bridge: { endpoints: [{ type: 'gateway', dialString: '${destination_number}@gw' }] } }],
  ])('a callflow with %s is accepted', (_title, step) => {
    expect(parse([step]).callflow).toEqual([step])
  })

  it.each(Object.entries(nesting))('a callflow may be nested ten times %s, and no deeper', (_name, wrap) => {
    expect(refusalOf(nested(10, wrap))).toBeUndefined()
    expect(refusalOf(nested(11, wrap))?.message).toMatch(/^callflow\[0\].*: must not be nested deeper than 10 levels$/)
  })

  it('a callflow has at most 200 steps, including nested ones', () => {
    const steps = (count: number) => Array.from({ length: count }, () => ({ answer: '' }))

    expect(refusalOf(steps(200))).toBeUndefined()
    expect(refusalOf(steps(201))?.details?.[0]).toEqual({ field: 'callflow', problem: 'must have at most 200 steps' })
    expect(refusalOf([inIf(steps(201))])?.details?.[0]?.field).toBe('callflow[0].if.then')
  })

  it('a callflow has at most 256 KiB as JSON in UTF-8', () => {
    const bytes = (count: number) => [{ log: '語'.repeat(Math.floor((count - 12) / 3)) + 'x'.repeat((count - 12) % 3) }]

    expect(parse(bytes(262_144)).callflowBytes).toBe(262_144)
    expect(refusalOf(bytes(262_145))?.details?.[0]).toMatchObject({ field: 'callflow' })
  })
})

describe('a callflow is refused with the place of what is wrong', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['no object', 'answer', '', /must be a step/],
    ['null', null, '', /must be a step/],
    ['a list', [], '', /must be a step/],
    ['nothing', {}, '', /must have a kind/],
    ['a modifier alone', { tag: 'x' }, '', /must have a kind/],
    ['an unknown kind', { foo: 1 }, '', /^unknown step "foo"$/],
    ['a kind of another case', { Answer: '' }, '', /^unknown step "Answer"$/],
    ['a kind of every object', { constructor: 1 }, '', /^unknown step "constructor"$/],
    ['another', { hasOwnProperty: 1 }, '', /^unknown step "hasOwnProperty"$/],
    ['an unknown kind after a known one', { answer: '', foo: 1 }, '', /^unknown step "foo"$/],
    ['two kinds', { answer: '', hangup: '' }, '', /has "answer" and "hangup"/],
    ['break of a wrong type', { break: 'true' }, '.break', /true or false/],
    ['async of a wrong type', { answer: '', async: 1 }, '.async', /true or false/],
    ['tag of a wrong type', { answer: '', tag: 1 }, '.tag', /1-120/],
    ['an empty tag', { answer: '', tag: '' }, '.tag', /1-120/],
    ['a tag of two lines', { answer: '', tag: 'a\nb' }, '.tag', /control/],
    ['null as argument', { answer: null }, '.answer', /null/],
    ['a line feed', { answer: 'a\nb' }, '.answer', /control/],
    ['a line feed deep inside', { bridge: { endpoints: [{ name: 'a\tb' }] } }, '.bridge.endpoints[0].name', /control/],
    ['a line feed in a name', { log: { 'a\nb': 1 } }, '.log', /control/],
    ['if without an object', { if: '${a}' }, '.if', /expression, then, else/],
    ['if without an expression', { if: { then: [] } }, '.if.expression', /text/],
    ['if with a wrong one', { if: { expression: '${a} =' } }, '.if.expression', /at character 6/],
    ['if with a program', { if: { expression: '1', sysExpression: 'x' } }, '.if', /unknown member "sysExpression"/],
    ['then as a step', { if: { expression: '1', then: { answer: '' } } }, '.if.then', /list/],
    ['then with an unknown kind', inIf([{ answer: '' }, { foo: 1 }]), '.if.then[1]', /^unknown step "foo"$/],
    ['else with an unknown kind', inElse([{ foo: 1 }]), '.if.else[0]', /^unknown step "foo"$/],
    ['a case with an unknown kind', inSwitch([{ foo: 1 }]), '.switch.case.1[0]', /^unknown step "foo"$/],
    ['switch without a variable', { switch: { case: {} } }, '.switch.variable', /text/],
    ['switch without cases', { switch: { variable: '${a}' } }, '.switch.case', /object/],
    ['a case that is no list', { switch: { variable: '${a}', case: { 1: 'x' } } }, '.switch.case.1', /list/],
    ['actions of a blacklist', inBlackList([{ foo: 1 }]), '.blackList.actions[0]', /^unknown step "foo"$/],
    ['actions of a timer', inQueue([{ foo: 1 }]), '.queue.timer.actions[0]', /^unknown step "foo"$/],
    ['a list of timers', { queue: { timer: [{ actions: [{ foo: 1 }] }] } }, '.queue.timer', /object/],
    ['actions of an originate', inOriginate([{ foo: 1 }]), '.originate.actions[0]', /^unknown step "foo"$/],
    ['setVar as a number', { setVar: 1 }, '.setVar', /name variables/],
    ['setVar of nothing', { setVar: '=1' }, '.setVar', /name variables/],
    ['setVar of a number in a list', { setVar: ['x_a=1', 2] }, '.setVar[1]', /text/],
    ['setVar of a name of the service', { setVar: 'domain_name=b.test' }, '.setVar', /"domain_name" is not a name/],
    ['in other letters', { setVar: 'DOMAIN_NAME=b.test' }, '.setVar', /not a name that clients may set/],
    [
      'a forbidden name after its scope',
      { setVar: ['x_a=1', 'all:presence_id=x'] },
      '.setVar[1]',
      /not a name that clients may set/,
    ],
    ['that runs something', { setVar: 'execute_on_answer=system id' }, '.setVar', /not a name that clients may set/],
    ['as an object', { setVar: { api_hangup_hook: 'x' } }, '.setVar', /not a name that clients may set/],
    ['an expansion as name', { setVar: '${x}=1' }, '.setVar', /name variables/],
    ['an expansion as value', { setVar: 'x_a=${caller_id_number}' }, '.setVar', /must not contain/],
    ['a value outside its pattern', { setVar: 'x_a=a|b' }, '.setVar', /up to 256 letters/],
    ['an array as value', { setArray: { x_a: ['1', 'ARRAY::b'] } }, '.setArray', /not beginning/],
    ['an object as value', { setVar: { x_a: {} } }, '.setVar', /is text, a number/],
    ['the role of an account', { setVar: 'account_role=admin' }, '.setVar', /not a name that clients may set/],
    ['a caller id of letters', { setProfileVar: 'caller_id_number=me' }, '.setProfileVar', /digits/],
    ['a command', { log: '${system(id)}' }, '.log', /look up a variable/],
    ['a command deep inside', { playback: { files: ['${expr 1}'] } }, '.playback.files[0]', /look up a variable/],
    ['variables in a dial string', { bridge: '{api_on_answer=x}user/1' }, '.bridge', /variables or parameters/],
    ['those of one leg', { originate: ['[a=b]user/1'] }, '.originate[0]', /variables or parameters/],
    ['a global expansion as name', { setVar: '$${x}=1' }, '.setVar', /look up a variable/],
    ['setArray of such a name', { setArray: { sip_x: ['1'] } }, '.setArray', /not a name that clients may set/],
    ['exportVars of one', { exportVars: ['x_mine', 'w_domain'] }, '.exportVars[1]', /not a name that clients may set/],
    ['unSet of one', { unSet: 'user_context' }, '.unSet', /not a name that clients may set/],
    ['setProfileVar of one', { setProfileVar: 'context=public' }, '.setProfileVar', /not a name that clients may set/],
    [
      'a result in one',
      { calendar: { name: 'w', setVar: 'transfer_ringback' } },
      '.calendar.setVar',
      /not a name that clients may set/,
    ],
    [
      'digits in one',
      { playback: { getDigits: { setVar: 'bridge_to' } } },
      '.playback.getDigits.setVar',
      /not a name that clients may set/,
    ],
    [
      'an answer in one',
      { httpRequest: { exportVariables: { user_id: 'a' } } },
      '.httpRequest.exportVariables',
      /not a name that clients may set/,
    ],
    [
      'a cookie in one',
      { httpRequest: { exportCookie: 'sofia_x' } },
      '.httpRequest.exportCookie',
      /not a name that clients may set/,
    ],
    ['a found one', { cdr: { exportVar: { domain_uuid: 'x' } } }, '.cdr.exportVar', /not a name that clients may set/],
    [
      'an endpoint that runs something',
      { bridge: { parameters: ['execute_on_answer=x'] } },
      '.bridge.parameters[0]',
      /not a name that clients may set/,
    ],
    [
      'one inside a list',
      { bridge: { endpoints: [{ parameters: ['continue_on_fail=true', 'api_on_answer=x'] }] } },
      '.bridge.endpoints[0].parameters[1]',
      /not a name that clients may set/,
    ],
    [
      'an originated one',
      { originate: { endpoint: { parameters: ['exec=1'] } } },
      '.originate.endpoint.parameters[0]',
      /not a name that clients may set/,
    ],
    [
      'a command in a web address',
      { httpRequest: { url: 'https://a.test/${system(id)}' } },
      '.httpRequest.url',
      /look up a variable/,
    ],
    ['a command in a mail', { sendEmail: { message: 'a\n${system(id)}' } }, '.sendEmail.message', /look up a variable/],
    [
      'a callback with one',
      { callback: { name: 'c', variables: { exec: '1' } } },
      '.callback.variables',
      /not a name that clients may set/,
    ],
    [
      'a queue with one',
      { queue: { name: 'q', variables: ['x_a=1', 'api_on_answer=x'] } },
      '.queue.variables[1]',
      /not a name that clients may set/,
    ],
    [
      'a member with one',
      { member: { variables: { sip_from: 'x' } } },
      '.member.variables',
      /not a name that clients may set/,
    ],
  ])('a callflow is refused with the position of the problem: %s', (_title, step, place, problem) => {
    const refusal = refusalOf([{ answer: '' }, step])

    expect(refusal?.code).toBe('invalid_field')
    expect(refusal?.details).toEqual([{ field: `callflow[1]${place}`, problem: expect.stringMatching(problem) }])
  })

  it('the error in a step nested in several kinds of step names the whole path', () => {
    const before = [1, 2, 3].map(() => ({ answer: '' }))
    const callflow = [...before, inIf([inSwitch([inQueue([{ foo: 1 }])])])]

    expect(refusalOf(callflow)?.message).toBe(
      'callflow[3].if.then[0].switch.case.1[0].queue.timer.actions[0]: unknown step "foo"',
    )
  })
})

describe.each(['js', 'script'])('a %s step', (kind) => {
  const callflow = [inIf([{ [kind]: { data: 'return 1\n', setVar: 'x_mine' } }])]

  it('a step that runs a program is accepted if the deployment allows it and the caller has all rights to routes', () => {
    expect(refusalOf(callflow)).toBeUndefined()
  })

  it('a step that runs a program is refused with its position if the deployment does not allow it', () => {
    expect(refusalOf(callflow, { areOn: false, arePermitted: true })).toMatchObject({
      code: 'invalid_field',
      details: [{ field: 'callflow[0].if.then[0]' }],
    })
  })

  it.each([true, false])(
    'a step that runs a program is denied to a caller without the right, whether or not it is enabled (%s)',
    (areOn) => {
      expect(refusalOf(callflow, { areOn, arePermitted: false })?.code).toBe('permission_denied')
    },
  )
})

it('any JSON as a callflow is accepted unchanged or refused, and no other error is thrown', () => {
  const key = fc.oneof(
    fc.constantFrom(...stepKinds, 'break', 'then', 'else', 'case', 'actions', 'timer', 'expression', 'setVar', 'foo'),
    fc.string({ maxLength: 5 }),
  )
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 6, depthSize: 'medium' },
      fc.constantFrom(null, true, 1, '', 'a=1', '${a}', 'x\n'),
      fc.dictionary(key, tie('any'), { maxKeys: 3 }),
      fc.array(tie('any'), { maxLength: 3 }),
    ),
  })).any

  fc.assert(
    fc.property(fc.array(value, { maxLength: 3 }), (callflow) => {
      if (refusalOf(callflow) === undefined) expect(parse(callflow).callflow).toEqual(callflow)
    }),
    { seed: 20_260_115, numRuns: breadth(750, 3_000) },
  )
})
