import { describe, expect, it } from 'vitest'
import type { HookInput } from '../../../core/hooks/definition/hook-input.ts'
import { DomainError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/hooks/definition/event-fields.ts'
import { handler as createHooks } from '../../../functions/hooks/create-hooks.ts'
import { anApi } from '../../support/platform/api.ts'
import { badInputs } from '../../support/records/bad-inputs.ts'
import { aGuardedHarness, aSink } from '../../support/hooks/guarded-harness.ts'
import { aHookInput } from '../../support/records/hook-input.ts'
import type { RecordedRequest } from '../../support/hooks/hook-sink.ts'
import { anEvent } from '../../support/records/records.ts'

const samples = badInputs('hook-templates')

/** The outcome of a hook: the fields that it was refused for, or the request that came to its receiver, or why none. */
interface Outcome {
  readonly refused?: readonly string[]
  readonly request?: RecordedRequest
  readonly reason?: string | undefined
}

/** Makes a hook and lets one event come in. */
async function outcomeOf(given: Partial<HookInput>, fields: JsonObject = {}, method = 'POST'): Promise<Outcome> {
  const sink = await aSink()
  const harness = aGuardedHarness()
  try {
    await harness.hook(sink.url('/in'), given, method)
  } catch (error) {
    const details = error instanceof DomainError ? (error.details ?? []) : []
    if (details.length === 0) throw error
    return { refused: details.map(({ field }) => field) }
  }
  // A test event may have values that are no text.
  await harness.dispatch(anEvent())
  const kept = [...harness.ports.state.deliveryEvents.values()]
  for (const each of kept) Object.assign(each, { event: { ...each.event, fields } })
  await harness.attempt()
  expect(sink.requests.length).toBeLessThanOrEqual(1)
  const [request] = sink.requests
  return request === undefined ? { reason: harness.deliveries()[0]?.attempts[0]?.reason } : { request }
}

/** The expectation of a sample; every one has to have one. */
function expected<T>(all: Readonly<Record<string, T>>, sample: string): T {
  const found = all[sample]
  if (found === undefined) throw new Error(`the sample ${JSON.stringify(sample.slice(0, 50))} has no expectation`)
  return found
}

describe('a header', () => {
  /** The field that is refused, or the value that arrives. */
  const ends: Readonly<Record<string, { refused: string } | { arrives: string }>> = {
    'Host: 169.254.169.254': { refused: 'headers.Host' },
    'Transfer-Encoding: chunked': { refused: 'headers.Transfer-Encoding' },
    'Upgrade: websocket': { refused: 'headers.Upgrade' },
    'Expect: 100-continue': { refused: 'headers.Expect' },
    'TE: trailers': { refused: 'headers.TE' },
    'Trailer: x': { refused: 'headers.Trailer' },
    'Keep-Alive: x': { refused: 'headers.Keep-Alive' },
    'Proxy-Authorization: x': { refused: 'headers.Proxy-Authorization' },
    'webhook-id: 1': { refused: 'headers.webhook-id' },
    'Webhook-Signature: v1,x': { refused: 'headers.Webhook-Signature' },
    'X-Access-Token: x': { arrives: 'x' },
    'Content-Encoding: gzip': { arrives: 'gzip' },
    'Content-Type: text/html': { arrives: 'text/html' },
    'User-Agent: (empty)': { arrives: '' },
    'X-A: b\r\nX-C: d': { refused: 'headers.X-A' },
    'X-A: b\u0000': { refused: 'headers.X-A' },
    'X-A\r\nX-B: c': { refused: 'headers.X-A\r\nX-B' },
    'X A: b': { refused: 'headers.X A' },
    ': b': { refused: 'headers.' },
    'X-A: ${Caller-Caller-ID-Name} with a name of "a\\r\\nX-Evil: 1"': { arrives: 'aX-Evil: 1' },
    'X-A: ${absent}': { arrives: '' },
    '200 headers': { refused: 'headers' },
    'two names that differ in case only': { refused: 'headers.x-a' },
  }

  function headersOf(sample: string): Record<string, string> {
    if (sample === '200 headers') return Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`X-${n}`, 'x']))
    if (sample.startsWith('two names')) return { 'X-A': '1', 'x-a': '2' }
    const at = sample.indexOf(': ')
    const value = sample.slice(at + 2).replace(/ with a name of .*/, '')
    return { [sample.slice(0, at)]: value === '(empty)' ? '' : value }
  }

  it.each(samples('header names and values'))('%j is refused, or arrives as documented and alone', async (sample) => {
    const headers = headersOf(sample)
    const end = expected(ends, sample)

    const { refused, request } = await outcomeOf({ headers }, { 'Caller-Caller-ID-Name': 'a\r\nX-Evil: 1' })

    if ('refused' in end) return expect(refused).toEqual([end.refused])
    const [name = ''] = Object.keys(headers)
    const own = new Set([name.toLowerCase(), 'content-type', 'user-agent'])
    const framing = ['host', 'connection', 'content-length']
    const signing = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'webhook-sequence']
    expect(request?.headerLines.map(([sent]) => sent.toLowerCase()).sort()).toEqual(
      [...framing, ...own, ...signing].sort(),
    )
    expect(request?.headers[name.toLowerCase()]).toBe(end.arrives)
  })
})

describe('a method', () => {
  it.each(samples('methods'))('%j is refused, or is one of the five', async (sample) => {
    const { refused, request } = await outcomeOf({}, {}, sample)

    if (sample === 'get') expect(request?.method).toBe('GET')
    else expect(refused).toEqual(['action.method'])
  })
})

describe('a template', () => {
  const form = 'application/x-www-form-urlencoded'
  /** The result: the body that arrives, or the refused fields, or the reason why nothing is sent. */
  const ends: Readonly<
    Record<
      string,
      { raw?: string; type?: string; a?: JsonObject[string]; body?: string; refused?: string; reason?: string }
    >
  > = {
    '${': { body: '${' },
    '${ }': { body: '${ }' },
    '${a': { body: '${a' },
    $a: { body: '$a' },
    '$${a}': { body: '$A' },
    '${${a}}': { body: '${A}' },
    '${a}}': { body: 'A}' },
    '${a[0]}': { body: '${a[0]}' },
    '${__proto__}': { body: '' },
    '${constructor}': { body: '' },
    '${toString}': { body: '' },
    '${process.env.AWS_SECRET_ACCESS_KEY}': { body: '' },
    '${hasOwnProperty}': { body: '' },
    '${a|upper}': { body: '${a|upper}' },
    '{{a}}': { body: '{{a}}' },
    '<%= a %>': { body: '<%= a %>' },
    '#{a}': { body: '#{a}' },
    '{"n":"${a}"} where a ends in a back slash': { type: 'application/json', a: 'x\\', body: '{"n":"x\\\\"}' },
    '{"n":"${a}"} where a has a line feed': { type: 'application/json', a: 'x\ny', body: '{"n":"x\\ny"}' },
    '{"n":${a}} where a is "1,\\"x\\":2"': { type: 'application/json', a: '1,"x":2', reason: 'bad_template' },
    '<a>${a}</a> where a is "</a><b>"': { type: 'application/xml', a: '</a><b>', body: '<a>&lt;/a&gt;&lt;b&gt;</a>' },
    'n=${a} where a is "1&x=2" (form body)': { type: form, a: '1&x=2', body: 'n=1%26x%3D2' },
    '10,000 times ${a} with a of 64 KiB': { raw: '${a}'.repeat(10_000), a: 'x'.repeat(65_536), reason: 'bad_template' },
    '"${" 100,000 times': { raw: '${'.repeat(100_000), refused: 'rawBody' },
    'template of 1 MiB': { raw: 'x'.repeat(1_048_576), refused: 'rawBody' },
    '${a} where a is an array value': { a: ['x', { y: 1 }], body: '["x",{"y":1}]' },
  }
  const without = ['rawBody absent with customBody true', 'rawBody with customBody false']

  it.each(samples('templates').filter((sample) => !without.includes(sample)))(
    '%j gives what is documented',
    async (sample) => {
      const end = expected(ends, sample)
      const rawBody = end.raw ?? sample.replace(/ where a .*/, '')
      const headers = { 'Content-Type': end.type ?? 'text/plain' }

      const { request, ...none } = await outcomeOf({ customBody: true, rawBody, headers }, { a: end.a ?? 'A' })

      if (end.refused !== undefined) expect(none).toEqual({ refused: [end.refused] })
      else if (end.reason !== undefined) expect(none).toEqual({ reason: end.reason })
      else expect(request?.body).toBe(end.body)
    },
  )

  it('a template is required for a custom body, and ignored without one', async () => {
    expect(without.every((sample) => samples('templates').includes(sample))).toBe(true)
    const { request } = await outcomeOf({ customBody: false, rawBody: '{"n":"${a}"}' }, { a: 'A' })

    expect(await outcomeOf({ customBody: true })).toEqual({ refused: ['rawBody'] })
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ data: { a: 'A' } })
  })
})

describe('an event, a filter or a map', () => {
  /** As they are in a request: the type of a field is judged there. */
  const bodies: Readonly<Record<string, string>> = {
    'event: ""': '"event":""',
    'event: "*"': '"event":"*"',
    'event: "ALL"': '"event":"ALL"',
    'event: "channel_create"': '"event":"channel_create"',
    'event: "CUSTOM"': '"event":"CUSTOM"',
    'event: "CUSTOM->a->b"': '"event":"CUSTOM->a->b"',
    'event: "CHANNEL_CREATE CHANNEL_ANSWER"': '"event":"CHANNEL_CREATE CHANNEL_ANSWER"',
    'event: "CHANNEL_CREATE\\nevent plain ALL"': '"event":"CHANNEL_CREATE\\nevent plain ALL"',
    'filter: {"__proto__":{}}': '"event":"DTMF","filter":{"__proto__":{}}',
    'map: {"__proto__":"a"}': '"event":"DTMF","map":{"__proto__":"a"}',
    'fields: [{}]': '"event":"DTMF","fields":[{}]',
    'auth: {"enabled":true} without headers': '"event":"DTMF","auth":{"enabled":true}',
  }
  const counted = ['1,001 hooks in one domain', 'the same hook twice']
  const action = JSON.stringify(aHookInput().action)

  it.each(samples('events, filters and maps').filter((sample) => !counted.includes(sample)))(
    '%j is refused, and nothing is written',
    async (sample) => {
      const api = anApi()
      const headers = { ...(await api.as(await api.account({ role: 'admin' }))), 'content-type': 'application/json' }

      const { status } = await api.call(createHooks, {
        headers,
        rawBody: `{${expected(bodies, sample)},"action":${action}}`,
      })

      expect(status).toBe(400)
      expect(api.ports.state.hooks.size).toBe(0)
    },
  )

  it('creating the same hook twice creates two that both get the event, and the 101st hook is refused', async () => {
    expect(counted.every((sample) => samples('events, filters and maps').includes(sample))).toBe(true)
    const sink = await aSink()
    const harness = aGuardedHarness()
    await harness.hook(sink.url())
    await harness.hook(sink.url())

    await harness.deliver(anEvent())

    expect(new Set(sink.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
    for (let made = 2; made < 100; made += 1) await harness.hook(sink.url())
    await expect(harness.hook(sink.url())).rejects.toThrow('a domain has at most 100 hooks')
  })
})
