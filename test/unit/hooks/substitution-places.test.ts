import { describe, expect, it } from 'vitest'
import { hmacSha256 } from '../../../adapters/crypto/hook-digests.ts'
import { callHook } from '../../../core/hooks/request/call-hook.ts'
import type { JsonObject } from '../../../core/hooks/definition/event-fields.ts'
import type { HookRequest } from '../../../core/hooks/request/hook-client.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { aHook, anEvent } from '../../support/records/records.ts'

const auth = { enabled: true, url: 'https://auth.example.com/', method: 'POST', headers: {}, map: {}, cookie: false }
const text = { 'Content-Type': 'text/plain' }

/** Where a template may stand, and how what was made of it is found in the pre-request and the request. */
const places: Readonly<
  Record<
    string,
    { put: (template: string) => Partial<Hook>; find: (sent: readonly HookRequest[]) => string | undefined }
  >
> = {
  headers: {
    put: (template) => ({ headers: { 'X-A': template } }),
    find: ([, request]) => request?.headers['x-a'],
  },
  rawBody: {
    put: (template) => ({ customBody: true, rawBody: template, headers: text }),
    find: ([, request]) => request?.body,
  },
  'auth.headers': {
    put: (template) => ({ auth: { ...auth, headers: { 'X-A': template } } }),
    find: ([first]) => first?.headers['x-a'],
  },
  'auth.map of a body': {
    put: (template) => ({ auth: { ...auth, map: { a: template } } }),
    find: ([first]) => JSON.parse(first?.body ?? '{}').a,
  },
  'auth.map of a query': {
    put: (template) => ({ auth: { ...auth, method: 'GET', map: { a: template } } }),
    find: ([first]) => new URL(first?.url ?? '').searchParams.get('a') ?? undefined,
  },
}

/** Every request that a hook makes of an event. */
async function sentBy(given: Partial<Hook>, fields: JsonObject): Promise<readonly HookRequest[]> {
  const sent: HookRequest[] = []
  const hookClient = {
    async send(request: HookRequest) {
      sent.push(request)
      return { outcome: 'answered', status: 200, headers: {}, body: '{"token":"T"}', durationMs: 0 } as const
    },
  }
  const tools = { hookClient, clock: { now: () => 0 }, hmac: hmacSha256 }
  const hook = aHook({ auth, ...given })
  const subject = { id: 'msg_1', eventName: 'CHANNEL_CREATE', sequence: 1 }
  await callHook(tools, { hook, keys: [] }, subject, { ...anEvent(), fields })
  return sent
}

describe.each(Object.entries(places))('substitution in %s', (_place, { put, find }) => {
  it.each<[string, string, JsonObject, string]>([
    ['a field', '${Call-Direction}', { 'Call-Direction': 'inbound' }, 'inbound'],
    ['the channel variable before the field', '${x}', { x: 'field', variable_x: 'variable' }, 'variable'],
    ['an empty channel variable before the field', '<${x}>', { x: 'field', variable_x: '' }, '<>'],
    ['a nested value before a plain key', '${a.b}', { a: { b: 'nested' }, 'a.b': 'plain' }, 'nested'],
    ['a plain key with a dot', '${a.b}', { a: { c: 'x' }, 'a.b': 'plain' }, 'plain'],
    ['no channel variable for a name with a dot', '<${a.b}>', { 'variable_a.b': 'x' }, '<>'],
    ['nothing for what is absent', '<${gone}>', {}, '<>'],
    ['nothing for null', '<${a}>', { a: null }, '<>'],
    ['a value that is no text as JSON', '${a} ${b} ${c}', { a: { x: [1] }, b: false, c: 0 }, '{"x":[1]} false 0'],
    ['what a value brings in as it is', '${a}', { a: '${b}', b: 'x' }, '${b}'],
    ['what is no placeholder as it is', '${ a } $a {a} ${a', { a: 'x' }, '${ a } $a {a} ${a'],
    ['several at once', '${a}${b}-${a}', { a: '1', b: '2' }, '12-1'],
  ])('a substitution gives %s', async (_title, template, fields, expected) => {
    expect(find(await sentBy(put(template), fields))).toBe(expected)
  })
})

it("no value of the pre-request's reply is available in the pre-request itself", async () => {
  const [first, second] = await sentBy(
    { auth: { ...auth, headers: { 'X-A': '<${auth:body:token}>' } }, headers: { 'X-A': '<${auth:body:token}>' } },
    {},
  )

  expect([first?.headers['x-a'], second?.headers['x-a']]).toEqual(['<>', '<T>'])
})

it('nothing is substituted in the URL of a hook or of its pre-request', async () => {
  const url = 'https://r.example.com/${a}?b=${a}'

  const sent = await sentBy({ action: { type: 'web', method: 'POST', url }, auth: { ...auth, url } }, { a: 'secret' })

  expect(sent.map((request) => request.url)).toEqual([url, url])
})

it('a pre-request can grow to 256 Ki characters, in one value or in two hundred', async () => {
  const half = 'x'.repeat(128 * 1024)
  const map = (count: number) => ({
    auth: { ...auth, map: Object.fromEntries(Array.from({ length: count }, (_, n) => [n, '${a}'])) },
  })

  expect(await sentBy(map(1), { a: half })).toHaveLength(2)
  expect(await sentBy(map(2), { a: half })).toHaveLength(0)
  expect(await sentBy(map(200), { a: 'x'.repeat(1300) })).toHaveLength(2)
  expect(await sentBy(map(200), { a: 'x'.repeat(1310) })).toHaveLength(0)
})
