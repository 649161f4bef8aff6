import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { customBody, isJson, selectData, standardBody, urlWithQuery } from '../../../core/hooks/request/hook-request.ts'
import { breadth } from '../../support/breadth.ts'

const event = { a: '1', b: '2', c: '3' }

describe('the data of a hook', () => {
  it.each<[string, string[], Record<string, string>, Record<string, string>]>([
    ['is the whole event without fields and map', [], {}, { a: '1', b: '2', c: '3' }],
    ['is the fields that are named', ['a', 'c'], {}, { a: '1', c: '3' }],
    ['leaves out fields that the event does not have', ['a', 'x', 'constructor'], {}, { a: '1' }],
    ['has new names', [], { a: 'x' }, { b: '2', c: '3', x: '1' }],
    ['overwrites a target that exists', [], { a: 'b' }, { b: '1', c: '3' }],
    ['skips a source that is absent', [], { x: 'b' }, { a: '1', b: '2', c: '3' }],
    ['skips a source that was not kept', ['b'], { a: 'b' }, { b: '2' }],
    ['can swap two names', [], { a: 'b', b: 'a' }, { a: '2', b: '1', c: '3' }],
    ['does not rename twice', [], { a: 'b', b: 'z' }, { b: '1', c: '3', z: '2' }],
    ['can keep a name', [], { a: 'a' }, { a: '1', b: '2', c: '3' }],
  ])('%s', (_title, fields, map, expected) => {
    expect(selectData({ fields, map }, event)).toEqual(expected)
  })
})

it('the standard body has the delivery, the event and the data', () => {
  const body = standardBody({ id: 'msg_1', eventName: 'CHANNEL_CREATE' }, { a: '"\n' })

  expect(JSON.parse(body)).toEqual({ id: 'msg_1', action: 'CHANNEL_CREATE', data: { a: '"\n' } })
})

describe('the query string', () => {
  it("the event's fields are appended to a query string in the URL", () => {
    expect(urlWithQuery('https://r.example.com/in?x=1', { a: '2' })).toBe('https://r.example.com/in?x=1&a=2')
  })

  it('nested values in the query string are JSON', () => {
    const url = new URL(urlWithQuery('https://r.example.com/', { a: { b: [1] } }))

    expect(url.searchParams.get('a')).toBe('{"b":[1]}')
  })

  it('every value can be read back from the query string, and none changes host or path', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (name, value) => {
        const url = new URL(urlWithQuery('https://r.example.com/in', { [name]: value }))

        expect([url.host, url.pathname, url.hash]).toEqual(['r.example.com', '/in', ''])
        expect(url.searchParams.get(name)).toBe(value)
      }),
      { seed: 20_250_107 },
    )
  })
})

describe('a Content-Type', () => {
  it.each([
    undefined,
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/problem+json',
    ' application/json ',
  ])('a hook body %s is JSON', (type) => {
    expect(isJson(type)).toBe(true)
  })

  it.each([
    '',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'x/application/json',
  ])('a hook body %s is not JSON', (type) => {
    expect(isJson(type)).toBe(false)
  })
})

describe('a body of the hook itself', () => {
  const custom = (rawBody: string, contentType: string | undefined, fields: Record<string, string>) =>
    customBody({ rawBody }, contentType, { event: fields, auth: {} })

  const hostile = `7&admin=1 +"<a>'é\u0000`
  it.each([
    ['application/x-www-form-urlencoded', '7%26admin%3D1%20%2B%22%3Ca%3E%27%C3%A9%00'],
    [' Application/X-WWW-Form-Urlencoded; charset=utf-8', '7%26admin%3D1%20%2B%22%3Ca%3E%27%C3%A9%00'],
    ['application/xml', '7&amp;admin=1 +&quot;&lt;a&gt;&apos;é\ufffd'],
    ['text/xml; charset=utf-8', '7&amp;admin=1 +&quot;&lt;a&gt;&apos;é\ufffd'],
    ['application/soap+xml', '7&amp;admin=1 +&quot;&lt;a&gt;&apos;é\ufffd'],
    ['text/plain', hostile],
    ['application/xml-dtd', hostile],
  ])('a value in a body of type %s is escaped for it, and the template is not', (type, expected) => {
    expect(custom('a=<&${n}&x=1', type, { n: hostile })).toBe(`a=<&${expected}&x=1`)
  })

  it('a form whose values were inserted has the fields of its template alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const body = custom('to=${n}&x=1', 'application/x-www-form-urlencoded', { n: value }) ?? ''

        expect([...new URLSearchParams(body)]).toEqual([
          ['to', value.toWellFormed()],
          ['x', '1'],
        ])
      }),
      { seed: 20_251_127 },
    )
  })

  it.each(['application/x-www-form-urlencoded', 'application/xml'])(
    'a value in a body of type %s stays as it is if the hook says so',
    (type) => {
      const source = { event: { n: hostile }, auth: {} }

      expect(customBody({ rawBody: '${n}', rawSubstitution: true }, type, source)).toBe(hostile)
    },
  )

  it('a value in JSON is escaped even if the hook wants values as they are', () => {
    const source = { event: { n: '"' }, auth: {} }

    expect(customBody({ rawBody: '"${n}"', rawSubstitution: true }, undefined, source)).toBe('"\\""')
  })

  it.each([
    ['ends in a back slash', 'x\\'],
    ['has a line feed', 'a\nb'],
    ['has a quote', '","admin":"1'],
  ])('a body of the hook itself holds a value in its string that %s', (_title, value) => {
    expect(JSON.parse(custom('{"n":"${a}"}', undefined, { a: value }) ?? '')).toEqual({ n: value })
  })

  it('a custom body with a value outside of a string is invalid if the result is not JSON', () => {
    expect(custom('{"n":${a}}', undefined, { a: '1,"x":2' })).toBeUndefined()
    expect(custom('{"n":${a}}', undefined, { a: 'x' })).toBeUndefined()
    expect(custom('{"n":${a}}', undefined, { a: '17' })).toBe('{"n":17}')
  })

  it('a value outside of a string cannot add a member to a custom body', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('1', ',', '"', ':', 'x', '{', '}', '[', ']', ' ') }), (value) => {
        const body = custom('{"n":${a}}', undefined, { a: value })
        if (body !== undefined) expect(Object.keys(JSON.parse(body) as object)).toEqual(['n'])
      }),
      { seed: 20_250_108, numRuns: breadth(500, 2000) },
    )
  })

  it.each(['', '{', 'x', '{"a":1,}'])('the hook body %j is refused where JSON is wanted', (template) => {
    expect(custom(template, 'application/json', {})).toBeUndefined()
  })

  it('a custom body of another type is sent as it is', () => {
    expect(custom('n=${a}', 'text/plain', { a: '1&x=2' })).toBe('n=1&x=2')
    expect(custom('<a>${a}</a>', 'text/html', { a: '"' })).toBe('<a>"</a>')
  })

  it('a custom body that grows beyond 256 KiB is invalid', () => {
    expect(custom('${a}'.repeat(5), 'text/plain', { a: 'x'.repeat(65_536) })).toBeUndefined()
  })
})
