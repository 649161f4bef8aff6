import { beforeEach, describe, expect, it } from 'vitest'
import { deliveryId } from '../../../adapters/crypto/delivery-id.ts'
import { deliveryLimits } from '../../../core/hooks/delivery-limits.ts'
import { placeOf } from '../../../core/hooks/delivery-place.ts'
import { deliveryListLimits } from '../../../core/hooks/list-deliveries.ts'
import { replayLimits } from '../../../core/hooks/replay-deliveries.ts'
import { requeueDeliveries, requeueLimits } from '../../../core/hooks/requeue-deliveries.ts'
import { secretPurpose } from '../../../core/hooks/signing.ts'
import type { Delivery } from '../../../core/hooks/delivery.ts'
import { handler as deliver } from '../../../functions/hooks/deliver.ts'
import { handler as listDeliveries } from '../../../functions/hooks/list-deliveries.ts'
import { handler as replayDeliveries } from '../../../functions/hooks/replay-deliveries.ts'
import { handler as resendDelivery } from '../../../functions/hooks/resend-delivery.ts'
import { handler as updateHook } from '../../../functions/hooks/update-hook.ts'
import { type Api, type ApiAnswer, aContext, anApi } from '../../support/api.ts'
import { dying } from '../../support/dying.ts'
import { aBatch } from '../../support/queue-batch.ts'
import { aDelivery, aHook, anEvent } from '../../support/records.ts'

const domain = 'a.example.com'
const hookId = 'c'.repeat(24)
const dayMs = 86_400_000
const minuteMs = 60_000

let api: Api
let headers: Record<string, string>
let now: number

beforeEach(async () => {
  api = anApi()
  now = api.clock.now()
  headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
  const sealed = await api.ports.secretBox.seal(new Uint8Array(32), secretPurpose(domain, hookId))
  await api.ports.hooks.create([aHook({ id: hookId, filter: {}, secrets: [{ sealed }] })], 9)
})

/** A delivery of the event of a number, as its id is made. It has ended, unless said otherwise. */
async function aStored(sequence: number, given: Partial<Delivery> = {}): Promise<Delivery> {
  const event = anEvent({ domain: given.domain ?? domain })
  const id = deliveryId(event.id, hookId, sequence)
  const { nextAttemptAt, ...delivery } = aDelivery({ id, hookId, event, sequence, createdAt: now, ...given })
  const stored: Delivery = { ...delivery, state: 'delivered', ...given }
  await api.ports.deliveries.keepEvent(event)
  await api.ports.deliveries.create(
    stored.state === 'pending' ? { ...stored, nextAttemptAt: nextAttemptAt ?? now } : stored,
  )
  return stored
}

const params = { hook_id: hookId }
const list = (query = ''): Promise<ApiAnswer> => api.call(listDeliveries, { headers, params, query })
const resend = (id: string, more = {}): Promise<ApiAnswer> =>
  api.call(resendDelivery, { headers: { ...headers, ...more }, params: { ...params, delivery_id: id } })
const replay = (body: unknown, more = {}): Promise<ApiAnswer> =>
  api.call(replayDeliveries, { headers: { ...headers, ...more }, params, body })
const sequences = ({ body }: ApiAnswer): number[] => body.data.map(({ sequence }: { sequence: number }) => sequence)
const stored = (id: string) => api.ports.deliveries.read(domain, hookId, id)

/** Makes every attempt that is queued. */
async function deliverQueued(): Promise<void> {
  const queued = api.ports.deliveryQueue.queued.splice(0)
  const message = (attempt: object): object => ({ version: 1, ...attempt })
  const result = await deliver.over(api.ports, api.tools)(aBatch(queued.map(message)), aContext)
  expect(result).toEqual({ batchItemFailures: [] })
}

it('the place of a number is before the ids of its deliveries and behind those of the number before', () => {
  for (const sequence of [1, 15, 16, 255, 65_536, 2 ** 40]) {
    expect(deliveryId('event', 'hook', sequence) > placeOf(sequence)).toBe(true)
    expect(deliveryId('event', 'hook', sequence - 1) < placeOf(sequence)).toBe(true)
  }
})

describe('the log of a hook', () => {
  it('shows each delivery with every attempt, the newest event first', async () => {
    const attempts = [
      { at: now, status: 500, durationMs: 40, reason: 'status 500', replySnippet: 'no' },
      { at: now + 5, durationMs: 15_000, reason: 'timeout' },
    ]
    const failed = await aStored(1, { state: 'failed', attempts, tries: 2 })
    const waiting = await aStored(2, { state: 'pending', nextAttemptAt: now + 7_000 })

    const { status, body } = await list()

    expect(status).toBe(200)
    expect(body.data).toEqual([
      {
        id: waiting.id,
        hook: hookId,
        event: 'CHANNEL_CREATE',
        uuid: waiting.uuid,
        sequence: 2,
        created: now,
        state: 'pending',
        attempts: [],
        nextAttemptAt: now + 7_000,
      },
      expect.objectContaining({ id: failed.id, state: 'failed', attempts }),
    ])
  })

  it('tells of attempts that were killed on their way', async () => {
    const { id } = await aStored(1, { state: 'pending', begun: { run: now - 120_000 } })

    expect((await list()).body.data).toMatchObject([{ id, attempts: [{ at: now - 120_000, reason: 'interrupted' }] }])
  })

  it('pages by 40, and goes on exactly behind a page', async () => {
    for (let sequence = 1; sequence <= 45; sequence += 1) await aStored(sequence)

    const first = await list()
    await aStored(46)
    const second = await list(`cursor=${first.headers['X-Next-Cursor']}`)

    expect(sequences(first)).toEqual(Array.from({ length: 40 }, (_, index) => 45 - index))
    expect(sequences(second)).toEqual([5, 4, 3, 2, 1])
    expect(second.headers).not.toHaveProperty('X-Next-Cursor')
  })

  it.each([
    ['limit=2', [5, 4]],
    ['limit=2&page=2', [3, 2]],
    ['limit=2&page=4', []],
    ['sort={"created":1}&limit=2', [1, 2]],
    ['state=failed', [4, 2]],
    ['state=skipped', [5]],
    ['state=pending', []],
    ['filter={"state":"failed"}', [4, 2]],
    ['filter={"sequence":3}', [3]],
    ['state=failed&limit=1', [4]],
    ['state=failed&limit=1&page=2', [2]],
  ])('with the query %s shows %j', async (query, shown) => {
    for (let sequence = 1; sequence <= 5; sequence += 1) {
      await aStored(sequence, { state: sequence === 5 ? 'skipped' : sequence % 2 === 0 ? 'failed' : 'delivered' })
    }

    expect(sequences(await list(encodeURI(query)))).toEqual(shown)
  })

  it('shows the columns that are asked for', async () => {
    await aStored(1)

    expect((await list('columns=state,sequence')).body.data).toEqual([{ state: 'delivered', sequence: 1 }])
  })

  it('looks at no more than it may at once, and its cursor goes on from there', async () => {
    const { looked } = deliveryListLimits
    const rare = await aStored(1, { state: 'failed' })
    for (let sequence = 2; sequence <= looked + 10; sequence += 1) await aStored(sequence)

    const first = await list('state=failed')
    const second = await list(`state=failed&cursor=${first.headers['X-Next-Cursor']}`)

    expect(first.body.data).toEqual([])
    expect(second.body.data).toMatchObject([{ id: rare.id }])
    expect(second.headers).not.toHaveProperty('X-Next-Cursor')
  })

  it('ends a page before it is too heavy, says so, and goes on behind it', async () => {
    const attempts = Array.from({ length: 60 }, () => ({
      at: now,
      durationMs: 1,
      status: 500,
      replySnippet: 'č'.repeat(512),
    }))
    for (let sequence = 1; sequence <= 80; sequence += 1) await aStored(sequence, { attempts })

    const first = await list('limit=1000')
    const second = await list(`limit=1000&cursor=${first.headers['X-Next-Cursor']}`)

    expect(first.bytes.length).toBeLessThan(deliveryListLimits.weight + 1_000)
    expect(first.headers).toMatchObject({ 'X-Truncated': 'true' })
    expect([...sequences(first), ...sequences(second)]).toEqual(Array.from({ length: 80 }, (_, index) => 80 - index))
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=1000&page=3', 'page'],
    ['state=gone', 'state'],
    ['sort={"state":1}', 'sort'],
    ['sort={"created":1,"id":1}', 'sort'],
    ['filter={"x":1}', 'filter'],
    ['columns=secret', 'columns'],
    ['cursor=x', 'cursor'],
  ])('refuses %s', async (query, field) => {
    expect(await list(encodeURI(query))).toMatchObject({
      status: 400,
      body: { code: 'invalid_field', details: [{ field }] },
    })
  })

  it('of a hook that is not there, or of another tenant, is not there', async () => {
    const missing = { headers, params: { hook_id: 'd'.repeat(24) } }
    expect(await api.call(listDeliveries, missing)).toMatchObject({ status: 404, body: { info: 'Hook not found' } })
    headers = { ...(await api.as(await api.account({ domain: 'b.example.com', role: 'admin' }))) }
    expect(await list()).toMatchObject({ status: 404 })
  })
})

describe('a resend', () => {
  it.each(['delivered', 'failed', 'skipped'] as const)(
    'of a delivery that is %s sends it again under its id, and keeps its attempts',
    async (state) => {
      const before = { at: now - 5, durationMs: 1, status: 500, reason: 'status 500' }
      const { id } = await aStored(1, { state, attempts: [before], tries: 1 })

      const { status, body } = await resend(id)
      await deliverQueued()

      expect(status).toBe(200)
      expect(body.data).toMatchObject({ id, state: 'pending', attempts: [before], nextAttemptAt: now })
      expect(api.ports.hookClient.sent).toMatchObject([{ headers: { 'webhook-id': id, 'webhook-sequence': '1' } }])
      expect(await stored(id)).toMatchObject({ state: 'delivered', attempts: [before, { status: 200 }] })
    },
  )

  it('has all retries of the hook before it', async () => {
    api.ports.state.hooks.clear()
    const sealed = await api.ports.secretBox.seal(new Uint8Array(32), secretPurpose(domain, hookId))
    await api.ports.hooks.create([aHook({ id: hookId, retries: 1, secrets: [{ sealed }] })], 9)
    const failed = { at: now, durationMs: 1, status: 500, reason: 'status 500' }
    const { id } = await aStored(1, { state: 'failed', attempts: [failed, failed], tries: 2 })
    api.ports.hookClient.answer = () => ({ outcome: 'answered', status: 503, headers: {}, body: '', durationMs: 1 })

    await resend(id)
    await deliverQueued()

    expect(await stored(id)).toMatchObject({ state: 'pending', tries: 3 })
  })

  it('of one that waits for its next attempt sends it now, once', async () => {
    const { id } = await aStored(1, { state: 'pending', nextAttemptAt: now + dayMs })

    expect((await resend(id)).body.data).toMatchObject({ state: 'pending', nextAttemptAt: now })
    await resend(id)
    api.clock.move(1)
    await deliverQueued()

    expect(api.ports.hookClient.sent).toHaveLength(1)
    expect(await stored(id)).toMatchObject({ state: 'delivered' })
  })

  it('is refused when what it carried is not kept any more, and the delivery stays as it was', async () => {
    const delivery = await aStored(1)
    api.clock.move(7 * dayMs)
    headers = { ...(await api.as('root')) }

    const answer = await api.call(resendDelivery, {
      headers,
      query: `domain=${domain}`,
      params: { ...params, delivery_id: delivery.id },
    })

    expect(answer).toMatchObject({ status: 409, body: { code: 'conflict', info: expect.stringContaining('7 days') } })
    expect(await stored(delivery.id)).toEqual(delivery)
    expect(api.ports.deliveryQueue.queued).toEqual([])
  })

  it('is refused while the hook is disabled, since it would be skipped', async () => {
    const delivery = await aStored(1)
    await api.call(updateHook, { headers, params, body: { enable: false } })

    expect(await resend(delivery.id)).toMatchObject({
      status: 409,
      body: { info: 'the hook is disabled: enable it first' },
    })
    expect(await stored(delivery.id)).toEqual(delivery)
  })

  it('is refused behind so many attempts that its record would grow too large', async () => {
    const attempts = Array.from({ length: deliveryLimits.reopened }, () => ({ at: now, durationMs: 1, status: 500 }))
    const { id } = await aStored(1, { attempts })

    expect(await resend(id)).toMatchObject({ status: 409, body: { info: expect.stringContaining('40 times') } })
  })

  it('fails where the queue takes nothing, and can be repeated', async () => {
    const { id } = await aStored(1)
    api.ports.deliveryQueue.refuses = () => true
    expect(await resend(id)).toMatchObject({ status: 503 })
    api.ports.deliveryQueue.refuses = () => false

    expect(await resend(id)).toMatchObject({ status: 200 })
    api.clock.move(1)
    await deliverQueued()

    expect(await stored(id)).toMatchObject({ state: 'delivered' })
  })

  it('repeated under its key is answered the same and queued once', async () => {
    const { id } = await aStored(1)
    const key = { 'idempotency-key': 'k' }

    const [first, second] = [await resend(id, key), await resend(id, key)]

    expect(second).toMatchObject({ body: first.body, headers: { 'Idempotent-Replayed': 'true' } })
    expect(api.ports.deliveryQueue.queued).toHaveLength(1)
  })

  it.each(['', 'x', 'msg_', `msg_${'A'.repeat(32)}`, `msg_${'0'.repeat(32)}`, `msg_${'0'.repeat(33)}`])(
    'of the delivery "%s" is 404',
    async (id) => {
      await aStored(1)

      expect(await resend(id)).toMatchObject({ status: 404, body: { info: 'Delivery not found' } })
    },
  )

  it('of a delivery of another hook or another tenant is 404', async () => {
    const other = await aStored(1, { hookId: 'd'.repeat(24) })
    const foreign = await aStored(2, { domain: 'b.example.com' })

    for (const { id } of [other, foreign]) expect((await resend(id)).status).toBe(404)
    expect(api.ports.deliveryQueue.queued).toEqual([])
  })
})

describe('killed at any of its calls and repeated', () => {
  it.each([
    ['a replay', replayDeliveries, params, { from: 0, to: 1 }],
    ['a resend', resendDelivery, { ...params, delivery_id: '' }, undefined],
  ] as const)('%s sends each delivery again, under its id', async (_what, handler, names, window) => {
    const ask = (over: Api, id: string) =>
      over.call<typeof handler.route>(handler, {
        headers,
        params: 'delivery_id' in names ? { ...names, delivery_id: id } : names,
        ...(window === undefined ? {} : { body: { from: now, to: now } }),
      })
    const { id } = await aStored(1)
    const counted = dying(api.ports)
    await ask(api.with(counted.ports), id)

    for (let call = 1; call <= counted.names.length; call += 1) {
      for (const side of ['before', 'after'] as const) {
        api.ports.state.deliveries.clear()
        api.ports.deliveryQueue.queued.length = 0
        api.ports.hookClient.sent.length = 0
        const delivery = await aStored(1)
        await ask(api.with(dying(api.ports, { call, side }).ports), delivery.id)

        expect((await ask(api, delivery.id)).status).toBe(200)
        api.clock.move(1)
        await deliverQueued()
        if ((await stored(delivery.id))?.state === 'pending') {
          api.clock.move(requeueLimits.overdueMs + 1)
          await requeueDeliveries({ ...api.ports, clock: api.clock }, Number.MAX_SAFE_INTEGER)
          await deliverQueued()
        }

        const sent = api.ports.hookClient.sent.map((request) => request.headers['webhook-id'])
        expect(new Set(sent), `${call} ${side}`).toEqual(new Set([delivery.id]))
        expect(await stored(delivery.id), `${call} ${side}`).toMatchObject({ state: 'delivered' })
        now = api.clock.now()
      }
    }
  })
})

describe('a replay', () => {
  it('sends the deliveries of the window again, each under its id, the oldest first', async () => {
    const made = []
    for (let sequence = 1; sequence <= 6; sequence += 1) {
      made.push(await aStored(sequence, { createdAt: now - (10 - sequence) * 20 * minuteMs }))
    }
    const [from, to] = [made[1]?.createdAt ?? 0, made[3]?.createdAt ?? 0]

    const { status, body } = await replay({ from, to })
    const queued = api.ports.deliveryQueue.queued.map(({ id }) => id)
    await deliverQueued()

    expect(status).toBe(200)
    expect(body.data).toEqual({ requeued: 3, pending: 0, left: 0, next: null })
    expect(queued).toEqual(made.slice(1, 4).map(({ id }) => id))
    expect(api.ports.hookClient.sent.map((request) => request.headers['webhook-id'])).toEqual(queued)
  })

  it.each([
    [undefined, [1, 2, 3]],
    ['delivered', [1]],
    ['failed', [2]],
    ['skipped', [3]],
  ])('of the state %s queues %j, and leaves alone what waits', async (state, numbers) => {
    await aStored(1, { state: 'delivered' })
    await aStored(2, { state: 'failed' })
    await aStored(3, { state: 'skipped' })
    const waiting = await aStored(4, { state: 'pending', nextAttemptAt: now + 9 })

    const { body } = await replay({ from: now, to: now, ...(state === undefined ? {} : { state }) })

    const ids = new Set(api.ports.deliveryQueue.queued.map(({ id }) => id))
    expect([...ids].map((id) => Number.parseInt(id.slice(4, 16), 16))).toEqual(numbers)
    expect(body.data).toMatchObject({ requeued: numbers.length, pending: 1 })
    expect(await stored(waiting.id)).toMatchObject({ nextAttemptAt: now + 9 })
  })

  it('goes on behind a delivery that was made long after the others of its time', async () => {
    const start = now - 300 * minuteMs
    await aStored(1, { createdAt: start })
    await aStored(2, { createdAt: now })
    for (let sequence = 3; sequence <= 150; sequence += 1) await aStored(sequence, { createdAt: start + minuteMs })

    const { body } = await replay({ from: start, to: start + minuteMs })

    expect(body.data).toMatchObject({ requeued: 149, next: null })
  })

  it('finds all of the window where deliveries were not made in the order of their events', async () => {
    const minutes = [0, 9, 1, 3, 12, 10, 15, 6, 20, 14, 30, 21, 29, 40]
    const start = now - 60 * minuteMs
    for (const [index, minute] of minutes.entries()) await aStored(index + 1, { createdAt: start + minute * minuteMs })

    for (const [from, to] of [
      [0, 60],
      [3, 14],
      [10, 10],
      [6, 29],
      [40, 41],
      [2, 2],
    ] as const) {
      api.ports.deliveryQueue.queued.length = 0
      const ended = [...api.ports.state.deliveries.entries()]
      for (const [key, delivery] of ended) api.ports.state.deliveries.set(key, { ...delivery, state: 'delivered' })

      const { body } = await replay({ from: start + from * minuteMs, to: start + to * minuteMs })

      const expected = minutes.filter((minute) => minute >= from && minute <= to).length
      expect(body.data, `${from} to ${to}`).toMatchObject({ requeued: expected, next: null })
    }
  })

  it('does a part at once, and goes on where it ended', async () => {
    const count = 2 * replayLimits.looked + 10
    for (let sequence = 1; sequence <= count; sequence += 1) await aStored(sequence)
    const window = { from: now, to: now }

    const first = (await replay(window)).body.data
    const second = (await replay({ ...window, cursor: first.next })).body.data
    const third = (await replay({ ...window, cursor: second.next })).body.data

    expect([first, second, third].map(({ requeued }) => requeued)).toEqual([
      replayLimits.looked,
      replayLimits.looked,
      10,
    ])
    expect(third.next).toBeNull()
    expect(new Set(api.ports.deliveryQueue.queued.map(({ id }) => id)).size).toBe(count)
  })

  it('asks for few deliveries before the window, however many there are', async () => {
    for (let sequence = 1; sequence <= 1_000; sequence += 1) await aStored(sequence, { createdAt: now - dayMs })
    await aStored(1_001)
    const lists: number[] = []
    const { deliveries } = api.ports
    const counted = api.with({
      deliveries: {
        ...deliveries,
        list: async (...args) => {
          const found = await deliveries.list(...args)
          lists.push(found.length)
          return found
        },
      },
    })

    const { body } = await counted.call(replayDeliveries, { headers, params, body: { from: now, to: now } })

    expect(body.data).toMatchObject({ requeued: 1 })
    expect(lists.length).toBeLessThan(15)
    expect(lists.reduce((sum, length) => sum + length, 0)).toBeLessThan(20)
  })

  it('repeated sends nothing twice that still waits', async () => {
    await aStored(1)
    await replay({ from: now, to: now })

    expect((await replay({ from: now, to: now })).body.data).toEqual({ requeued: 0, pending: 1, left: 0, next: null })
    expect(api.ports.deliveryQueue.queued).toHaveLength(1)
  })

  it('repeated under its key is answered the same', async () => {
    await aStored(1)
    const key = { 'idempotency-key': 'k' }

    const [first, second] = [await replay({ from: now, to: now }, key), await replay({ from: now, to: now }, key)]

    expect(second).toMatchObject({ body: first.body, headers: { 'Idempotent-Replayed': 'true' } })
  })

  it('leaves out tests, and what was sent too often', async () => {
    const attempts = Array.from({ length: deliveryLimits.reopened }, () => ({ at: now, durationMs: 1, status: 500 }))
    await aStored(5, { attempts })
    await aStored(5, { sequence: 0 })

    expect((await replay({ from: now, to: now })).body.data).toEqual({ requeued: 0, pending: 0, left: 1, next: null })
  })

  it('counts what the queue did not take: it is on record, and queued with what is overdue', async () => {
    const { id } = await aStored(1)
    api.ports.deliveryQueue.refuses = () => true

    expect((await replay({ from: now, to: now })).body.data).toMatchObject({ requeued: 1 })
    expect(await stored(id)).toMatchObject({ state: 'pending', nextAttemptAt: now })
  })

  it.each([
    ['no from', (at: number) => ({ to: at }), 'from'],
    ['text', (at: number) => ({ from: '2026-01-15', to: at }), 'from'],
    ['a fraction', (at: number) => ({ from: at + 0.5, to: at + 1 }), 'from'],
    ['a window that ends before it begins', (at: number) => ({ from: at, to: at - 1 }), 'to'],
    ['a beginning too long ago', (at: number) => ({ from: at - 7 * dayMs - 1, to: at }), 'from'],
    ['a pending state', (at: number) => ({ from: at, to: at, state: 'pending' }), 'state'],
    ['a cursor that is none', (at: number) => ({ from: at, to: at, cursor: 'x' }), 'cursor'],
  ])('with %s is refused with the field', async (_what, body, field) => {
    const answer = await replay(body(now))

    expect(answer.status).toBe(400)
    expect(answer.body.details).toContainEqual({ field, problem: expect.any(String) })
  })

  it('of seven days is allowed', async () => {
    await aStored(1, { createdAt: now - 7 * dayMs })

    expect((await replay({ from: now - 7 * dayMs, to: now })).body.data).toMatchObject({ requeued: 1 })
  })

  it('of a disabled hook is refused', async () => {
    await aStored(1)
    await api.call(updateHook, { headers, params, body: { enable: false } })

    expect(await replay({ from: now, to: now })).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(api.ports.deliveryQueue.queued).toEqual([])
  })

  it('is allowed thirty times a minute in a domain', async () => {
    for (let count = 0; count < 30; count += 1) expect((await replay({ from: now, to: now })).status).toBe(200)

    const refused = await replay({ from: now, to: now })

    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' }, headers: { 'Retry-After': '60' } })
  })

  it('leaves another hook and another tenant alone', async () => {
    await aStored(1, { hookId: 'd'.repeat(24) })
    await aStored(2, { domain: 'b.example.com' })

    expect((await replay({ from: now, to: now })).body.data).toMatchObject({ requeued: 0 })
    headers = { ...(await api.as(await api.account({ domain: 'b.example.com', role: 'admin' }))) }
    expect(await replay({ from: now, to: now })).toMatchObject({ status: 404 })
  })
})
