import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HookInput } from '../../../core/hooks/definition/hook-input.ts'
import { hookContent } from '../../../core/hooks/definition/hook-content.ts'
import { readAuthReply } from '../../../core/hooks/request/auth-request.ts'
import { hookRequest } from '../../../core/hooks/request/hook-request.ts'
import { insideJsonString, substitute, verbatim } from '../../../core/hooks/request/template.ts'
import { fixed, hostileText } from '../../support/records/hostile-text.ts'
import { aGuardedHarness, aSink } from '../../support/hooks/guarded-harness.ts'
import { aHookInput } from '../../support/records/hook-input.ts'
import { aHook, anEvent } from '../../support/records/records.ts'

const planted = 'PLANTED'

/** Values that try to be placeholders, by themselves or with what stands around them, and all other hostile text. */
const value = fc.oneof(
  hostileText.map((text) => text.slice(0, 200)),
  fc
    .array(fc.constantFrom('${', '$', '{', '}', 'planted', '${planted}', ':', '"', '\\', '\r\n', 'x'), { maxLength: 8 })
    .map((parts) => parts.join('')),
)

/** An event with two hostile values, and one that no template asks for. */
const event = fc.record({ a: value, b: value, planted: fc.constant(planted) })

/** A template that asks for `a` and `b`, whole or broken, with more of the same around. */
const template = fc
  .array(fc.constantFrom('${a}', '${b}', '${absent}', '$', '{', '}', '${', '${a', 'a}', ' ', 'x', '-', ';', ','), {
    maxLength: 10,
  })
  .map((parts) => parts.join(''))

const headerName = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,10}$/).map((name) => `X-${name}`)
const headers = fc
  .uniqueArray(fc.tuple(headerName, template), { maxLength: 5, selector: ([name]) => name.toLowerCase() })
  .map((pairs) => Object.fromEntries(pairs))

const requestOf = (given: Partial<HookInput>, fields: Record<string, string>, auth: Record<string, string> = {}) =>
  hookRequest(
    aHook(hookContent(aHookInput(given))),
    { id: 'msg_1', eventName: 'CHANNEL_CREATE' },
    { event: fields, auth },
  )

describe('a value of an event', () => {
  it('a value of an event never adds a header, and never puts a character that is not printable ASCII into one', () => {
    fc.assert(
      fc.property(headers, event, (own, fields) => {
        const sent = requestOf({ headers: own }, fields)?.headers ?? {}

        const names = Object.keys(own).map((name) => name.toLowerCase())
        expect(Object.keys(sent).sort()).toEqual(['content-type', 'user-agent', ...names].sort())
        for (const text of Object.values(sent)) expect(text).toMatch(/^[ -~]*$/)
      }),
      fixed(1000),
    )
  })

  it('a value of an event never adds a header or a request to the bytes that are sent', async () => {
    const sink = await aSink()
    const harness = aGuardedHarness()
    await harness.hook(sink.url('/in'), { headers: { 'X-A': '${a}', 'X-B': 'b: ${b};' } })

    await fc.assert(
      fc.asyncProperty(event, async (fields) => {
        sink.requests.length = 0
        await harness.deliver(anEvent({ fields }))

        expect(sink.requests.map(({ method, target }) => `${method} ${target}`)).toEqual(['POST /in'])
        const names = sink.requests[0]?.headerLines.map(([name]) => name.toLowerCase()).sort()
        expect(names).toEqual([
          'connection',
          'content-length',
          'content-type',
          'host',
          'user-agent',
          'webhook-id',
          'webhook-sequence',
          'webhook-signature',
          'webhook-timestamp',
          'x-a',
          'x-b',
        ])
        expect(JSON.parse(sink.requests[0]?.body ?? '')).toMatchObject({ data: fields })
      }),
      fixed(100),
    )
  })

  it('the signature of a request covers the bytes that arrive, whatever values of the event they contain', async () => {
    const sink = await aSink()
    const harness = aGuardedHarness()
    const type = { 'Content-Type': 'text/plain' }
    const { secret } = await harness.hook(sink.url(), { customBody: true, rawBody: '${a} ${b}', headers: type })
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')

    await fc.assert(
      fc.asyncProperty(event, async (fields) => {
        await harness.deliver(anEvent({ fields }))

        const { headers = {}, bytes = Buffer.of() } = sink.requests.at(-1) ?? {}
        const body = bytes.subarray(bytes.length - Number(headers['content-length']))
        const signed = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), body])
        const signature = createHmac('sha256', key).update(signed).digest('base64')
        expect(headers['webhook-signature']).toBe(`v1,${signature}`)
      }),
      fixed(100),
    )
  })

  it('a value of an event stays inside of the string of a JSON body that contains its placeholder', () => {
    // A body as a hook's owner could write it: any JSON whose texts and names ask for values.
    const bodies = fc.jsonValue({ maxDepth: 3, stringUnit: fc.constantFrom('${a}', '${b}', 'x', '"', '\\', '$', '{') })
    fc.assert(
      fc.property(bodies, event, (body, fields) => {
        const rawBody = JSON.stringify(body)

        const sent = requestOf({ customBody: true, rawBody }, fields)?.body ?? ''

        const filled = (text: string) => text.replaceAll(/\$\{([ab])\}/g, (_, name: 'a' | 'b') => fields[name])
        const names = allNames(body).map(filled)
        // Two names that become one are one: that is not of the values.
        fc.pre(new Set(names).size === names.length && !names.includes('__proto__'))
        expect(JSON.parse(sent)).toEqual(mapTexts(body, filled))
      }),
      fixed(1000),
    )
  })

  it.each([
    ['as it is', verbatim],
    ['inside of JSON text', insideJsonString],
  ])('a value of an event is never expanded a second time, %s', (_title, insertion) => {
    fc.assert(
      fc.property(template, event, (text, fields) => {
        const result = substitute(text, { event: fields, auth: {} }, insertion, 1_000_000)

        expect(result).not.toContain(planted)
      }),
      fixed(2000),
    )
  })

  it('a value of an event never changes the target of a request without a body, and is one parameter of its query', () => {
    fc.assert(
      fc.property(event, fc.constantFrom('GET', 'DELETE'), (fields, method) => {
        const action = { type: 'web' as const, method, url: 'https://r.example.com/in?own=1' }

        const url = new URL(requestOf({ action }, fields)?.url ?? '')

        expect(`${url.origin}${url.pathname}${url.hash}`).toBe('https://r.example.com/in')
        expect([...url.searchParams]).toEqual(Object.entries({ own: '1', ...wellFormed(fields) }))
      }),
      fixed(500),
    )
  })
})

describe('a value of the answer to a pre-request', () => {
  it('a value of the answer to a pre-request never adds a header, and is never expanded', () => {
    const own = { 'X-A': 'Bearer ${auth:body:token}', 'X-B': '${auth:header:x-session} ${auth:header:sid}' }
    fc.assert(
      fc.property(value, value, value, (token, session, sid) => {
        const reply = readAuthReply({
          outcome: 'answered',
          status: 200,
          headers: { 'x-session': session, 'set-cookie': `sid=${sid}; Path=/` },
          body: JSON.stringify({ token, planted }),
          durationMs: 1,
        })

        const sent = requestOf({ headers: own }, { planted }, reply?.values)?.headers ?? {}

        expect(Object.keys(sent).sort()).toEqual(['content-type', 'user-agent', 'x-a', 'x-b'])
        for (const text of Object.values(sent)) expect(text).toMatch(/^[ -~]*$/)
        expect(JSON.stringify(sent)).not.toContain(planted)
      }),
      fixed(500),
    )
  })

  it("a value of the pre-request's reply never replaces a value of the event, nor the other way round", () => {
    const fields = { 'auth:body:token': 'of the event', token: 'plain' }

    const sent = requestOf({ headers: { 'X-A': '${auth:body:token} ${token}' } }, fields, { 'auth:body:token': 'T' })

    expect(sent?.headers['x-a']).toBe('T plain')
  })
})

/** As it is in a URL: halves of surrogate pairs cannot be sent, and are U+FFFD. In JSON they are escaped. */
function wellFormed(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, text.toWellFormed()]))
}

function allNames(json: unknown): string[] {
  if (typeof json !== 'object' || json === null) return []
  return [...(Array.isArray(json) ? [] : Object.keys(json)), ...Object.values(json).flatMap(allNames)]
}

function mapTexts(json: unknown, change: (text: string) => string): unknown {
  if (typeof json === 'string') return change(json)
  if (Array.isArray(json)) return json.map((member) => mapTexts(member, change))
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [change(name), mapTexts(member, change)]))
}
