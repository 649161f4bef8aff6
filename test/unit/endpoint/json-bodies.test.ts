import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { handler as createDomain } from '../../../functions/domains/create-domain.ts'
import { handler as createEmailSettings } from '../../../functions/email/create-email-settings.ts'
import { parseJson } from '../../../functions/endpoint/read-request.ts'
import { breadth } from '../../support/breadth.ts'
import { type ApiRequest, anApi } from '../../support/platform/api.ts'
import { isUnreadable } from '../../support/records/hostile-text.ts'

const samples: Record<string, string[]> = JSON.parse(
  readFileSync(new URL('../../fixtures/bad-inputs/http-and-json.json', import.meta.url), 'utf8'),
)

const good = { domain_name: 'new.example.com', customer_id: 'c1' }

/** Sends a body as root, who may create domains. */
async function send(request: ApiRequest) {
  const api = anApi()
  const headers = { ...(await api.as('root')), ...request.headers }
  const answer = await api.call(createDomain, { ...request, headers })
  return { answer, api }
}

/** A good body with one more member, written as text. */
const withMember = (member: string, body: object = good) => `${JSON.stringify(body).slice(0, -1)},${member.slice(1)}`

describe('a body', () => {
  it.each(samples['not JSON'] ?? [])('the body %j is refused as invalid JSON', async (rawBody) => {
    const { answer, api } = await send({ rawBody })

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_json' } })
    expect(api.ports.state.domains.size).toBe(0)
  })

  it.each(['true', '0', '[]', '[{}]', '"x"', 'null'])(
    'the body %s is refused as of the wrong kind',
    async (rawBody) => {
      expect((await send({ rawBody })).answer).toMatchObject({ status: 400, body: { code: 'invalid_json' } })
    },
  )

  it.each(samples['JSON of another shape'] ?? [])('the body %s never makes the service fail', async (rawBody) => {
    expect((await send({ rawBody })).answer.status).toBe(400)
  })

  /** Keys that no body may have; all others that a route does not know are taken, and left out. */
  const refusedKeys = new Set([
    '{"a":1,"a":2}',
    '{"__proto__":{"role":"admin"}}',
    '{"domain\\u0000":"x"}',
    '{"\\u0064omain":"x","domain":"y"}',
  ])

  it.each(samples['keys'] ?? [])('a body with the keys of %s is refused, or accepted without them', async (member) => {
    const { answer, api } = await send({ rawBody: withMember(member) })

    if (refusedKeys.has(member)) {
      expect(answer).toMatchObject({ status: 400, body: { code: expect.stringMatching(/^invalid_(json|field)$/) } })
      expect(api.ports.state.domains.size).toBe(0)
    } else {
      expect(answer.status).toBe(200)
      expect([...api.ports.state.domains.values()]).toEqual([
        expect.objectContaining({ name: 'new.example.com', customerId: 'c1', parameters: {}, variables: {} }),
      ])
    }
  })

  const texts = (samples['text values'] ?? []).filter((text) => text.startsWith('{'))

  it.each(texts)('a body with the text of %s is refused, or the text comes back unchanged', async (member) => {
    const api = anApi()
    const headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
    const mail = { provider: 'smtp', options: { host: 'smtp.example.com' } }

    const answer = await api.call(createEmailSettings, { headers, rawBody: withMember(member, mail) })

    const { description } = JSON.parse(member) as { description: string }
    if (isUnreadable(description)) expect(answer.status).toBe(400)
    else expect(answer).toMatchObject({ status: 200, body: { description } })
    expect(api.ports.state.emailSettings.size).toBe(isUnreadable(description) ? 0 : 1)
  })

  it.each(['{"x":"\\ud800"}', '{"x":"\\udc00\\ud800"}', '{"x":"\\u0000"}', '{"x\\u0000":"y"}', '{"x":["\\u001b"]}'])(
    'with the text of %s is refused',
    async (member) => {
      expect((await send({ rawBody: withMember(member) })).answer.status).toBe(400)
    },
  )

  it('a refused body names the field that contains a control character', () => {
    expect(() => parseJson('{"a":[{"b":"\\u0007"}]}')).toThrow(
      expect.objectContaining({ details: [{ field: 'a[0].b', problem: 'must not contain control characters' }] }),
    )
  })

  it('a body may be 64 levels deep and no deeper', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

    expect(() => parseJson(nested(64))).not.toThrow()
    expect(() => parseJson(nested(65))).toThrow('nested deeper than 64 levels')
    expect(() => parseJson(nested(100_000))).toThrow('nested deeper than 64 levels')
  })

  it('a body with a number out of range is refused', () => {
    expect(() => parseJson('{"limit":1e400}')).toThrow('out of range')
    expect(() => parseJson(`[${'9'.repeat(1000)}]`)).toThrow('out of range')
  })

  it('a body without duplicate keys is parsed as JavaScript parses it', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 5 }).filter((text) => !/__proto__|\\u00[01]|\\u007f/i.test(text)),
        (text) => {
          const expected: unknown = JSON.parse(text)
          try {
            expect(parseJson(text)).toEqual(expected)
          } catch (error) {
            expect(String(error)).toMatch(/control characters|not well-formed/)
          }
        },
      ),
      { seed: 1, numRuns: breadth(75, 300) },
    )
  })

  it('a duplicate key in a body is detected at any position', () => {
    const member = fc.string({ unit: 'grapheme', maxLength: 4 }).filter((key) => key !== '__proto__')
    fc.assert(
      fc.property(member, fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('[', '{"o":'), (key, value, open) => {
        const pair = `${JSON.stringify(key)}:${JSON.stringify(value)}`
        const text = `${open}{${pair},${pair}}${open === '[' ? ']' : '}'}`

        expect(() => parseJson(text)).toThrow('the body holds a key')
      }),
      { seed: 1, numRuns: breadth(50, 200) },
    )
  })
})

describe('bytes', () => {
  const bytes = (body: Uint8Array | string) => ({ rawBody: Buffer.from(body).toString('base64'), base64: true })

  it('a body in base64 is read as UTF-8', async () => {
    expect((await send(bytes(JSON.stringify(good)))).answer.status).toBe(200)
  })

  it.each([
    ['an encoded surrogate', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ['Latin-1', Uint8Array.of(0x22, 0xe9, 0x22)],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
    ['a byte order mark', Buffer.from('\ufeff{}')],
  ])('a body of bytes that are %s is refused', async (_, body) => {
    expect((await send(bytes(body))).answer).toMatchObject({ status: 400, body: { code: 'invalid_json' } })
  })

  it('a body of bytes that the gateway could not decode is refused', async () => {
    expect((await send({ rawBody: withMember('{"x":"\ufffd"}') })).answer.status).toBe(400)
  })

  it.each([
    [256 * 1024, 200],
    [256 * 1024 + 1, 413],
  ])('the bytes of a body count towards its limit: %i are answered %i', async (size, status) => {
    const rawBody = JSON.stringify(good).padEnd(size)

    expect((await send({ rawBody })).answer.status).toBe(status)
    expect((await send(bytes(rawBody))).answer.status).toBe(status)
  })
})

describe('a content type', () => {
  it.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'])(
    '%s is taken',
    async (type) => {
      expect((await send({ body: good, headers: { 'content-type': type } })).answer.status).toBe(200)
    },
  )

  it.each<Record<string, string>>([
    { 'content-type': 'text/plain' },
    { 'content-type': '' },
    { 'content-type': 'application/json; charset=utf-7' },
    { 'content-type': 'application/jsonp' },
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  ])('the content type %j is refused', async (headers) => {
    expect((await send({ body: good, headers })).answer).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type' },
    })
  })
})
