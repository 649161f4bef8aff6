import * as fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { hmacSha256 } from '../../../adapters/crypto/hook-digests.ts'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { routes } from '../../../contracts/routes/index.ts'
import { placeholderReply } from '../../../core/hooks/request/auth-request.ts'
import { dryRunHook as dryRunOf, dryRunLimits } from '../../../core/hooks/lab/dry-run-hook.ts'
import type { HookInput } from '../../../core/hooks/definition/hook-input.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import type { HookRequest } from '../../../core/hooks/request/hook-client.ts'
import { handler as createHooks } from '../../../functions/hooks/create-hooks.ts'
import { handler as deliver } from '../../../functions/hooks/deliver.ts'
import { handler as dryRunHook } from '../../../functions/hooks/dry-run-hook.ts'
import { handler as hookDispatch } from '../../../functions/hooks/hook-dispatch.ts'
import { type Api, type ApiAnswer, aContext, anApi } from '../../support/platform/api.ts'
import { aHookInput } from '../../support/records/hook-input.ts'
import { fixed, hostileText } from '../../support/records/hostile-text.ts'
import { aBatch } from '../../support/records/queue-batch.ts'
import { anEvent } from '../../support/records/records.ts'
import { logEvent } from '../../support/hooks/logged-events.ts'

let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
})

const dryRun = (body: unknown, query = ''): Promise<ApiAnswer> => api.call(dryRunHook, { headers, body, query })

/** Lets events happen in the tenant's log, in this order. */
async function happened(...events: PlatformEvent[]): Promise<void> {
  for (const event of events) await logEvent(api.ports.eventLogWriter, event)
}

const inbound = (given: Record<string, string> = {}) =>
  anEvent({ fields: { 'Event-Name': 'CHANNEL_CREATE', 'Call-Direction': 'inbound', ...given } })

describe('a dry run', () => {
  it('a dry run shows for each recent event that the hook names whether it would fire, newest first', async () => {
    const events = [inbound(), inbound({ 'Call-Direction': 'outbound' }), anEvent({ name: 'DTMF' }), inbound()]
    await happened(...events)
    const filter = { 'Call-Direction': { operation: '==', value: 'inbound' } } as const

    const { status, body } = await dryRun(aHookInput({ filter }))

    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      looked: 4,
      matched: 2,
      refused: 1,
      otherEvents: [{ event: 'DTMF', count: 1 }],
      isCut: false,
    })
    expect(
      body.data.events.map(({ sequence, matches }: { sequence: number; matches: boolean }) => [sequence, matches]),
    ).toEqual([
      [4, true],
      [2, false],
      [1, true],
    ])
    expect(body.data.events[0]).toMatchObject({
      uuid: events[3]?.uuid,
      occurredAt: events[3]?.occurredAt,
      refusedBy: [],
    })
    expect(body.data.events[1]).not.toHaveProperty('request')
  })

  it.each([
    ['==', 'inbound', 'outbound', 'outbound'],
    ['==', 'inbound', undefined, null],
    ['!=', 'null', undefined, null],
    ['>', 10, '9', '9'],
    ['reg', '/^in/i', '', ''],
    ['==', null, 'x'.repeat(300), 'x'.repeat(256)],
  ] as const)('a dry run shows for the filter %s %j the value that it met', async (operation, value, actual, found) => {
    await happened(anEvent({ fields: actual === undefined ? {} : { a: actual } }))

    const { body } = await dryRun(
      aHookInput({ filter: { fine: { operation: '==', value: null }, a: { operation, value } } }),
    )

    expect(body.data.events).toMatchObject([{ matches: false, refusedBy: [{ field: 'a', operation, value, found }] }])
  })

  it('a dry run shows the request with an example of its id, time and signature', async () => {
    await happened(inbound())

    const { body } = await dryRun(aHookInput({ headers: { 'X-Direction': '${Call-Direction}' } }))

    const [{ request }] = body.data.events
    expect(request).toEqual({
      method: 'POST',
      url: 'https://receiver.example.com/hook',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'callplane-hooks/1',
        'x-direction': 'inbound',
        'webhook-id': `msg_${'0'.repeat(32)}`,
        'webhook-timestamp': String(Math.floor(api.clock.now() / 1000)),
        'webhook-signature': expect.stringMatching(/^v1,.{44}$/),
        'webhook-sequence': '1',
      },
      body: expect.stringContaining('"action":"CHANNEL_CREATE"'),
    })
    const { Webhook } = await import('standardwebhooks')
    const verify = () => new Webhook(body.data.exampleSecret)
    expect(body.data.exampleSecret).toMatch(/^whsec_.{44}$/)
    expect(verify().sign(request.headers['webhook-id'], new Date(api.clock.now()), request.body)).toBe(
      request.headers['webhook-signature'],
    )
  })

  it("a dry run leaves the placeholders of the pre-request's reply unchanged, and shows the pre-request", async () => {
    await happened(inbound({ tenant: 'acme' }))

    const { body } = await dryRun(
      aHookInput({
        headers: {
          Authorization: 'Bearer ${auth:body:token}',
          'X-Session': '${auth:header:SID} ${auth:header:x-more}',
        },
        auth: {
          enabled: true,
          url: 'https://login.example.com/token',
          method: 'POST',
          map: { tenant: '${tenant}' },
          cookie: true,
        },
        customBody: true,
        rawBody: '{"t":"${auth:body:token}"}',
      }),
    )

    expect(body.data.events[0]).toMatchObject({
      authRequest: { method: 'POST', url: 'https://login.example.com/token', body: '{"tenant":"acme"}' },
      request: {
        headers: {
          authorization: 'Bearer ${auth:body:token}',
          'x-session': '${auth:header:SID} ${auth:header:x-more}',
          cookie: 'SID=${auth:header:SID}; ${auth:cookie name}=${auth:cookie value}',
        },
        body: '{"t":"${auth:body:token}"}',
      },
    })
  })

  it('a dry run says so if no request could be made', async () => {
    await happened(inbound())

    const { body } = await dryRun(aHookInput({ customBody: true, rawBody: '{"a": ${Call-Direction}}' }))

    expect(body.data).toMatchObject({ matched: 1, events: [{ matches: true, problem: 'bad_template' }] })
    expect(body.data.events[0]).not.toHaveProperty('request')
  })

  it('a dry run treats a disabled hook as if it were enabled', async () => {
    await happened(inbound())

    expect((await dryRun(aHookInput({ enable: false }))).body.data).toMatchObject({ matched: 1 })
  })

  it('a dry run of a domain without events shows none', async () => {
    expect((await dryRun(aHookInput())).body.data).toMatchObject({ looked: 0, matched: 0, events: [], isCut: false })
  })

  it('a dry run sees no event of another tenant', async () => {
    await happened(anEvent({ domain: 'b.example.com' }), anEvent({ domain: 'x.a.example.com' }))

    expect((await dryRun(aHookInput())).body.data).toMatchObject({ looked: 0, events: [] })
    expect(await dryRun(aHookInput(), 'domain=b.example.com')).toMatchObject({ status: 403 })
  })
})

describe('a dry run is bounded', () => {
  it('a dry run examines a limited number of events', async () => {
    await happened(...Array.from({ length: dryRunLimits.events + 5 }, () => anEvent()))

    expect((await dryRun(aHookInput(), 'limit=1')).body.data).toMatchObject({
      looked: dryRunLimits.events,
      matched: dryRunLimits.events,
      isCut: true,
      events: [{ sequence: dryRunLimits.events + 5 }],
    })
  })

  it.each([
    ['', 20],
    ['limit=3', 3],
    ['limit=100', 100],
  ])('a dry run with the query "%s" shows %i events', async (query, shown) => {
    await happened(...Array.from({ length: 101 }, () => anEvent()))

    const { body } = await dryRun(aHookInput(), query)

    expect(body.data.events).toHaveLength(shown)
    expect(body.data.isCut).toBe(true)
  })

  it.each(['limit=0', 'limit=101', 'limit=x'])('a dry run refuses %s', async (query) => {
    expect(await dryRun(aHookInput(), query)).toMatchObject({ status: 400, body: { details: [{ field: 'limit' }] } })
  })

  it('the answer of a dry run has a limited size', async () => {
    await happened(...Array.from({ length: 7 }, () => inbound({ large: 'x'.repeat(190_000) })))

    const { body } = await dryRun(aHookInput())

    expect(body.data.events).toHaveLength(5)
    expect(body.data).toMatchObject({ matched: 7, isCut: true })
  })

  it('the work of patterns in a dry run is limited over all of them', async () => {
    await happened(...Array.from({ length: 150 }, () => inbound()))
    let matched = 0
    const matches = () => {
      matched += 1
      return true
    }
    // Three characters of the value are looked at: each match is 401 000 steps of 40 million.
    const compile = () => ({ size: 100_000, matches })
    const filter = { 'Call-Direction': { operation: 'reg', value: 'x' } } as const
    const rest = async () => {}
    const tools = {
      ...api.ports,
      clock: api.clock,
      hmac: hmacSha256,
      judges: { guard: addressGuard(''), compile },
      rest,
    }

    const rehearsal = dryRunOf(tools, 'a.example.com', aHookInput({ filter }), 20)

    await expect(rehearsal).rejects.toMatchObject({ code: 'invalid_field', details: [{ field: 'filter' }] })
    expect(matched).toBe(100)
  })

  it('a dry run counts a limited number of names of other events', async () => {
    await happened(...Array.from({ length: 60 }, (_, index) => anEvent({ name: `CUSTOM->a::${index}` })))

    expect((await dryRun(aHookInput())).body.data.otherEvents).toHaveLength(dryRunLimits.names)
  })
})

describe('a dry run leaves no trace', () => {
  it('a dry run sends nothing, stores nothing and is in no trail', async () => {
    await happened(inbound())
    const kept = () => structuredClone([{ ...api.ports.state, tokens: 0, sessions: 0, highestSessions: 0 }])
    const before = kept()

    await dryRun(aHookInput({ auth: { enabled: true, url: 'https://login.example.com/' } }))

    expect(kept()).toEqual(before)
    expect([api.ports.hookClient.sent, api.ports.deliveryQueue.queued, api.ports.events.published]).toEqual([
      [],
      [],
      [],
    ])
  })

  it('a dry run has no dependency that could send, resolve or write', () => {
    const route = routes.find(({ operationId }) => operationId === 'dryRunHook')

    expect(route?.needs).toEqual({ eventLog: ['latest'] })
    expect(route).toMatchObject({ audited: false, idempotent: false })
  })
})

describe('a definition that could not be created is refused in the same words', () => {
  it.each<[string, unknown]>([
    ['an unknown event', { event: 'ALL' }],
    ['a forbidden target', { action: { type: 'web', method: 'POST', url: 'http://169.254.169.254/' } }],
    ['a pattern', { filter: { a: { operation: 'reg', value: '(' } } }],
    ['a wrong type', { retries: 'x' }],
    ['a refused header', { headers: { 'webhook-id': 'x' } }],
  ])('%s', async (_what, given) => {
    const definition = { ...aHookInput(), ...Object(given) }

    const [created, rehearsed] = [await api.call(createHooks, { headers, body: definition }), await dryRun(definition)]

    expect(rehearsed.status).toBe(400)
    const { requestId: _, ...refusal } = created.body
    expect(rehearsed.body).toMatchObject(refusal)
  })
})

/** The request at the end of an event's whole way: made, dispatched, delivered. */
async function sentFor(definition: HookInput, event: PlatformEvent): Promise<readonly HookRequest[]> {
  const made = await api.call(createHooks, { headers, body: definition })
  expect(made.status).toBe(200)
  const message = (content: object) => ({ version: 1, ...content })
  await hookDispatch.over(api.ports, api.tools)(aBatch([message(event)]), aContext)
  const queued = api.ports.deliveryQueue.queued.splice(0)
  await deliver.over(api.ports, api.tools)(aBatch(queued.map(message)), aContext)
  return api.ports.hookClient.sent
}

/** A request without what is an example in a dry run. */
function comparable(request: HookRequest | undefined) {
  if (request === undefined) return undefined
  const {
    'webhook-id': id = '',
    'webhook-timestamp': _time,
    'webhook-signature': _signature,
    ...rest
  } = request.headers
  const { replaced: _replaced, ...shown } = request
  return { ...shown, headers: rest, body: id === '' ? request.body : request.body.replace(id, 'the id') }
}

const template = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '${a}',
        '${b}',
        '${absent}',
        '${x.y}',
        '${auth:body:token}',
        '${auth:header:SID}',
        '${auth:header:x-more}',
        '"',
        '{',
        '}',
      ),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''))
const name = fc.constantFrom('a', 'b', 'Event-Name', 'renamed')
const bodyTemplate = template.filter((text) => !/\p{Cc}/u.test(text) && text.isWellFormed())
const headerTemplate = bodyTemplate.map((text) => text.replaceAll(/[^ -~]/g, ''))
const definitions: fc.Arbitrary<HookInput> = fc.record(
  {
    event: fc.constant('CHANNEL_CREATE'),
    action: fc.record({
      type: fc.constant('web' as const),
      method: fc.constantFrom('GET', 'post', 'PUT', 'PATCH', 'DELETE'),
      url: fc.constantFrom('https://receiver.example.com/hook', 'https://receiver.example.com/hook?q=1'),
    }),
    fields: fc.uniqueArray(name),
    map: fc.dictionary(name, name, { noNullPrototype: true }),
    headers: fc.dictionary(fc.constantFrom('X-A', 'Authorization', 'Cookie', 'User-Agent'), headerTemplate, {
      noNullPrototype: true,
    }),
    customBody: fc.boolean(),
    rawBody: fc.oneof(
      bodyTemplate,
      bodyTemplate.map((text) => JSON.stringify({ text })),
      fc.constant('{"a":"${a}"}'),
    ),
    auth: fc.record({
      enabled: fc.boolean(),
      url: fc.constant('https://login.example.com/'),
      map: fc.dictionary(name, headerTemplate, { noNullPrototype: true }),
      cookie: fc.boolean(),
    }),
  },
  { requiredKeys: ['event', 'action', 'rawBody'] },
)

it('the request of a dry run equals that of a delivery of the event, except for id, time and signature', async () => {
  const seen = { requests: 0, auths: 0, problems: 0 }
  await fc.assert(
    fc.asyncProperty(definitions, hostileText, hostileText, async (definition, a, b) => {
      for (const map of [api.ports.state.hooks, api.ports.state.eventLogs, api.ports.state.deliveries]) map.clear()
      api.ports.hookClient.sent.length = 0
      // Each placeholder is answered with its own text.
      const answer = placeholderReply({ headers: definition.headers ?? {}, rawBody: definition.rawBody ?? '' })
      api.ports.hookClient.answer = () => answer
      const event = anEvent({ fields: { 'Event-Name': 'CHANNEL_CREATE', a: a.toWellFormed(), b: b.toWellFormed() } })

      const sent = await sentFor(definition, event)
      const [shown] = (await dryRun(definition)).body.data.events

      const [last, auth] = [sent.at(-1), sent.length > 1 ? sent[0] : undefined]
      if (shown.problem !== undefined) {
        expect(sent.filter(({ url }) => url.includes('receiver'))).toEqual([])
        seen.problems += 1
        return
      }
      expect(comparable(shown.request)).toEqual(comparable(last))
      expect(shown.authRequest).toEqual(auth)
      seen.requests += 1
      if (auth !== undefined) seen.auths += 1
    }),
    fixed(200),
  )
  expect(seen.requests).toBeGreaterThan(80)
  expect(seen.auths).toBeGreaterThan(20)
  expect(seen.problems).toBeGreaterThan(5)
})
