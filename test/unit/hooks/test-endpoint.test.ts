import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, it } from 'vitest'
import { deliveryId, hmacSha256 } from '../../../adapters/crypto/hook-digests.ts'
import { testClientLimits } from '../../../adapters/http/guarded-hook-client.ts'
import { secretPurpose } from '../../../core/hooks/definition/signing.ts'
import { testHook as testOf, testLimits } from '../../../core/hooks/lab/test-hook.ts'
import type { HookReply } from '../../../core/hooks/request/hook-client.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { handler as listDeliveries } from '../../../functions/hooks/list-deliveries.ts'
import { handler as testHook } from '../../../functions/hooks/test-hook.ts'
import { type Api, type ApiAnswer, anApi } from '../../support/platform/api.ts'
import { dying } from '../../support/processes/dying.ts'
import { aHook, anEvent } from '../../support/records/records.ts'
import { logEvent } from '../../support/hooks/logged-events.ts'

const domain = 'a.example.com'
const hookId = 'c'.repeat(24)
const params = { hook_id: hookId }
const key = new Uint8Array(32).fill(7)

let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
})

async function theHook(given: Partial<Hook> = {}): Promise<Hook> {
  const sealed = await api.ports.secretBox.seal(key, secretPurpose(domain, hookId))
  const hook = aHook({ id: hookId, filter: {}, secrets: [{ sealed }], ...given })
  await api.ports.hooks.create([hook], 9)
  return hook
}

const answered = (status: number, body = ''): HookReply => ({
  outcome: 'answered',
  status,
  headers: {},
  body,
  durationMs: 30,
})
const fire = (body?: unknown, more = {}): Promise<ApiAnswer> =>
  api.call(testHook, { headers: { ...headers, ...more }, params, ...(body === undefined ? {} : { body }) })
const logged = async () => (await api.call(listDeliveries, { headers, params })).body.data

describe('a test', () => {
  it('a hook test sends a signed sample event once, and shows the request and the response', async () => {
    await theHook()
    api.ports.hookClient.answer = () => answered(204, 'thanks')

    const { status, body } = await fire()

    expect(status).toBe(200)
    const [request] = api.ports.hookClient.sent
    expect(api.ports.hookClient.sent).toHaveLength(1)
    expect(body.data).toEqual({
      state: 'delivered',
      delivery: request?.headers['webhook-id'],
      sent: request,
      reply: { status: 204, durationMs: 30, snippet: 'thanks' },
      refusedBy: [],
    })
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      action: 'CHANNEL_CREATE',
      data: { 'Event-Name': 'CHANNEL_CREATE', 'Event-Domain': domain, 'Call-Direction': 'inbound' },
    })
    const secret = `whsec_${Buffer.from(key).toString('base64')}`
    const at = new Date(Number(request?.headers['webhook-timestamp']) * 1000)
    expect(new Webhook(secret).sign(request?.headers['webhook-id'] ?? '', at, request?.body ?? '')).toBe(
      request?.headers['webhook-signature'],
    )
  })

  it('a hook test is the newest entry of the log under the number 0, and is not retried', async () => {
    await theHook()
    await logEvent(api.ports.eventLogWriter, anEvent())
    api.ports.hookClient.answer = () => answered(503)

    const { body } = await fire()

    expect(body.data).toMatchObject({ state: 'failed', reason: 'status 503', reply: { status: 503 } })
    const [entry] = await logged()
    expect(entry).toMatchObject({
      id: body.data.delivery,
      sequence: 0,
      event: 'CHANNEL_CREATE',
      state: 'failed',
      attempts: [{ status: 503, reason: 'status 503' }],
    })
    expect(entry).not.toHaveProperty('nextAttemptAt')
    expect(api.ports.deliveryQueue.queued).toEqual([])
    expect(api.ports.hookClient.sent[0]?.headers).toMatchObject({ 'webhook-sequence': '0' })
  })

  it.each(['blocked address', 'timeout', 'dns', 'tls', 'network'])(
    'a hook test without an answer says why: %s',
    async (reason) => {
      await theHook()
      api.ports.hookClient.answer = () => ({ outcome: 'failed', reason, durationMs: 3 })

      const { body } = await fire()

      expect(body.data).toMatchObject({ state: 'failed', reason, reply: null, sent: { method: 'POST' } })
      expect(await logged()).toMatchObject([{ state: 'failed', attempts: [{ reason }] }])
    },
  )

  it('a hook test of a hook whose body cannot be built sends nothing, and says so', async () => {
    await theHook({ customBody: true, rawBody: '{' })

    expect((await fire()).body.data).toMatchObject({ state: 'failed', reason: 'bad_template', sent: null, reply: null })
    expect(api.ports.hookClient.sent).toEqual([])
    expect(await logged()).toMatchObject([{ state: 'failed', attempts: [{ reason: 'bad_template' }] }])
  })

  it('a hook test makes the pre-request, and reports its failure', async () => {
    const auth = {
      enabled: true,
      url: 'https://login.example.com/',
      method: 'GET',
      headers: {},
      map: {},
      cookie: false,
    }
    await theHook({ auth, headers: { 'X-Token': '${auth:body:token}' } })
    api.ports.hookClient.answer = ({ url }) => (url.includes('login') ? answered(200, '{"token":"t"}') : answered(200))
    expect((await fire()).body.data).toMatchObject({ state: 'delivered', sent: { headers: { 'x-token': 't' } } })
    api.ports.hookClient.answer = () => answered(401)

    expect((await fire()).body.data).toMatchObject({ state: 'failed', reason: 'auth_failed', sent: null, reply: null })
  })

  it('a hook test is possible while the hook is disabled', async () => {
    await theHook({ enable: false })

    expect((await fire()).body.data).toMatchObject({ state: 'delivered' })
  })

  it.each([410, 500])('a hook test that is answered with %i leaves the hook as it is', async (status) => {
    const hook = await theHook()
    api.ports.hookClient.answer = () => answered(status)

    await fire()

    expect(await api.ports.hooks.read(domain, hookId)).toEqual(hook)
    expect(api.ports.events.published).toEqual([])
  })
})

describe('the filters', () => {
  const filter = { 'Call-Direction': { operation: '==', value: 'outbound' } } as const

  it('a hook test sends and records nothing if a filter rejects the event, and names the filter', async () => {
    await theHook({ filter })

    const { status, body } = await fire()

    expect(status).toBe(200)
    expect(body.data).toEqual({
      state: 'skipped',
      reason: 'filtered',
      sent: null,
      reply: null,
      refusedBy: [{ field: 'Call-Direction', operation: '==', value: 'outbound', found: 'inbound' }],
    })
    expect(api.ports.hookClient.sent).toEqual([])
    expect(await logged()).toEqual([])
  })

  it('a hook test with force ignores the filters', async () => {
    await theHook({ filter })

    expect((await fire({ force: true })).body.data).toMatchObject({ state: 'delivered', refusedBy: [] })
  })

  it("a hook test sends the caller's own event if it passes the filters", async () => {
    await theHook({ filter })

    expect((await fire({ event: { 'Call-Direction': 'outbound' } })).body.data).toMatchObject({ state: 'delivered' })
  })
})

describe('an event of the caller', () => {
  it("a hook test sends the caller's own event unchanged, and uses it in templates, including nested values", async () => {
    await theHook({ customBody: true, rawBody: '{"a":"${a.b}","n":"${n}","id":"${Unique-ID}"}' })
    const event = { a: { b: 'deep "quoted"' }, n: 7, 'Unique-ID': 'call-1' }

    const { body } = await fire({ event })

    expect(JSON.parse(body.data.sent.body)).toEqual({ a: 'deep "quoted"', n: '7', id: 'call-1' })
    expect(await logged()).toMatchObject([{ uuid: 'call-1' }])
    const [{ event: kept } = { event: undefined }] = api.ports.state.deliveryEvents.values()
    expect(kept?.fields).toEqual(event)
  })

  it("the caller's own event of a hook test may be as large as a kept event, and no larger", async () => {
    await theHook()
    const ofBytes = (bytes: number) => ({ event: { a: 'x'.repeat(bytes - '{"a":""}'.length) } })

    expect(await fire(ofBytes(testLimits.eventBytes))).toMatchObject({ status: 200 })
    expect(await fire(ofBytes(testLimits.eventBytes + 1))).toMatchObject({
      status: 400,
      body: { details: [{ field: 'event' }] },
    })
  })

  it.each([
    ['a number that no store takes', { n: 1e300 }],
    ['a number that is too small', { list: [0, 1e-200] }],
    ['25 levels', JSON.parse(`${'{"a":'.repeat(25)}1${'}'.repeat(25)}`)],
  ])('an event of the caller with %s is refused before it is stored or sent', async (_what, event) => {
    await theHook()

    expect(await fire({ event })).toMatchObject({ status: 400, body: { details: [{ field: 'event' }] } })
    expect(api.ports.hookClient.sent).toEqual([])
  })

  it("the caller's own event of a hook test may be 24 levels deep and have numbers of any usual size", async () => {
    await theHook()
    const event = { deep: JSON.parse(`${'{"a":'.repeat(23)}1${'}'.repeat(23)}`), numbers: [0, -1e-100, 1e125] }

    expect(await fire({ event })).toMatchObject({ status: 200 })
  })

  it.each([
    ['a list', { event: [] }, 'event'],
    ['a text', { event: 'CHANNEL_CREATE' }, 'event'],
    ['force as text', { force: 'yes' }, 'force'],
  ])('an event of the caller as %s is refused with the field', async (_what, body, field) => {
    await theHook()

    const answer = await fire(body)

    expect(answer.status).toBe(400)
    expect(answer.body.details).toContainEqual({ field, problem: expect.any(String) })
    expect(api.ports.hookClient.sent).toEqual([])
  })
})

describe('the bounds', () => {
  it("a hook test ends within its caller's time, including the pre-request", () => {
    expect(2 * testClientLimits.totalMs).toBeLessThan(28_000 - 2_000)
    expect(testClientLimits).toMatchObject({ connectMs: 5_000, replyBytes: 20 * 1024 })
  })

  it('a domain may test its hooks twenty times a minute', async () => {
    await theHook()
    for (let count = 0; count < 20; count += 1) expect((await fire()).status).toBe(200)

    expect(await fire()).toMatchObject({
      status: 429,
      body: { code: 'rate_limited' },
      headers: { 'Retry-After': '60' },
    })
    expect(api.ports.hookClient.sent).toHaveLength(20)
    api.clock.move(60_000)
    expect((await fire()).status).toBe(200)
  })

  it('the work of patterns in a hook test is limited as for an event', async () => {
    const hook = await theHook({
      filter: Object.fromEntries(
        Array.from({ length: 50 }, (_, at) => [`f${at}`, { operation: 'reg' as const, value: 'x' }]),
      ),
    })
    let matched = 0
    const matches = () => {
      matched += 1
      return true
    }
    const judges = { compile: () => ({ size: 100_000, matches }), rest: async () => {} }
    const tools = { ...api.ports, ...api.tools, ...judges, hmac: hmacSha256, deliveryIdOf: deliveryId }
    const event = Object.fromEntries(Object.keys(hook.filter).map((name) => [name, 'x']))

    const test = testOf(tools, { domain, id: hookId }, { event })

    await expect(test).rejects.toMatchObject({ code: 'invalid_field', details: [{ field: 'filter' }] })
    expect(matched).toBe(20)
    expect(await logged()).toEqual([])
  })
})

describe('repeated under its key', () => {
  it('a hook test that is repeated with its key gets the same answer, is sent once, and its answer is stored encrypted', async () => {
    await theHook({ headers: { Authorization: 'Bearer planted-credential' } })
    const keyed = { 'idempotency-key': 'k' }

    const [first, second] = [await fire({}, keyed), await fire({}, keyed)]

    expect(second).toMatchObject({ body: first.body, headers: { 'Idempotent-Replayed': 'true' } })
    expect(api.ports.hookClient.sent).toHaveLength(1)
    expect(first.text).toContain('planted-credential')
    expect(JSON.stringify([...api.ports.state.requestKeys.values()])).not.toContain('planted-credential')
    expect(JSON.stringify([api.log.lines, api.ports.state.audit])).not.toContain('planted-credential')
  })

  it('a hook test whose attempt may not begin sends nothing, and answers what the log has', async () => {
    await theHook()
    const deliveries = { ...api.ports.deliveries, beginAttempt: async () => false }

    const answer = await api.with({ ...api.ports, deliveries }).call(testHook, { headers, params })

    expect(answer).toMatchObject({ status: 200, body: { data: { state: 'failed', sent: null, reply: null } } })
    expect(api.ports.hookClient.sent).toEqual([])
    expect(await logged()).toMatchObject([{ attempts: [] }])
  })

  it('a hook test that was killed at any point is in the log once, with its real attempts', async () => {
    await theHook()
    const counted = dying(api.ports)
    await api.with(counted.ports).call(testHook, { headers, params })
    const calls = counted.names.length
    expect(counted.names).toContain('deliveries.recordAttempt')

    for (let call = 1; call <= calls; call += 1) {
      for (const side of ['before', 'after'] as const) {
        api = anApi()
        headers = { ...(await api.as(await api.account({ role: 'admin' }))), 'idempotency-key': 'k' }
        await theHook()
        await api.with(dying(api.ports, { call, side }).ports).call(testHook, { headers, params })
        api.clock.move(31_000)

        const again = await api.call(testHook, { headers, params })
        api.clock.move(61_000)

        expect(again, `${call} ${side}`).toMatchObject({ status: 200, body: { data: { state: 'delivered' } } })
        const log = await logged()
        expect(log, `${call} ${side}`).toMatchObject([{ id: again.body.data.delivery, state: 'delivered' }])
        const interrupted = log[0].attempts.filter(({ reason }: { reason?: string }) => reason === 'interrupted')
        const sent = api.ports.hookClient.sent.length
        expect(sent, `${call} ${side}`).toBeLessThanOrEqual(log[0].attempts.length)
        expect(interrupted.length, `${call} ${side}`).toBe(log[0].attempts.length - 1)
      }
    }
  })
})
