import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { type EslEvent, readEvent } from '../../../packages/esl/event.ts'
import { recordedEslEvents } from '../../support/engine/recorded-events.ts'

const json = (text: string | Buffer) => readEvent('text/event-json', Buffer.from(text))

const changes = { 'Unknown-Header': undefined, account: '1001@ä.example.com', 'Event-Domain': 'a.example.com' }

/** The headers of an event with its changes. */
const changed = (event: EslEvent, given: Readonly<Record<string, string | undefined>> = changes) =>
  Object.fromEntries(Object.entries({ ...event.headers(), ...given }).filter(([, value]) => value !== undefined))

const parsed = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text))

describe('an event as JSON', () => {
  it.each([
    'events/echo-call.json',
    'events/sendevent-custom.json',
    'events/weird-variables.json',
    'bench/stream-json',
  ])('the text of a recorded event says the same as its headers with their changes: %s', (name) => {
    const events = recordedEslEvents(name)
    const passed = events.filter((event) => event.jsonWith(changes) !== undefined)

    expect(passed.map((event) => parsed(event.jsonWith(changes)))).toEqual(passed.map((event) => changed(event)))
    expect(passed.length).toBeGreaterThan(events.length / 2)
  })

  it('nearly all events of a busy engine are passed on as they came, with the account and domain that they have', () => {
    const events = recordedEslEvents('bench/stream-json')
    const passed = events.filter((event) => {
      const account = event.header('Channel-Presence-ID')
      return event.jsonWith({ 'Channel-Presence-ID': account, 'Event-Domain': 'a.example.com' }) !== undefined
    })

    expect(passed.length / events.length).toBeGreaterThan(0.9)
  })

  it.each<[string, string, Readonly<Record<string, string | undefined>>, string]>([
    ['a header is added', '{"a":"1"}', { b: '"2\\' }, '{"a":"1","b":"\\"2\\\\"}'],
    ['a header stays as it is', '{"a":"1","b":"2"}', { b: '2' }, '{"a":"1","b":"2"}'],
    ['a header that is not there is removed', '{"a":"1"}', { b: undefined }, '{"a":"1"}'],
    ['a header was given twice', '{"a":"1","b":"2","a":"3"}', { a: '3' }, '{"a":"1","b":"2","a":"3"}'],
  ])("the engine's text is passed on when %s", (_what, text, change, expected) => {
    expect(json(text).jsonWith(change)).toBe(expected)
  })

  it('bytes that are not UTF-8 become U+FFFD, as in the headers', () => {
    const event = json(Buffer.from('{"a":"x\xff","b":"\xc3\xa4"}', 'latin1'))

    expect(parsed(event.jsonWith({ c: 'ö' }))).toEqual({ a: 'x\ufffd', b: 'ä', c: 'ö' })
  })

  it.each([
    ['an event with a body', '{"a":"1","_body":"text"}'],
    ['an event with white space between its parts', '{ "a": "1" }'],
    ['an event with a value that is no text', '{"a":1}'],
    ['an event with a long escape', '{"a":"\\u00e4"}'],
    ['an event on two lines', '{"a":"1",\n"b":"2"}'],
    ['an event without headers', '{}'],
  ])('the text of %s is not passed on', (_what, text) => {
    expect(json(text).jsonWith({})).toBeUndefined()
  })

  it('the engine’s text is not passed on if a header changes or is removed', () => {
    expect(json('{"a":"1"}').jsonWith({ a: '2' })).toBeUndefined()
    expect(json('{"a":"1"}').jsonWith({ a: undefined })).toBeUndefined()
  })

  it('the text says the same as the headers, whatever names, values and changes are', () => {
    const name = fc.constantFrom('a', 'b', 'gone', 'Event-Domain', 'x,', '"', '}', '__proto__')
    const value = fc.string({
      unit: fc.constantFrom('"', '\\', ',', '{', '}', ':', 'gone', 'ä', '🙂', ' '),
      maxLength: 8,
    })
    const members = fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 8 })
    const given = fc.dictionary(fc.constantFrom('a', 'gone', 'Event-Domain'), fc.option(value, { nil: undefined }))
    fc.assert(
      fc.property(members, given, (parts, change) => {
        const text = `{${parts.map((part) => part.map((one) => JSON.stringify(one)).join(':')).join(',')}}`
        const event = json(text)
        const made = event.jsonWith(change)
        const isKept = Object.entries(change).every(([key, now]) => [undefined, now].includes(event.header(key)))
        expect(made !== undefined).toBe(isKept)
        if (made === undefined) return
        expect(new Map(Object.entries(Object(parsed(made))))).toEqual(new Map(Object.entries(changed(event, change))))
      }),
      { numRuns: 500 },
    )
  })
})
