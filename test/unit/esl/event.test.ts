import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EslEventUnreadable } from '../../../packages/esl/errors.ts'
import { type EslEvent, readEvent } from '../../../packages/esl/event.ts'
import { recordedFrames } from '../../support/engine/engine-recordings.ts'
import { recordedEslEvents } from '../../support/engine/recorded-events.ts'
import { fixed } from '../../support/records/hostile-text.ts'

const json = (text: string | Buffer) => readEvent('text/event-json', Buffer.from(text))

const sent = (id: string, format = 'json'): EslEvent => {
  const event = recordedEslEvents(`events/sendevent-custom.${format}`).find((each) => each.header('id') === id)
  if (event === undefined) throw new Error(`no event ${id} was recorded`)
  return event
}

describe('a recorded event', () => {
  it.each([
    'control/bgapi-json',
    'control/bgapi-originate',
    'events/echo-call.json',
    'events/echo-call.plain',
    'events/sendevent-custom.json',
    'events/sendevent-custom.plain',
    'events/weird-variables.json',
    'events/weird-variables.plain',
    'subscribe/myevents-inbound',
  ])('a recorded event has the name, subclass and channel that the recorder saw: %s', (name) => {
    const events = recordedEslEvents(name)

    expect(events.map(({ name, subclass, uuid }) => [name, subclass, uuid])).toEqual(
      recordedFrames(name)
        .filter(({ type }) => type.startsWith('text/event-'))
        .map(({ event = '', subclass = '', uuid = '' }) => [event, subclass, uuid]),
    )
  })

  it.each(['events/echo-call', 'events/sendevent-custom', 'events/weird-variables'])(
    'the wanted headers of a recorded event, and each single one, equal those in all its headers: %s',
    (name) => {
      for (const event of [...recordedEslEvents(`${name}.json`), ...recordedEslEvents(`${name}.plain`)]) {
        const single = ['Event-Name', 'Event-Subclass', 'Unique-ID', 'Core-UUID', 'Event-Sequence', 'id', 'dup', 'list']
        const before = single.map((header) => event.header(header))
        const headers = event.headers()

        expect([event.name, event.subclass, event.uuid, event.coreUuid, event.sequence]).toEqual(
          single.slice(0, 5).map((header) => headers[header] ?? ''),
        )
        expect(before).toEqual(single.map((header) => headers[header]))
        expect(single.map((header) => event.header(header))).toEqual(before)
      }
    },
  )

  it('a recorded event has the same headers in both formats if the plain one can be decoded without loss', () => {
    for (const id of ['member-42', 'member 43 with space', 'arrays', 'duplicates', 'huge', 'badutf8', 'odd-names']) {
      expect(comparable(sent(id, 'plain')), id).toEqual(comparable(sent(id)))
    }
  })

  it('a recorded event keeps its percent signs', () => {
    const values = ['p1', 'p2', 'p3', 'p5', 'p7', 'p8'].map((name) => sent('percent').header(name))

    expect(values).toEqual(['%41', '100%25', '%zz', '%', '%4g', 'lower %c3%a9 upper %C3%A9'])
  })

  it('the last value of a repeated header in a recorded event counts, so that no caller can put another name before it', () => {
    const event = sent('duplicates')

    expect([event.name, event.header('dup'), event.header('DUP')]).toEqual(['CUSTOM', 'second', 'third'])
    expect(event.coreUuid).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('a list in a recorded event is read as the plain format writes it', () => {
    const { list, one, list2 } = sent('arrays').headers()

    expect([list, one, list2]).toEqual(['ARRAY::a|:b c|:d%', 'only', 'ARRAY::zero|:one'])
  })

  it('bytes of a recorded event that are not UTF-8 are read as U+FFFD', () => {
    const { latin1, ctrl, bom, over } = sent('badutf8').headers()

    expect([latin1, ctrl, bom, over]).toEqual(['caf\uFFFD', 'a\u0001b\u001b\u007fc\ttab', '\uFEFFx', '\uFFFD\uFFFD'])
  })

  it('the body of a recorded event is separate from its headers', () => {
    expect(sent('body').body).toBe('body line 1\nbody: line 2 100% %41 é\n\nline 4\n')
    expect(sent('body-that-looks-like-a-frame').body).toMatch(/^x\n\nContent-Length: 5\n/)
    expect(sent('member-42').body).toBe('')
    expect(sent('body').headers()).not.toHaveProperty('_body')
  })

  it("a recorded event of a background job has the job's id and its result", () => {
    const answers = recordedEslEvents('control/bgapi-json').map((event) => [event.header('Job-Command'), event.body])

    expect(answers).toContainEqual(['show', '{"row_count": 0}\n'])
    expect(answers).toContainEqual(['global_getvar', ''])
  })
})

describe('a JSON event', () => {
  it.each([
    ['white space', ' { "A" : "x" ,\n"B":"y" }\n', { A: 'x', B: 'y' }],
    ['nothing in it', '{}', {}],
    ['a number', '{"A":12,"B":-1.5e3}', { A: '12', B: '-1500' }],
    ['words', '{"A":true,"B":null}', { A: 'true', B: 'null' }],
    ['an empty list', '{"A":[]}', { A: '' }],
    ['an object', '{"A":{"b":["c"]}}', { A: '{"b":["c"]}' }],
    ['a list of lists', '{"A":[["a","b"],"c"]}', { A: 'ARRAY::ARRAY::a|:b|:c' }],
    ['half of a surrogate pair', String.raw`{"A":"\ud83d"}`, { A: '\uFFFD' }],
    ['escapes', String.raw`{"A\"b":"\"\\\/\b\f\n\r\t\u00e9"}`, { 'A"b': '"\\/\b\f\n\r\té' }],
    ['brackets and quotes in a value', String.raw`{"A":"}]\",\"Event-Name\":\"x"}`, { A: '}]","Event-Name":"x' }],
    ['names of an object', '{"__proto__":"x","constructor":"y"}', { ['__proto__']: 'x', constructor: 'y' }],
  ])('a JSON event is read with %s', (_, text, expected) => {
    const event = json(text)
    const one = Object.keys(expected).map((name) => [name, event.header(name)])
    const headers = event.headers()

    expect(Object.entries(headers)).toEqual(Object.entries(expected))
    expect(one).toEqual(Object.entries(expected))
    expect(event.header('toString')).toBeUndefined()
  })

  it.each([
    ['empty', ''],
    ['null', 'null'],
    ['a list', '[{"Event-Name":"x"}]'],
    ['cut in a string', '{"Event-Name":"RE_SCH'],
    ['cut after a member', '{"Event-Name":"x"'],
    ['cut after a comma', '{"Event-Name":"x",'],
    ['ended by a comma', '{"Event-Name":"x",}'],
    ['followed by something', '{"Event-Name":"x"}C'],
    ['without a colon', '{"Event-Name","x"}'],
    ['with a name that is no text', '{1:"x"}'],
    ['with an unknown escape', String.raw`{"A":"\x41"}`],
    ['with a short escape', String.raw`{"A":"\u12"}`],
    ['with a line end in a text', '{"A":"x\ny"}'],
    ['with a word of its own', '{"A":nothing}'],
    ['with a list that does not close', '{"A":["x"}'],
    ['with two values', '{"A":"x" "y"}'],
    ['nested deeper than anybody means', `{"A":${'['.repeat(40)}${']'.repeat(40)}}`],
  ])('a JSON event is unreadable when it is %s', (_, text) => {
    expect(() => json(text)).toThrow(EslEventUnreadable)
  })

  it('a JSON event with any raw byte in a value can be read, with U+FFFD for the byte', () => {
    for (let byte = 128; byte < 256; byte += 1) {
      const bytes = Buffer.from('{"A":"x?y","Event-Name":"MESSAGE"}')
      bytes[bytes.indexOf('?')] = byte

      expect([json(bytes).name, json(bytes).header('A'), json(bytes).headers()['A']]).toEqual([
        'MESSAGE',
        'x\uFFFDy',
        'x\uFFFDy',
      ])
    }
  })

  it('the headers of a JSON event, read one by one or all together, are those that were written', () => {
    // V8 of Node 24.9 misreads some one-character names after a name that ends in a backslash.
    const name = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\\'))
    fc.assert(
      fc.property(fc.dictionary(name, fc.string({ unit: 'grapheme' })), (expected) => {
        const event = json(JSON.stringify(expected))
        const one = Object.keys(expected).map((name) => [name, event.header(name)])

        const full = { ...event.headers(), ...(Object.hasOwn(expected, '_body') && { _body: event.body }) }
        expect(new Map(Object.entries(full))).toEqual(new Map(Object.entries(expected)))
        expect(one).toEqual(Object.entries(expected))
      }),
      fixed(100),
    )
  })
})

describe('bytes that somebody has damaged', () => {
  it('damaged bytes are read in full or not at all', () => {
    const text = '{"Event-Name":"MESSAGE","list":["a","b"],"n":1,"text":"\\"\\u00e9","_body":"x"}'
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(3), fc.uint8Array({ maxLength: 3 }), (at, removed, put) => {
        const bytes = Buffer.from(text)
        const damaged = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + removed)])
        try {
          const event = json(damaged)
          expect(event.headers()['Event-Name'] ?? '').toBe(event.name)
        } catch (error) {
          expect(error).toBeInstanceOf(EslEventUnreadable)
        }
      }),
      fixed(2000),
    )
  })

  it("bytes of a header's name that are not UTF-8 are read as U+FFFD, and the header is found by that name", () => {
    const bytes = Buffer.from('{"Event-Name":"MESSAGE","a?b":"x"}')
    bytes[bytes.indexOf('?')] = 0xff
    const event = json(bytes)

    expect([event.header('a\uFFFDb'), event.headers()['a\uFFFDb'], event.header('a?b')]).toEqual(['x', 'x', undefined])
  })

  it('damaged bytes of an event are reported by kind and length only', () => {
    expect(() => json('{"A":"s3cret')).toThrow(/^a text\/event-json body of 12 bytes cannot be read: [a-z ]+$/)
  })

  it('an event with 20,000 headers, or a header of 1 MiB, is read like any other', () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`h${index}`, `${index}`]))
    const long = 'x'.repeat(1024 * 1024)

    expect(Object.keys(json(JSON.stringify(many)).headers())).toHaveLength(20_000)
    expect(json(JSON.stringify({ long })).header('long')).toBe(long)
  })
})

/** Headers without those that differ because the two recordings were made one after the other. */
function comparable(event: EslEvent): object {
  const different = /^(?:Event-Date-.*|Event-Sequence|Event-UUID|sur)$/
  return Object.fromEntries(Object.entries(event.headers()).filter(([name]) => !different.test(name)))
}

it('an event keeps its values when other bytes are read into the same memory', () => {
  const bytes = Buffer.from(`{"Event-Name":"MESSAGE","text":"${'x'.repeat(40)}"}`)
  const event = json(bytes)

  bytes.fill(0)

  expect([event.name, event.header('text')]).toEqual(['MESSAGE', 'x'.repeat(40)])
  expect(event.jsonWith({})).toBe(`{"Event-Name":"MESSAGE","text":"${'x'.repeat(40)}"}`)
})

it.each(['text/event-plain', 'text/event-xml', 'text/event-new', ''])(
  'an event of the content type "%s" is unreadable',
  (contentType) => {
    expect(() => readEvent(contentType, Buffer.from('{"Event-Name":"MESSAGE"}'))).toThrow(EslEventUnreadable)
  },
)
