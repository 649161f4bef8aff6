import { beforeEach, describe, expect, it } from 'vitest'
import { deliveryLimits } from '../../../core/hooks/delivery/delivery.ts'
import { replayLimits } from '../../../core/hooks/delivery/replay-deliveries.ts'
import { handler as replayDeliveries } from '../../../functions/hooks/replay-deliveries.ts'
import { handler as updateHook } from '../../../functions/hooks/update-hook.ts'
import { type HookDeliveries, hookDeliveries, params } from '../../support/hooks/hook-deliveries.ts'

const dayMs = 86_400_000
const minuteMs = 60_000

let harness: HookDeliveries
beforeEach(async () => {
  harness = await hookDeliveries()
})

describe('a replay', () => {
  it('a replay sends the deliveries of the time window again, each under its id, the oldest first', async () => {
    const made = []
    for (let sequence = 1; sequence <= 6; sequence += 1) {
      made.push(await harness.aStored(sequence, { createdAt: harness.now - (10 - sequence) * 20 * minuteMs }))
    }
    const [from, to] = [made[1]?.createdAt ?? 0, made[3]?.createdAt ?? 0]

    const { status, body } = await harness.replay({ from, to })
    const queued = harness.api.ports.deliveryQueue.queued.map(({ id }) => id)
    await harness.deliverQueued()

    expect(status).toBe(200)
    expect(body.data).toEqual({ requeued: 3, pending: 0, left: 0, next: null })
    expect(queued).toEqual(made.slice(1, 4).map(({ id }) => id))
    expect(harness.api.ports.hookClient.sent.map((request) => request.headers['webhook-id'])).toEqual(queued)
  })

  it.each([
    [undefined, [1, 2, 3]],
    ['delivered', [1]],
    ['failed', [2]],
    ['skipped', [3]],
  ])('a replay of the state %s queues %j, and leaves alone what waits', async (state, numbers) => {
    await harness.aStored(1, { state: 'delivered' })
    await harness.aStored(2, { state: 'failed' })
    await harness.aStored(3, { state: 'skipped' })
    const waiting = await harness.aStored(4, { state: 'pending', nextAttemptAt: harness.now + 9 })

    const { body } = await harness.replay({
      from: harness.now,
      to: harness.now,
      ...(state === undefined ? {} : { state }),
    })

    const ids = new Set(harness.api.ports.deliveryQueue.queued.map(({ id }) => id))
    expect([...ids].map((id) => Number.parseInt(id.slice(4, 16), 16))).toEqual(numbers)
    expect(body.data).toMatchObject({ requeued: numbers.length, pending: 1 })
    expect(await harness.stored(waiting.id)).toMatchObject({ nextAttemptAt: harness.now + 9 })
  })

  it('a replay continues after a delivery that was created long after the others of its time', async () => {
    const start = harness.now - 300 * minuteMs
    await harness.aStored(1, { createdAt: start })
    await harness.aStored(2, { createdAt: harness.now })
    for (let sequence = 3; sequence <= 150; sequence += 1)
      await harness.aStored(sequence, { createdAt: start + minuteMs })

    const { body } = await harness.replay({ from: start, to: start + minuteMs })

    expect(body.data).toMatchObject({ requeued: 149, next: null })
  })

  it('a replay finds all deliveries of the time window even if they were not created in the order of their events', async () => {
    const minutes = [0, 9, 1, 3, 12, 10, 15, 6, 20, 14, 30, 21, 29, 40]
    const start = harness.now - 60 * minuteMs
    for (const [index, minute] of minutes.entries())
      await harness.aStored(index + 1, { createdAt: start + minute * minuteMs })

    for (const [from, to] of [
      [0, 60],
      [3, 14],
      [10, 10],
      [6, 29],
      [40, 41],
      [2, 2],
    ] as const) {
      harness.api.ports.deliveryQueue.queued.length = 0
      const ended = [...harness.api.ports.state.deliveries.entries()]
      for (const [key, delivery] of ended)
        harness.api.ports.state.deliveries.set(key, { ...delivery, state: 'delivered' })

      const { body } = await harness.replay({ from: start + from * minuteMs, to: start + to * minuteMs })

      const expected = minutes.filter((minute) => minute >= from && minute <= to).length
      expect(body.data, `${from} to ${to}`).toMatchObject({ requeued: expected, next: null })
    }
  })

  it('a replay does a part at once, and continues where it ended', async () => {
    const count = 2 * replayLimits.looked + 10
    for (let sequence = 1; sequence <= count; sequence += 1) await harness.aStored(sequence)
    const window = { from: harness.now, to: harness.now }

    const first = (await harness.replay(window)).body.data
    const second = (await harness.replay({ ...window, cursor: first.next })).body.data
    const third = (await harness.replay({ ...window, cursor: second.next })).body.data

    expect([first, second, third].map(({ requeued }) => requeued)).toEqual([
      replayLimits.looked,
      replayLimits.looked,
      10,
    ])
    expect(third.next).toBeNull()
    expect(new Set(harness.api.ports.deliveryQueue.queued.map(({ id }) => id)).size).toBe(count)
  })

  it('a replay reads few deliveries before the time window, however many there are', async () => {
    for (let sequence = 1; sequence <= 1_000; sequence += 1)
      await harness.aStored(sequence, { createdAt: harness.now - dayMs })
    await harness.aStored(1_001)
    const lists: number[] = []
    const { deliveries } = harness.api.ports
    const counted = harness.api.with({
      deliveries: {
        ...deliveries,
        list: async (...args) => {
          const found = await deliveries.list(...args)
          lists.push(found.length)
          return found
        },
      },
    })

    const { body } = await counted.call(replayDeliveries, {
      headers: harness.headers,
      params,
      body: { from: harness.now, to: harness.now },
    })

    expect(body.data).toMatchObject({ requeued: 1 })
    expect(lists.length).toBeLessThan(15)
    expect(lists.reduce((sum, length) => sum + length, 0)).toBeLessThan(20)
  })

  it('a repeated replay sends no delivery again that still waits', async () => {
    await harness.aStored(1)
    await harness.replay({ from: harness.now, to: harness.now })

    expect((await harness.replay({ from: harness.now, to: harness.now })).body.data).toEqual({
      requeued: 0,
      pending: 1,
      left: 0,
      next: null,
    })
    expect(harness.api.ports.deliveryQueue.queued).toHaveLength(1)
  })

  it('a replay that is repeated with its key gets the same answer', async () => {
    await harness.aStored(1)
    const key = { 'idempotency-key': 'k' }

    const [first, second] = [
      await harness.replay({ from: harness.now, to: harness.now }, key),
      await harness.replay({ from: harness.now, to: harness.now }, key),
    ]

    expect(second).toMatchObject({ body: first.body, headers: { 'Idempotent-Replayed': 'true' } })
  })

  it('a replay leaves out test deliveries, and those that were sent too often', async () => {
    const attempts = Array.from({ length: deliveryLimits.reopened }, () => ({
      at: harness.now,
      durationMs: 1,
      status: 500,
    }))
    await harness.aStored(5, { attempts })
    await harness.aStored(5, { sequence: 0 })

    expect((await harness.replay({ from: harness.now, to: harness.now })).body.data).toEqual({
      requeued: 0,
      pending: 0,
      left: 1,
      next: null,
    })
  })

  it('a replay counts deliveries that the queue refused, which are recorded and queued later as overdue', async () => {
    const { id } = await harness.aStored(1)
    harness.api.ports.deliveryQueue.refuses = () => true

    expect((await harness.replay({ from: harness.now, to: harness.now })).body.data).toMatchObject({ requeued: 1 })
    expect(await harness.stored(id)).toMatchObject({ state: 'pending', nextAttemptAt: harness.now })
  })

  it.each([
    ['no from', (at: number) => ({ to: at }), 'from'],
    ['text', (at: number) => ({ from: '2026-01-15', to: at }), 'from'],
    ['a fraction', (at: number) => ({ from: at + 0.5, to: at + 1 }), 'from'],
    ['a window that ends before it begins', (at: number) => ({ from: at, to: at - 1 }), 'to'],
    ['a beginning too long ago', (at: number) => ({ from: at - 7 * dayMs - 1, to: at }), 'from'],
    ['a pending state', (at: number) => ({ from: at, to: at, state: 'pending' }), 'state'],
    ['an invalid cursor', (at: number) => ({ from: at, to: at, cursor: 'x' }), 'cursor'],
  ])('a replay with %s is refused with the field', async (_what, body, field) => {
    const answer = await harness.replay(body(harness.now))

    expect(answer.status).toBe(400)
    expect(answer.body.details).toContainEqual({ field, problem: expect.any(String) })
  })

  it('a replay of seven days is allowed', async () => {
    await harness.aStored(1, { createdAt: harness.now - 7 * dayMs })

    expect((await harness.replay({ from: harness.now - 7 * dayMs, to: harness.now })).body.data).toMatchObject({
      requeued: 1,
    })
  })

  it('a replay of a disabled hook is refused', async () => {
    await harness.aStored(1)
    await harness.api.call(updateHook, { headers: harness.headers, params, body: { enable: false } })

    expect(await harness.replay({ from: harness.now, to: harness.now })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    })
    expect(harness.api.ports.deliveryQueue.queued).toEqual([])
  })

  it('a replay is allowed thirty times a minute in a domain', async () => {
    for (let count = 0; count < 30; count += 1)
      expect((await harness.replay({ from: harness.now, to: harness.now })).status).toBe(200)

    const refused = await harness.replay({ from: harness.now, to: harness.now })

    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' }, headers: { 'Retry-After': '60' } })
  })

  it('a replay does not affect another hook or another tenant', async () => {
    await harness.aStored(1, { hookId: 'd'.repeat(24) })
    await harness.aStored(2, { domain: 'b.example.com' })

    expect((await harness.replay({ from: harness.now, to: harness.now })).body.data).toMatchObject({ requeued: 0 })
    harness.headers = {
      ...(await harness.api.as(await harness.api.account({ domain: 'b.example.com', role: 'admin' }))),
    }
    expect(await harness.replay({ from: harness.now, to: harness.now })).toMatchObject({ status: 404 })
  })
})
