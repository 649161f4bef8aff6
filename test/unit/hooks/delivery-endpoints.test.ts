import { beforeEach, describe, expect, it } from 'vitest'
import { deliveryId } from '../../../adapters/crypto/hook-digests.ts'
import { deliveryLimits } from '../../../core/hooks/delivery/delivery.ts'
import { placeOf } from '../../../core/hooks/delivery/delivery-place.ts'
import { deliveryListLimits } from '../../../core/hooks/delivery/list-deliveries.ts'
import { requeueDeliveries, requeueLimits } from '../../../core/hooks/delivery/requeue-deliveries.ts'
import { secretPurpose } from '../../../core/hooks/definition/signing.ts'
import { handler as replayDeliveries } from '../../../functions/hooks/replay-deliveries.ts'
import { handler as resendDelivery } from '../../../functions/hooks/resend-delivery.ts'
import { handler as updateHook } from '../../../functions/hooks/update-hook.ts'
import { type Api } from '../../support/platform/api.ts'
import { dying } from '../../support/processes/dying.ts'
import { aHook } from '../../support/records/records.ts'
import {
  type HookDeliveries,
  domain,
  hookDeliveries,
  hookId,
  params,
  sequences,
} from '../../support/hooks/hook-deliveries.ts'

const dayMs = 86_400_000

let pipeline: HookDeliveries
beforeEach(async () => {
  pipeline = await hookDeliveries()
})

it("the position of an event number sorts before its deliveries' ids and after those of the number before", () => {
  for (const sequence of [1, 15, 16, 255, 65_536, 2 ** 40]) {
    expect(deliveryId('event', 'hook', sequence) > placeOf(sequence)).toBe(true)
    expect(deliveryId('event', 'hook', sequence - 1) < placeOf(sequence)).toBe(true)
  }
})

describe('the log of a hook', () => {
  it('the log of a hook shows each delivery with every attempt, the newest event first', async () => {
    const attempts = [
      { at: pipeline.now, status: 500, durationMs: 40, reason: 'status 500', replySnippet: 'no' },
      { at: pipeline.now + 5, durationMs: 15_000, reason: 'timeout' },
    ]
    const failed = await pipeline.aStored(1, { state: 'failed', attempts, tries: 2 })
    const waiting = await pipeline.aStored(2, { state: 'pending', nextAttemptAt: pipeline.now + 7_000 })

    const { status, body } = await pipeline.list()

    expect(status).toBe(200)
    expect(body.data).toEqual([
      {
        id: waiting.id,
        hook: hookId,
        event: 'CHANNEL_CREATE',
        uuid: waiting.uuid,
        sequence: 2,
        created: pipeline.now,
        state: 'pending',
        attempts: [],
        nextAttemptAt: pipeline.now + 7_000,
      },
      expect.objectContaining({ id: failed.id, state: 'failed', attempts }),
    ])
  })

  it('the log of a hook shows attempts that were killed while under way', async () => {
    const { id } = await pipeline.aStored(1, { state: 'pending', begun: { run: pipeline.now - 120_000 } })

    expect((await pipeline.list()).body.data).toMatchObject([
      { id, attempts: [{ at: pipeline.now - 120_000, reason: 'interrupted' }] },
    ])
  })

  it('the log of a hook has pages of 40, and continues exactly after a page', async () => {
    for (let sequence = 1; sequence <= 45; sequence += 1) await pipeline.aStored(sequence)

    const first = await pipeline.list()
    await pipeline.aStored(46)
    const second = await pipeline.list(`cursor=${first.headers['X-Next-Cursor']}`)

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
  ])('the log of a hook with the query %s shows %j', async (query, shown) => {
    for (let sequence = 1; sequence <= 5; sequence += 1) {
      await pipeline.aStored(sequence, {
        state: sequence === 5 ? 'skipped' : sequence % 2 === 0 ? 'failed' : 'delivered',
      })
    }

    expect(sequences(await pipeline.list(encodeURI(query)))).toEqual(shown)
  })

  it('the log of a hook shows the requested columns', async () => {
    await pipeline.aStored(1)

    expect((await pipeline.list('columns=state,sequence')).body.data).toEqual([{ state: 'delivered', sequence: 1 }])
  })

  it('the log of a hook examines a limited number of deliveries at once, and its cursor continues from there', async () => {
    const { looked } = deliveryListLimits
    const rare = await pipeline.aStored(1, { state: 'failed' })
    for (let sequence = 2; sequence <= looked + 10; sequence += 1) await pipeline.aStored(sequence)

    const first = await pipeline.list('state=failed')
    const second = await pipeline.list(`state=failed&cursor=${first.headers['X-Next-Cursor']}`)

    expect(first.body.data).toEqual([])
    expect(second.body.data).toMatchObject([{ id: rare.id }])
    expect(second.headers).not.toHaveProperty('X-Next-Cursor')
  })

  it.each([
    ['of two bytes each', 'č', 80],
    ['that are escaped', '"', 50],
  ])(
    'the log of a hook ends a page before it is too heavy, says so, and goes on after it: characters %s',
    async (_name, letter, count) => {
      const attempts = Array.from({ length: 60 }, () => ({
        at: pipeline.now,
        durationMs: 1,
        status: 500,
        replySnippet: letter.repeat(512),
      }))
      for (let sequence = 1; sequence <= count; sequence += 1) await pipeline.aStored(sequence, { attempts })

      const first = await pipeline.list('limit=1000')
      const second = await pipeline.list(`limit=1000&cursor=${first.headers['X-Next-Cursor']}`)

      expect(Buffer.byteLength(JSON.stringify(first.text))).toBeLessThan(deliveryListLimits.weight + 1_000)
      expect(first.headers).toMatchObject({ 'X-Truncated': 'true' })
      expect([...sequences(first), ...sequences(second)]).toEqual(
        Array.from({ length: count }, (_, index) => count - index),
      )
    },
  )

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
  ])('the log of a hook refuses %s', async (query, field) => {
    expect(await pipeline.list(encodeURI(query))).toMatchObject({
      status: 400,
      body: { code: 'invalid_field', details: [{ field }] },
    })
  })
})

describe('a resend', () => {
  it.each(['delivered', 'failed', 'skipped'] as const)(
    'a resend of a delivery that is %s sends it again under its id, and keeps its attempts',
    async (state) => {
      const before = { at: pipeline.now - 5, durationMs: 1, status: 500, reason: 'status 500' }
      const { id } = await pipeline.aStored(1, { state, attempts: [before], tries: 1 })

      const { status, body } = await pipeline.resend(id)
      await pipeline.deliverQueued()

      expect(status).toBe(200)
      expect(body.data).toMatchObject({ id, state: 'pending', attempts: [before], nextAttemptAt: pipeline.now })
      expect(pipeline.api.ports.hookClient.sent).toMatchObject([
        { headers: { 'webhook-id': id, 'webhook-sequence': '1' } },
      ])
      expect(await pipeline.stored(id)).toMatchObject({ state: 'delivered', attempts: [before, { status: 200 }] })
    },
  )

  it('a resent delivery has all retries of the hook again', async () => {
    pipeline.api.ports.state.hooks.clear()
    const sealed = await pipeline.api.ports.secretBox.seal(new Uint8Array(32), secretPurpose(domain, hookId))
    await pipeline.api.ports.hooks.create([aHook({ id: hookId, retries: 1, secrets: [{ sealed }] })], 9)
    const failed = { at: pipeline.now, durationMs: 1, status: 500, reason: 'status 500' }
    const { id } = await pipeline.aStored(1, { state: 'failed', attempts: [failed, failed], tries: 2 })
    pipeline.api.ports.hookClient.answer = () => ({
      outcome: 'answered',
      status: 503,
      headers: {},
      body: '',
      durationMs: 1,
    })

    await pipeline.resend(id)
    await pipeline.deliverQueued()

    expect(await pipeline.stored(id)).toMatchObject({ state: 'pending', tries: 3 })
  })

  it('a resend of a delivery that waits for its next attempt sends it now, once', async () => {
    const { id } = await pipeline.aStored(1, { state: 'pending', nextAttemptAt: pipeline.now + dayMs })

    expect((await pipeline.resend(id)).body.data).toMatchObject({ state: 'pending', nextAttemptAt: pipeline.now })
    await pipeline.resend(id)
    pipeline.api.clock.move(1)
    await pipeline.deliverQueued()

    expect(pipeline.api.ports.hookClient.sent).toHaveLength(1)
    expect(await pipeline.stored(id)).toMatchObject({ state: 'delivered' })
  })

  it('a resend is refused if the payload is no longer kept, and the delivery stays as it was', async () => {
    const delivery = await pipeline.aStored(1)
    pipeline.api.clock.move(7 * dayMs)
    pipeline.headers = { ...(await pipeline.api.as('root')) }

    const answer = await pipeline.api.call(resendDelivery, {
      headers: pipeline.headers,
      query: `domain=${domain}`,
      params: { ...params, delivery_id: delivery.id },
    })

    expect(answer).toMatchObject({ status: 409, body: { code: 'conflict', info: expect.stringContaining('7 days') } })
    expect(await pipeline.stored(delivery.id)).toEqual(delivery)
    expect(pipeline.api.ports.deliveryQueue.queued).toEqual([])
  })

  it('a resend is refused while the hook is disabled, since it would be skipped', async () => {
    const delivery = await pipeline.aStored(1)
    await pipeline.api.call(updateHook, { headers: pipeline.headers, params, body: { enable: false } })

    expect(await pipeline.resend(delivery.id)).toMatchObject({
      status: 409,
      body: { info: 'the hook is disabled: enable it first' },
    })
    expect(await pipeline.stored(delivery.id)).toEqual(delivery)
  })

  it('a resend is refused after so many attempts that the record would become too large', async () => {
    const attempts = Array.from({ length: deliveryLimits.reopened }, () => ({
      at: pipeline.now,
      durationMs: 1,
      status: 500,
    }))
    const { id } = await pipeline.aStored(1, { attempts })

    expect(await pipeline.resend(id)).toMatchObject({
      status: 409,
      body: { info: expect.stringContaining('40 times') },
    })
  })

  it('a resend that the queue refuses fails, and can be repeated', async () => {
    const { id } = await pipeline.aStored(1)
    pipeline.api.ports.deliveryQueue.refuses = () => true
    expect(await pipeline.resend(id)).toMatchObject({ status: 503 })
    pipeline.api.ports.deliveryQueue.refuses = () => false

    expect(await pipeline.resend(id)).toMatchObject({ status: 200 })
    pipeline.api.clock.move(1)
    await pipeline.deliverQueued()

    expect(await pipeline.stored(id)).toMatchObject({ state: 'delivered' })
  })

  it('a resend that is repeated with its key gets the same answer and is queued once', async () => {
    const { id } = await pipeline.aStored(1)
    const key = { 'idempotency-key': 'k' }

    const [first, second] = [await pipeline.resend(id, key), await pipeline.resend(id, key)]

    expect(second).toMatchObject({ body: first.body, headers: { 'Idempotent-Replayed': 'true' } })
    expect(pipeline.api.ports.deliveryQueue.queued).toHaveLength(1)
  })

  it.each(['', 'x', 'msg_', `msg_${'A'.repeat(32)}`, `msg_${'0'.repeat(32)}`, `msg_${'0'.repeat(33)}`])(
    'a resend of the delivery "%s" is 404',
    async (id) => {
      await pipeline.aStored(1)

      expect(await pipeline.resend(id)).toMatchObject({ status: 404, body: { info: 'Delivery not found' } })
    },
  )

  it('a resend of a delivery of another hook or another tenant is 404', async () => {
    const other = await pipeline.aStored(1, { hookId: 'd'.repeat(24) })
    const foreign = await pipeline.aStored(2, { domain: 'b.example.com' })

    for (const { id } of [other, foreign]) expect((await pipeline.resend(id)).status).toBe(404)
    expect(pipeline.api.ports.deliveryQueue.queued).toEqual([])
  })
})

describe('killed at any of its calls and repeated', () => {
  it.each([
    ['a replay', replayDeliveries, params, { from: 0, to: 1 }],
    ['a resend', resendDelivery, { ...params, delivery_id: '' }, undefined],
  ] as const)('%s sends each delivery again, under its id', async (_what, handler, names, window) => {
    const ask = (over: Api, id: string) =>
      over.call<typeof handler.route>(handler, {
        headers: pipeline.headers,
        params: 'delivery_id' in names ? { ...names, delivery_id: id } : names,
        ...(window === undefined ? {} : { body: { from: pipeline.now, to: pipeline.now } }),
      })
    const { id } = await pipeline.aStored(1)
    const counted = dying(pipeline.api.ports)
    await ask(pipeline.api.with(counted.ports), id)

    for (let call = 1; call <= counted.names.length; call += 1) {
      for (const side of ['before', 'after'] as const) {
        pipeline.api.ports.state.deliveries.clear()
        pipeline.api.ports.deliveryQueue.queued.length = 0
        pipeline.api.ports.hookClient.sent.length = 0
        const delivery = await pipeline.aStored(1)
        await ask(pipeline.api.with(dying(pipeline.api.ports, { call, side }).ports), delivery.id)

        expect((await ask(pipeline.api, delivery.id)).status).toBe(200)
        pipeline.api.clock.move(1)
        await pipeline.deliverQueued()
        if ((await pipeline.stored(delivery.id))?.state === 'pending') {
          pipeline.api.clock.move(requeueLimits.overdueMs + 1)
          await requeueDeliveries({ ...pipeline.api.ports, clock: pipeline.api.clock }, Number.MAX_SAFE_INTEGER)
          await pipeline.deliverQueued()
        }

        const sent = pipeline.api.ports.hookClient.sent.map((request) => request.headers['webhook-id'])
        expect(new Set(sent), `${call} ${side}`).toEqual(new Set([delivery.id]))
        expect(await pipeline.stored(delivery.id), `${call} ${side}`).toMatchObject({ state: 'delivered' })
        pipeline.now = pipeline.api.clock.now()
      }
    }
  })
})
