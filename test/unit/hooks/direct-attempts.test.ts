import { describe, expect, it, vi } from 'vitest'
import { dispatchEvents } from '../../../core/hooks/attempt/dispatch-events.ts'
import { DomainError } from '../../../core/errors.ts'
import { deliveriesTogether } from '../../../core/events/event-log-rules.ts'
import { anEvent } from '../../support/records/records.ts'

import { aDispatch, answer, heldClient } from '../../support/hooks/direct-dispatch.ts'

describe('direct attempts', () => {
  it('a first attempt is made and recorded while its event is dispatched, and nothing is queued', async () => {
    const { ports, hooks, calls, dispatch, deliveries } = await aDispatch({}, {})
    const events = [anEvent(), anEvent(), anEvent()]

    expect((await dispatch(events)).map(({ error }) => error)).toEqual([undefined, undefined, undefined])

    expect(ports.hookClient.sent).toHaveLength(6)
    expect(ports.deliveryQueue.queued).toEqual([])
    expect(calls).toEqual(['recordTogether 6'])
    for (const delivery of deliveries()) {
      expect(delivery).toMatchObject({ state: 'delivered', tries: 1, begun: {}, attempts: [{ status: 200 }] })
      expect(delivery).not.toHaveProperty('nextAttemptAt')
    }
    const ids = ports.hookClient.sent.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids)).toEqual(new Set(deliveries().map(({ id }) => id)))
    expect(hooks).toHaveLength(2)
  })

  it('the result of a single attempt is recorded by an update, since a transaction costs twice the write units', async () => {
    const { calls, dispatch, deliveries } = await aDispatch({})

    await dispatch()

    expect(calls).toEqual([])
    expect(deliveries()).toMatchObject([{ state: 'delivered', tries: 1, begun: {}, attempts: [{ status: 200 }] }])
  })

  it('the first attempt of a hook whose receiver is late is queued', async () => {
    const { ports, dispatch } = await aDispatch({ lateAt: Number.MAX_SAFE_INTEGER })

    await dispatch()

    expect(ports.hookClient.sent).toEqual([])
    expect(ports.deliveryQueue.queued).toHaveLength(1)
  })

  it('attempts of hooks that changed during numbering are queued', async () => {
    const { ports, hooks, deps, deliveries } = await aDispatch({}, {}, {})
    const [kept, disabled, removed] = hooks
    const eventLogWriter: typeof deps.eventLogWriter = {
      ...deps.eventLogWriter,
      take: async (...numbers) => {
        if (disabled !== undefined) await ports.hooks.replace({ ...disabled, enable: false, version: 2 })
        if (removed !== undefined) await ports.hooks.remove(removed)
        return deps.eventLogWriter.take(...numbers)
      },
    }

    await dispatchEvents({ ...deps, eventLogWriter }, [anEvent()])

    expect(ports.hookClient.sent).toHaveLength(1)
    expect(deliveries().find(({ hookId }) => hookId === kept?.id)).toMatchObject({ state: 'delivered' })
    const queued = new Set(ports.deliveryQueue.queued.map(({ hookId }) => hookId))
    expect(queued).toEqual(new Set([disabled?.id, removed?.id]))
  })

  it('an event is redelivered only after the direct attempts of its batch have ended', async () => {
    const { ports, deps, hooks, deliveries } = await aDispatch(
      {},
      { lateAt: Number.MAX_SAFE_INTEGER, event: 'CHANNEL_ANSWER' },
    )
    const known = anEvent({ name: 'CHANNEL_ANSWER' })
    await dispatchEvents(deps, [known])
    ports.deliveryQueue.queued.splice(0)
    const client = heldClient()
    let isRefused = false
    const deliveriesPort: typeof deps.deliveries = {
      ...deps.deliveries,
      read: async (...place) => {
        if (isRefused) return deps.deliveries.read(...place)
        isRefused = true
        throw new DomainError('internal_error', 'an item that cannot be read')
      },
    }

    const dispatched = dispatchEvents({ ...deps, hookClient: client, deliveries: deliveriesPort }, [anEvent(), known])
    await vi.waitFor(() => expect(client.held.size).toBe(1))
    for (const reply of client.held.values()) reply(answer(200))
    await dispatched

    expect(client.sent).toHaveLength(1)
    expect(deliveries().find(({ hookId }) => hookId === hooks[0]?.id)).toMatchObject({ state: 'delivered', tries: 1 })
  })

  it('first attempts beyond the deliveries that are written with the numbers are queued, those of an event together', async () => {
    const { ports, dispatch } = await aDispatch(...Array.from({ length: 3 }, () => ({})))
    const events = Array.from({ length: Math.ceil(deliveriesTogether / 3) }, () => anEvent())

    await dispatch(events)

    expect(ports.hookClient.sent).toHaveLength(deliveriesTogether - (deliveriesTogether % 3))
    expect(ports.deliveryQueue.queued).toHaveLength(3)
  })

  it('a direct attempt that fails temporarily is recorded with the plan of the next one, which is queued', async () => {
    const { ports, clock, dispatch, deliveries } = await aDispatch({ retries: 3, delay: 10 })
    ports.hookClient.answer = () => answer(503)

    await dispatch()

    const [delivery] = deliveries()
    expect(delivery).toMatchObject({ state: 'pending', tries: 1, begun: {}, attempts: [{ status: 503 }] })
    const dueAt = delivery?.nextAttemptAt ?? 0
    expect(dueAt - clock.now()).toBeGreaterThanOrEqual(10_000)
    expect(ports.deliveryQueue.queued).toMatchObject([{ id: delivery?.id, attempt: 2, dueAt }])
    expect((await ports.deliveries.listDue(dueAt + 1, 9)).deliveries).toHaveLength(1)
  })

  it('a direct attempt that fails for good is counted for its hook, and a later success resets the count', async () => {
    const { ports, dispatch, deliveries, stored } = await aDispatch({})
    ports.hookClient.answer = () => answer(404)
    await dispatch()

    expect(deliveries()).toMatchObject([{ state: 'failed', attempts: [{ status: 404, reason: 'status 404' }] }])
    expect(await stored()).toMatchObject({ failures: 1 })
    ports.hookClient.answer = () => answer(200)
    await dispatch()
    expect(await stored()).not.toHaveProperty('failures')
  })

  it('a direct attempt that is answered with 410 disables the hook, whose owner is notified by the function that delivers', async () => {
    const { ports, dispatch, stored, work } = await aDispatch({})
    ports.hookClient.answer = () => answer(410)

    await dispatch([anEvent(), anEvent()])

    expect(await stored()).toMatchObject({ enable: false, noticeDue: true })
    expect(ports.events.published).toEqual([])
    await work()
    expect(ports.events.published.map(({ name }) => name)).toEqual(['CUSTOM->svc::hook_disabled'])
    expect(ports.hookClient.sent).toHaveLength(2)
  })

  it('a direct attempt that fails after failures of five days disables the hook, whose owner is notified by the function that delivers', async () => {
    const { ports, dispatch, stored, work } = await aDispatch({ failures: 19, failingSince: -5 * 86_400_000 })
    ports.hookClient.answer = () => answer(404)

    await dispatch()

    expect(await stored()).toMatchObject({ enable: false, noticeDue: true })
    await work()
    expect(ports.events.published.map(({ name }) => name)).toEqual(['CUSTOM->svc::hook_disabled'])
  })

  it('a queue that refuses the notice of a disabled hook loses no result: all attempts are recorded, and the redelivered event queues it', async () => {
    const { ports, deps, dispatch, deliveries, work, hooks } = await aDispatch({}, {})
    ports.hookClient.answer = ({ headers }) => {
      const { hookId } = deliveries().find(({ id }) => id === headers['webhook-id']) ?? {}
      return answer(hookId === hooks[0]?.id ? 410 : 200)
    }
    const deliveryQueue: typeof deps.deliveryQueue = { send: async (queued) => queued.map(({ id }) => id) }
    const event = anEvent()

    const ends = await dispatchEvents({ ...deps, deliveryQueue }, [event])

    expect(ends).toMatchObject([{ error: { code: 'store_unavailable' } }])
    expect(
      deliveries()
        .map(({ state }) => state)
        .toSorted(),
    ).toEqual(['delivered', 'failed'])
    expect((await dispatch([event])).map(({ error }) => error)).toEqual([undefined])
    await work()
    expect(ports.events.published.map(({ name }) => name)).toEqual(['CUSTOM->svc::hook_disabled'])
    expect(ports.hookClient.sent).toHaveLength(2)
  })

  it('a direct attempt is recorded on its own if another delivery of its batch has changed meanwhile', async () => {
    const { ports, dispatch, deliveries } = await aDispatch({}, {})
    let sent = 0
    ports.hookClient.answer = () => {
      const [first] = deliveries()
      sent += 1
      if (sent === 2 && first !== undefined) {
        const attempt = { at: 1, durationMs: 1, reason: 'hook_disabled' }
        void ports.deliveries.recordAttempt(first, { attempt, state: 'skipped' })
      }
      return answer(200)
    }

    await dispatch()

    const [first, second] = deliveries()
    expect(first).toMatchObject({ state: 'delivered', attempts: [{ reason: 'hook_disabled' }, { status: 200 }] })
    expect(second).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] })
  })
})
