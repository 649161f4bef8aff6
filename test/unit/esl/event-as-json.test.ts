import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { type EslEvent, readEvent } from '../../../connector/esl/event.ts'
import { recordedEslEvents } from '../../support/engine/recorded-events.ts'

const json = (text: string | Buffer) => readEvent('text/event-json', Buffer.from(text))

const changes = {
  'Channel-Presence-ID': undefined,
  variable_presence_id: '1001@ä.example.com',
  'Event-Name': undefined,
  'Event-Domain': 'a.example.com',
}

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

  it('more than nine in ten events of a busy engine are passed on without being decoded', () => {
    const events = recordedEslEvents('bench/stream-json')
    const decoded = events.filter((event) => event.jsonWith(changes) === undefined)

    expect(decoded.length / events.length).toBeLessThan(0.1)
  })

  it.each([
    ['the first member', '{"gone":"1","b":"2"}', { b: '2' }],
    ['the last member', '{"a":"1","gone":"2"}', { a: '1' }],
    ['the only member', '{"gone":"2"}', {}],
    ['each of several', '{"gone":"0","a":"1","gone":"2","b":"3","gone":"4"}', { a: '1', b: '3' }],
    ['a member with quotes, commas and backslashes', '{"gone":"\\",\\"a\\":\\"x\\\\","b":"2"}', { b: '2' }],
    ['a member whose value ends in a backslash', '{"a":"1","gone":"\\\\\\\\","b":"2"}', { a: '1', b: '2' }],
  ])('a removed header leaves no trace: %s', (_what, text, left) => {
    expect(parsed(json(text).jsonWith({ gone: undefined }))).toEqual(left)
    expect(parsed(json(text).jsonWith({ gone: undefined, new: '1' }))).toEqual({ ...left, new: '1' })
  })

  it.each([
    ['a value that looks like a member', '{"a":",\\"gone\\":\\"1\\"","b":"gone\\":\\"2"}'],
    ['a longer name', '{"agone":"1","gone2":"2","x-gone":"3","\\"gone":"4"}'],
    ['a value', '{"a":"gone"}'],
  ])('a removed header takes nothing else with it: %s', (_what, text) => {
    expect(parsed(json(text).jsonWith({ gone: undefined }))).toEqual(JSON.parse(text))
  })

  it('the last of two headers of one name counts, and a change overrides both', () => {
    expect(parsed(json('{"a":"1","b":"2","a":"3"}').jsonWith({}))).toEqual({ a: '3', b: '2' })
    expect(parsed(json('{"a":"1","b":"2","a":"3"}').jsonWith({ a: '4' }))).toEqual({ a: '4', b: '2' })
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
  ])('%s has to be decoded', (_what, text) => {
    expect(json(text).jsonWith({})).toBeUndefined()
  })

  it('an event in the plain format has to be decoded', () => {
    expect(readEvent('text/event-plain', Buffer.from('Event-Name: API\n\n')).jsonWith({})).toBeUndefined()
  })

  it('the text says the same as the headers, whatever names, values and changes are', () => {
    const name = fc.constantFrom('a', 'b', 'gone', 'Event-Domain', 'x,', '"', '}', '\\x', '__proto__')
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
        expect(new Map(Object.entries(Object(parsed(made))))).toEqual(new Map(Object.entries(changed(event, change))))
      }),
      { numRuns: 500 },
    )
  })
})
