import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type LineCommand, ValueRefused, commandLine } from '../../../connector/commands/command-line.ts'
import { anEavesdrop, anOriginate } from '../../support/connector/command-message.ts'
import { fixed } from '../../support/records/hostile-text.ts'

const uuid = '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f'
const target = '0b9d1c7e-0000-4000-8000-000000000001'
const domain = 'a.example.com'

describe('the line of a command', () => {
  test.each<[string, LineCommand, string]>([
    ['hold', { kind: 'hold', uuid }, `uuid_hold ${uuid}`],
    ['unhold', { kind: 'unhold', uuid }, `uuid_hold off ${uuid}`],
    ['hang up', { kind: 'hangup', uuid, cause: 'USER_BUSY' }, `uuid_kill ${uuid} USER_BUSY`],
    ['flush an account', { kind: 'flush-account', login: '1000' }, 'xml_flush_cache id 1000 a.example.com'],
    ['flush everything', { kind: 'flush-directory' }, 'xml_flush_cache'],
    [
      'originate',
      anOriginate({ uuid }),
      `originate {origination_uuid=${uuid},domain_name=a.example.com,ignore_early_media=true,originate_timeout=60}` +
        'user/1000@a.example.com 9196 XML a.example.com 9196 9196',
    ],
    [
      'originate with what makes the phone answer by itself',
      anOriginate({ uuid, autoAnswer: { name: 'sip_h_Call-Info', value: '<sip:a>;answer-after=0' } }),
      `originate {origination_uuid=${uuid},domain_name=a.example.com,ignore_early_media=true,originate_timeout=60,` +
        'sip_h_Call-Info=<sip:a>;answer-after=0}user/1000@a.example.com 9196 XML a.example.com 9196 9196',
    ],
    [
      'originate with variables, those with spaces in quotes and commas escaped',
      anOriginate({ uuid, variables: { x_note: 'two words', toll_allow: 'a,b' } }),
      `originate {origination_uuid=${uuid},domain_name=a.example.com,ignore_early_media=true,originate_timeout=60,` +
        "x_note='two words',toll_allow=a\\,b}user/1000@a.example.com 9196 XML a.example.com 9196 9196",
    ],
    [
      'eavesdrop: keys are switched off in words, since the engine has them on',
      anEavesdrop({ uuid, target }),
      `originate {origination_uuid=${uuid},domain_name=a.example.com,ignore_early_media=true,` +
        `eavesdrop_enable_dtmf=false}user/1001@a.example.com &eavesdrop(${target}) XML a.example.com 1001 1001`,
    ],
    [
      'eavesdrop with a display and a side',
      anEavesdrop({ uuid, target, display: '555', side: '+15551234', dtmf: true }),
      `originate {origination_uuid=${uuid},domain_name=a.example.com,ignore_early_media=true,` +
        'eavesdrop_enable_dtmf=true,origination_caller_id_number=555}' +
        `user/1001@a.example.com &eavesdrop(${target}) XML a.example.com +15551234 +15551234`,
    ],
  ])('a command has the recorded line to %s', (_name, command, line) => {
    expect(commandLine(command, domain)).toBe(line)
  })

  test.each([
    ['listen', []],
    ['whisper_a', ['aleg']],
    ['whisper_b', ['bleg']],
    ['barge', ['aleg', 'bleg']],
  ] as const)('the line of a command lets the listener of mode %s be heard by the legs %j', (mode, legs) => {
    const line = commandLine(anEavesdrop({ mode }), domain)

    expect([...line.matchAll(/eavesdrop_whisper_(.leg)=true/g)].map(([, leg]) => leg)).toEqual(legs)
  })
})

/** Values that are wrong in a number, an id or a cause; some are valid names or logins. */
const badValues = Object.values(
  JSON.parse(readFileSync(new URL('../../fixtures/bad-inputs/call-control.json', import.meta.url), 'utf8')),
)
  .flat()
  .map(String)
const plainWords = new Set(['toggle'])
/** Whatever an engine may take for a channel's id. */
const plainIds = new Set(
  badValues.filter((value) => /^[A-Za-z0-9._~@:+-]{1,128}$/.test(value) && !/^(?:off|toggle)$/.test(value)),
)
const plainLogins = new Set([
  'toggle',
  '+',
  '++15551234',
  '-h',
  '6F1C7A1E-6A1E-4B1D-9F0E-2D0A4C5B6E7F',
  '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7g',
])

/** One way for each value of a command to come from outside. */
const slots: [string, (value: string) => LineCommand, ReadonlySet<string>][] = [
  ['calledId', (calledId) => anOriginate({ calledId }), plainWords],
  ['callerId', (callerId) => anOriginate({ callerId }), plainLogins],
  ['the uuid of a call', (uuid) => anOriginate({ uuid }), new Set()],
  ['the uuid of an order', (uuid) => ({ kind: 'hold', uuid }), plainIds],
  ['the cause', (cause) => ({ kind: 'hangup', uuid, cause }), new Set()],
  ['the listened channel', (target) => anEavesdrop({ target }), plainIds],
  ['the listener', (user) => anEavesdrop({ user }), plainLogins],
  ['the display', (display) => anEavesdrop({ display }), new Set()],
  ['the side', (side) => anEavesdrop({ side }), plainLogins],
  ['the flushed account', (login) => ({ kind: 'flush-account', login }), plainLogins],
]

describe.each(slots)('%s', (name, make, harmless) => {
  test(`a command yields no line with any bad sample as ${name}`, () => {
    const lines = badValues.filter((value) => !harmless.has(value)).filter((value) => yields(make(value)))

    expect(badValues.length).toBeGreaterThan(30)
    expect(lines).toEqual([])
  })

  test(`a command yields no line with a character of syntax in ${name}`, () => {
    const syntax = fc.constantFrom(
      '\r',
      '\n',
      '\0',
      ' ',
      ',',
      '{',
      '}',
      '[',
      ']',
      "'",
      '"',
      '|',
      '$',
      '(',
      '&',
      '\\',
      ';',
      ...(harmless === plainIds ? [] : [':']),
    )
    const around = fc.string({ unit: 'grapheme', maxLength: 20 })

    fc.assert(
      fc.property(around, syntax, around, (before, character, after) => {
        expect(yields(make(`${before}${character}${after}`))).toBe(false)
      }),
      fixed(100),
    )
  })
})

test.each(['all', 'ALL', 'off', 'toggle', '..'])('%s is a word of the engine and no id of a channel', (word) => {
  expect(yields(anEavesdrop({ target: word }))).toBe(false)
  expect(yields({ kind: 'hold', uuid: word })).toBe(false)
})

describe('a variable of a call', () => {
  test.each([
    ['a comma', 'a,b'],
    ['a brace', 'a}b'],
    ['an expansion', '${uuid}'],
    ['a quote', "it's"],
    ['a backslash', 'a\\nb'],
    ['a line feed', 'a\nb'],
    ['a separator of dial strings', 'a:_:user/1001@b.example.com'],
    ['half a character', '\ud800'],
    ['more than 256 characters', 'a'.repeat(257)],
    ['the command that reloads the event socket', 'reload mod_event_socket'],
    ['that command in other letters', 'UNLOAD Mod_Event_Socket'],
  ])('a variable of a call with %s yields no line', (_what, value) => {
    expect(yields(anOriginate({ variables: { x_note: value } }))).toBe(false)
  })

  test.each([
    ["O'Neil", String.raw`O\\\\\\\'Neil`],
    ["O'Neil, Bob", String.raw`'O\\\\\\\'Neil\, Bob'`],
    ['a,b', String.raw`a\,b`],
  ])('the name %s is written so that the engine reads it as it is', (name, written) => {
    const line = lineOf(anOriginate({ variables: { effective_caller_id_name: name } }))

    expect(line).toContain(`effective_caller_id_name=${written}}user/`)
  })

  test.each(['api_hangup_hook', 'origination_uuid', 'Domain_Name', 'sip_h_X', 'note', 'X_note', 'x_a b', 'x_a=b', ''])(
    'a variable of a call named "%s" yields no line',
    (name) => {
      expect(yields(anOriginate({ variables: { [name]: '1' } }))).toBe(false)
    },
  )

  test('any value of a call variable yields a line that is one command with one list of variables', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (value) => {
        const line = lineOf(anOriginate({ uuid, variables: { x_note: value } }))
        if (line === undefined) return
        expect(line).toMatch(/^originate \{[^{}]*\}user\/1000@a\.example\.com 9196 XML a\.example\.com 9196 9196$/u)
        expect(line).not.toMatch(/[\r\n\0]/)
      }),
      fixed(100),
    )
  })
})

test.each([
  ['name', { name: 'api_on_answer', value: '1' }],
  ['value', { name: 'sip_auto_answer', value: 'a,b=c' }],
  ['value that steers the call', { name: 'sip_invite_params', value: 'intercom=true;maddr=192.0.2.9' }],
  ['value that reaches into the name', { name: 'sip_auto_answer=x', value: 'y' }],
])('an auto answer with a bad %s yields no line', (_what, autoAnswer) => {
  expect(yields(anOriginate({ autoAnswer }))).toBe(false)
})

test.each([
  ['no domain', null],
  ['a domain in capital letters', 'A.example.com'],
  ['a domain with a space', 'a.example.com 1'],
])('a call in %s yields no line', (_what, where) => {
  expect(() => commandLine(anOriginate(), where)).toThrow(ValueRefused)
})

test.each([4, 121, 1.5, Number.NaN])('a call that rings for %s seconds yields no line', (timeoutSeconds) => {
  expect(yields(anOriginate({ timeoutSeconds }))).toBe(false)
})

test('a placed call carries the id of its request, and an order to a call does not', () => {
  const cause = 'request-4711.a_B'
  const lineWith = (command: LineCommand) => commandLine(command, domain, new Map(), cause)

  expect(lineWith(anOriginate())).toContain(`,svc_request_id=${cause},`)
  expect(lineWith(anEavesdrop())).toContain(`,svc_request_id=${cause},`)
  expect(lineWith({ kind: 'hold', uuid: randomUUID() })).not.toContain(cause)
})

test.each(['', 'a b', 'a,b', 'a}user/1', "a'b", 'a=b', '${a}', 'x'.repeat(65), 'a\n'])(
  'a request with the id %j places no call',
  (cause) => {
    expect(() => commandLine(anOriginate(), domain, new Map(), cause)).toThrow('requestId cannot stand')
  },
)

test('a refusal of a command names the field and not its value', () => {
  expect(() => commandLine(anOriginate({ calledId: '1 &system(id)' }), domain)).toThrow(
    'calledId cannot stand in an engine command',
  )
})

function lineOf(command: LineCommand): string | undefined {
  try {
    return commandLine(command, domain)
  } catch (problem) {
    if (problem instanceof ValueRefused) return undefined
    throw problem
  }
}

function yields(command: LineCommand): boolean {
  return lineOf(command) !== undefined
}
