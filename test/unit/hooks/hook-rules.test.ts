import { describe, expect, it } from 'vitest'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { linearPattern } from '../../../adapters/regex/linear-pattern.ts'
import { channelEvents, serviceEventKinds } from '../../../core/events/catalogue.ts'
import type { HookInput } from '../../../core/hooks/definition/hook-input.ts'
import { hookProblems } from '../../../core/hooks/definition/hook-rules.ts'
import { aHookInput } from '../../support/records/hook-input.ts'

const judges = { guard: addressGuard(''), compile: linearPattern }

const brokenFields = (given: Partial<HookInput>): string[] =>
  hookProblems(aHookInput(given), judges).map(({ field }) => field)

const action = (given: Partial<HookInput['action']>): Partial<HookInput> => ({
  action: { ...aHookInput().action, ...given },
})

it('a hook with only the required fields is valid', () => {
  expect(hookProblems(aHookInput(), judges)).toEqual([])
})

describe('event', () => {
  const known = [
    ...channelEvents,
    ...serviceEventKinds.map((kind) => `CUSTOM->svc::${kind}`),
    'CUSTOM->engine::dialer_member_end',
    'CUSTOM->a.b-c_d::E',
  ]

  it.each(known)('a hook may name the event %s', (event) => {
    expect(brokenFields({ event })).toEqual([])
  })

  it.each([
    '',
    '*',
    'ALL',
    'channel_create',
    'CUSTOM',
    'CUSTOM->',
    'CUSTOM->a',
    'CUSTOM->a->b',
    'CUSTOM->a::b::c',
    'CUSTOM->a ::b',
    'custom->a::b',
    'HEARTBEAT',
    'CHANNEL_CREATE CHANNEL_ANSWER',
    'CHANNEL_CREATE\nevent plain ALL',
    'CHANNEL_CREATE\n',
    ' CHANNEL_CREATE',
    'CUSTOM->reload::mod_event_socket',
    'CUSTOM->a::MOD_EVENT_SOCKET',
  ])('%j is refused', (event) => {
    expect(brokenFields({ event })).toEqual(['event'])
  })
})

describe('action.method', () => {
  it.each(['GET', 'get', 'Post', 'PUT', 'patch', 'DELETE'])('a hook may have the method %s', (method) => {
    expect(brokenFields(action({ method }))).toEqual([])
  })

  it.each(['', ' ', 'OPTIONS', 'HEAD', 'DELETE /admin HTTP/1.1', 'POST\r\nX: y', 'PÖST', 'A'.repeat(300)])(
    '%j is refused',
    (method) => {
      expect(brokenFields(action({ method }))).toEqual(['action.method'])
    },
  )
})

describe('headers', () => {
  it.each([
    ['X-Access-Token', 'x'],
    ['Content-Type', 'text/html'],
    ['Authorization', 'Bearer ${auth:body:token}'],
    ['X-A', '${absent}'],
    ['User-Agent', ''],
  ])('a hook may have the header %s: %s', (name, value) => {
    expect(brokenFields({ headers: { [name]: value } })).toEqual([])
  })

  it.each([
    'Host',
    'host',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Keep-Alive',
    'Proxy-Authorization',
    'TE',
    'Trailer',
    'Upgrade',
    'Expect',
    'webhook-id',
    'Webhook-Signature',
    'WEBHOOK-x',
    '',
    ' ',
    'X A',
    'X-A:',
    'X-A\r\nX-B',
    'Näme',
    'a'.repeat(129),
  ])('the name %j is refused', (name) => {
    expect(brokenFields({ headers: { [name]: 'x' } })).toEqual([`headers.${name}`])
  })

  it.each(['b\r\nX-C: d', 'b\u0000', 'b\u007f', 'x'.repeat(2049), 'Zürich', 'a\u00a0b', '${n} 山'])(
    'the value %j is refused',
    (value) => {
      expect(brokenFields({ headers: { 'X-A': value } })).toEqual(['headers.X-A'])
      expect(brokenFields({ auth: { headers: { 'X-A': value } } })).toEqual(['auth.headers.X-A'])
    },
  )

  it('two headers of a hook whose names differ in case only are refused', () => {
    expect(brokenFields({ headers: { 'X-A': '1', 'x-a': '2' } })).toEqual(['headers.x-a'])
  })

  it.each(['Content-Type', 'content-type', 'CONTENT-TYPE'])(
    'refuse a substitution in %s, which decides how values are escaped',
    (name) => {
      for (const value of ['${type}', 'text/${kind}', 'application/json; x=${']) {
        expect(brokenFields({ headers: { [name]: value } })).toEqual([`headers.${name}`])
      }
      expect(brokenFields({ headers: { [name]: 'text/plain; charset=utf-8' } })).toEqual([])
      expect(brokenFields({ auth: { headers: { [name]: '${type}' } } })).toEqual([])
    },
  )

  it('51 headers of a hook are refused, and 50 are accepted', () => {
    const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, 'x']))

    expect(brokenFields({ headers: headers(50) })).toEqual([])
    expect(brokenFields({ headers: headers(51) })).toEqual(['headers'])
  })
})

describe('rawBody', () => {
  it('rawBody is required if customBody is true', () => {
    expect(brokenFields({ customBody: true })).toEqual(['rawBody'])
    expect(brokenFields({ customBody: true, rawBody: '' })).toEqual([])
    expect(brokenFields({ rawBody: '{}' })).toEqual([])
  })

  it('rawBody has at most 64 KiB of UTF-8', () => {
    expect(brokenFields({ rawBody: 'é'.repeat(32 * 1024) })).toEqual([])
    expect(brokenFields({ rawBody: `${'é'.repeat(32 * 1024)}x` })).toEqual(['rawBody'])
  })
})

describe('filter', () => {
  const pattern = (value: string): Partial<HookInput> => ({ filter: { a: { operation: 'reg', value } } })

  it.each(['^1[0-9]+$', '/^a/gimy', '/a\\/b/', '', '/', 'a'.repeat(256)])('the pattern %j is accepted', (value) => {
    expect(brokenFields(pattern(value))).toEqual([])
  })

  it.each(['(', '/a/x', '/a(/', '(?=a)', '(a)\\1', 'a'.repeat(257)])('the pattern %j is refused', (value) => {
    expect(brokenFields(pattern(value))).toEqual(['filter.a.value'])
  })
})

describe('a number of a filter', () => {
  const number = (value: number): Partial<HookInput> => ({ filter: { a: { operation: '>', value } } })

  it.each([0, -0.5, 1e125, -1e-100])('a filter of a hook may have the number %d', (value) => {
    expect(brokenFields(number(value))).toEqual([])
  })

  it.each([1e126, -1e300, 1e-200])('a filter of a hook may not have the number %d, which no store takes', (value) => {
    expect(brokenFields(number(value))).toEqual(['filter.a.value'])
  })
})

describe('map', () => {
  it.each<Record<string, string>>([{ '': 'a' }, { a: '' }, { ['a'.repeat(129)]: 'a' }, { a: 'a'.repeat(129) }])(
    '%j is refused',
    (map) => {
      expect(brokenFields({ map })).toEqual(['map'])
    },
  )
})

describe('auth', () => {
  it('auth needs a URL when it is enabled', () => {
    expect(brokenFields({ auth: { enabled: true } })).toEqual(['auth.url'])
    expect(brokenFields({ auth: { enabled: false } })).toEqual([])
  })

  it('auth is validated like the action, even while it is not enabled', () => {
    const auth = { url: 'http://169.254.169.254/', method: 'TRACE', headers: { Host: 'x' }, map: { '': 'x' } }

    expect(brokenFields({ auth })).toEqual(['auth.url', 'auth.method', 'auth.headers.Host', 'auth.map'])
  })

  it('auth may have templates in the values of its data that are as long as those of headers', () => {
    const map = (value: string) => brokenFields({ auth: { map: { name: value } } })

    expect(['', '${a}', 'x'.repeat(2048)].flatMap(map)).toEqual([])
    expect(map('x'.repeat(2049))).toEqual(['auth.map.name'])
  })
})
