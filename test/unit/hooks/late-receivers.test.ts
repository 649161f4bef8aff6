import { describe, expect, it } from 'vitest'
import { attemptsOf } from '../../../core/hooks/delivery/delivery.ts'
import { againMs } from '../../../core/hooks/attempt/direct-attempts.ts'
import { dispatchEvents } from '../../../core/hooks/attempt/dispatch-events.ts'
import { lateLifeMs, patience } from '../../../core/hooks/attempt/late-receivers.ts'
import { DomainError } from '../../../core/errors.ts'
import { anEvent } from '../../support/records/records.ts'
import { aDispatch, answer, heldClient } from '../../support/hooks/direct-dispatch.ts'

const minute = 60_000
const answersMs = patience.answerPauses * patience.pauseMs
const lateMs = patience.latePauses * patience.pauseMs

/** A dispatcher of one event, whose receiver answers when it is let. */
async function aWaitingDispatch(...given: Parameters<typeof aDispatch>) {
  const pipeline = await aDispatch(...(given.length === 0 ? [{}] : given))
  const client = heldClient()
  const reports: boolean[] = []
  const event = anEvent()
  const dispatching = dispatchEvents({ ...pipeline.deps, hookClient: client }, [event], (_, isLast) => {
    reports.push(isLast)
  })
  await pipeline.advance(0)
  const reply = async (status = 200) => {
    for (const each of client.held.values()) each(answer(status))
    await pipeline.advance(0)
    await dispatching
  }
  return { ...pipeline, client, reports, event, dispatching, reply }
}

describe('a receiver that does not answer at once', () => {
  it.each([400, 1_900, 14_900])('a receiver that answers after %i ms gets its first request once', async (ms) => {
    const { advance, reply, client, ports, work, deliveries } = await aWaitingDispatch()

    await advance(ms)
    await reply()
    await advance(againMs)
    await work()

    expect([client.sent.length, ports.hookClient.sent.length]).toEqual([1, 0])
    expect(deliveries()).toMatchObject([{ state: 'delivered', tries: 1, begun: {}, attempts: [{ durationMs: ms }] }])
    expect(ports.deliveryQueue.queued).toEqual([])
  })

  it('the next events of the domain wait for an answer for half a second, and the attempt goes on', async () => {
    const { advance, reports, reply, deliveries } = await aWaitingDispatch()

    await advance(answersMs - 1)
    expect(reports).toEqual([])
    await advance(1)
    expect(reports, 'something of the batch goes on').toEqual([false])
    await advance(5_000)
    await reply()

    expect(deliveries()).toMatchObject([{ state: 'delivered' }])
  })

  it('an attempt whose function is killed while it goes on is found as due, and made again a minute later', async () => {
    const { advance, ports, clock, deliveries, work } = await aWaitingDispatch()
    await advance(answersMs)

    expect(ports.deliveryQueue.queued).toMatchObject([{ attempt: 1, delaySeconds: againMs / 1_000 }])
    expect((await ports.deliveries.listDue(clock.now() + againMs + 1, 9)).deliveries).toHaveLength(1)
    await advance(againMs)
    await work()

    const [delivery = expect.fail()] = deliveries()
    expect(delivery.state).toBe('delivered')
    const log = attemptsOf(delivery, clock.now() + minute)
    expect(log.map(({ status, reason }) => status ?? reason)).toEqual(['interrupted', 200])
  })

  it('an attempt that fails after its half second is retried as planned, and the message for a killed one makes nothing', async () => {
    const { advance, reply, ports, deliveries, work } = await aWaitingDispatch({ retries: 3, delay: 100 })
    await advance(5_000)
    await reply(503)

    const { nextAttemptAt } = deliveries()[0] ?? {}
    expect(ports.deliveryQueue.queued.map(({ attempt, dueAt }) => [attempt, dueAt === nextAttemptAt])).toEqual([
      [1, false],
      [2, true],
    ])
    ports.deliveryQueue.queued.pop()
    await work()
    expect(ports.hookClient.sent, 'it plans the next attempt anew, in case its message was lost').toEqual([])
    expect(ports.deliveryQueue.queued).toMatchObject([{ attempt: 2 }])
  })

  it('a retry that is under way when the message for a killed first attempt comes is made once', async () => {
    const { advance, reply, ports, deliveries, work } = await aWaitingDispatch({ retries: 3, delay: 5 })
    await advance(14_000)
    await reply(503)
    await advance(10_000)
    const [forKilled = expect.fail(), retry = expect.fail()] = ports.deliveryQueue.queued.splice(0)
    const receiver = heldClient()
    ports.deliveryQueue.queued.push(retry)
    const retrying = work(receiver)
    await advance(0)
    expect(receiver.sent).toHaveLength(1)

    await advance(againMs)
    ports.deliveryQueue.queued.push(forKilled)
    await work()
    expect(ports.deliveryQueue.queued).toEqual([])
    for (const each of receiver.held.values()) each(answer(200))
    await retrying

    expect(ports.hookClient.sent).toEqual([])
    expect(deliveries()).toMatchObject([{ state: 'delivered', tries: 2 }])
  })

  it('a first attempt that the store does not plan anew is waited for, and no answer of its batch is asked for twice', async () => {
    const { deps, advance, ports, work, deliveries } = await aDispatch({}, {}, {})
    const client = heldClient()
    let refused = 0
    const reschedule: typeof deps.deliveries.reschedule = async (...given) => {
      refused += 1
      if (refused === 1) throw new DomainError('store_unavailable', 'gone')
      return deps.deliveries.reschedule(...given)
    }
    const sent: (() => void)[] = []
    const hookClient: typeof deps.hookClient = {
      send: (request) => {
        client.sent.push(request)
        return new Promise((resolve) => void sent.push(() => resolve(answer(200))))
      },
    }
    const dispatching = dispatchEvents({ ...deps, hookClient, deliveries: { ...deps.deliveries, reschedule } }, [
      anEvent(),
    ])
    await advance(1_000)
    for (const each of sent) each()

    expect((await dispatching).map(({ error }) => error)).toEqual([undefined])
    await advance(againMs)
    await work()
    expect([client.sent.length, ports.hookClient.sent.length]).toEqual([3, 0])
    expect(deliveries().map(({ state, tries }) => [state, tries])).toEqual(
      Array.from({ length: 3 }, () => ['delivered', 1]),
    )
  })

  it('an attempt that is answered with 410 after its half second disables the hook, whose owner is told', async () => {
    const { advance, reply, ports, stored, work } = await aWaitingDispatch()
    await advance(5_000)
    await reply(410)

    expect(await stored()).toMatchObject({ enable: false, noticeDue: true })
    await work()
    expect(ports.events.published.map(({ name }) => name)).toEqual(['CUSTOM->svc::hook_disabled'])
  })

  it('an attempt whose end cannot be recorded is made again by its message', async () => {
    const { deps, advance, ports, work, deliveries } = await aDispatch({})
    const client = heldClient()
    const away = () => Promise.reject(new DomainError('store_unavailable', 'gone'))
    const over = { ...deps, hookClient: client, deliveries: { ...deps.deliveries, recordAttempt: away } }
    const dispatching = dispatchEvents(over, [anEvent()])
    await advance(answersMs)
    for (const each of client.held.values()) each(answer(200))

    expect((await dispatching).map(({ error }) => error)).toEqual([undefined])
    await advance(againMs)
    await work()
    expect(ports.hookClient.sent).toHaveLength(1)
    expect(deliveries()).toMatchObject([{ state: 'delivered' }])
  })

  it('an event that fails while one of its attempts goes on comes again only after that has ended', async () => {
    const { deps, hooks, advance } = await aDispatch({}, { lateAt: Number.MAX_SAFE_INTEGER })
    const client = heldClient()
    let isOver = false
    const send = async () => Promise.reject(new DomainError('store_unavailable', 'gone'))
    const over = { ...deps, hookClient: client, deliveryQueue: { ...deps.deliveryQueue, send } }
    const dispatching = dispatchEvents(over, [anEvent()]).then((ends) => {
      isOver = true
      return ends
    })
    await advance(answersMs + 100)
    expect([hooks.length, isOver]).toEqual([2, false])

    for (const each of client.held.values()) each(answer(200))
    expect((await dispatching).map(({ error }) => error)).toMatchObject([{ code: 'store_unavailable' }])
  })
})

describe('late receivers', () => {
  it('a receiver without an answer after two seconds is late, and its first attempts are queued from then on', async () => {
    const { advance, clock, stored, reply, dispatch, ports } = await aWaitingDispatch()
    await advance(lateMs - 1)
    expect(await stored()).not.toHaveProperty('lateAt')
    await advance(1)
    expect(await stored()).toMatchObject({ lateAt: clock.now() })
    await reply()
    ports.deliveryQueue.queued.length = 0

    await dispatch()

    expect(ports.hookClient.sent).toEqual([])
    expect(ports.deliveryQueue.queued).toMatchObject([{ attempt: 1, delaySeconds: 0 }])
  })

  it('a receiver that answers within two seconds is not late, whatever it answers', async () => {
    const { advance, reply, stored } = await aWaitingDispatch()
    await advance(lateMs - 1)
    await reply(503)
    await advance(minute)

    expect(await stored()).not.toHaveProperty('lateAt')
  })

  it.each([900, 3_000, 60_000])(
    'a receiver is not late because this process could not look for its answer for %i ms',
    async (ms) => {
      const { advance, stall, reply, stored, deliveries, work, ports } = await aWaitingDispatch()
      await advance(20)
      await stall(ms)
      await reply()

      expect(await stored()).not.toHaveProperty('lateAt')
      await advance(againMs)
      await work()
      expect(deliveries()).toMatchObject([{ state: 'delivered', attempts: [{ durationMs: 20 + ms }] }])
      expect(ports.hookClient.sent).toEqual([])
    },
  )

  it('a late receiver gets a first attempt again after a minute, and is late again unless it answers that in time', async () => {
    const pipeline = await aDispatch({})
    const client = heldClient()
    const dispatch = async (ms: number) => {
      const dispatching = dispatchEvents({ ...pipeline.deps, hookClient: client }, [anEvent()])
      await pipeline.advance(ms)
      for (const each of client.held.values()) each(answer(200))
      await dispatching
      return client.sent.length
    }
    expect(await dispatch(lateMs)).toBe(1)
    await pipeline.advance(lateLifeMs - 1)
    expect(await dispatch(0), 'it was late less than a minute ago').toBe(1)
    await pipeline.advance(1)
    expect(await dispatch(lateMs)).toBe(2)
    expect(await dispatch(0), 'it was late again').toBe(2)
    await pipeline.advance(lateLifeMs)
    expect(await dispatch(0)).toBe(3)
    expect(await dispatch(0)).toBe(4)
  })

  it('a note that the store does not take stops no attempt', async () => {
    const { deps, advance, deliveries } = await aDispatch({})
    const client = heldClient()
    const hooks = { ...deps.hooks, noteLate: () => Promise.reject(new Error('away')) }
    const dispatching = dispatchEvents({ ...deps, hooks, hookClient: client }, [anEvent()])
    await advance(lateMs)
    for (const each of client.held.values()) each(answer(200))
    await dispatching

    expect(deliveries()).toMatchObject([{ state: 'delivered' }])
  })

  it('a key service that fails or hangs does not count against the receiver: the attempt is queued', async () => {
    const { ports, deps, advance, stored, work, deliveries } = await aDispatch({}, {})
    let opened = 0
    const hanging = Promise.withResolvers<never>()
    const gone = () => new DomainError('store_unavailable', 'gone')
    const open = () => {
      opened += 1
      return opened === 1 ? Promise.reject(gone()) : hanging.promise
    }
    const dispatching = dispatchEvents({ ...deps, secretBox: { open } }, [anEvent()])
    await advance(lateMs)
    hanging.reject(gone())

    expect((await dispatching).map(({ error }) => error)).toEqual([undefined])
    expect(ports.hookClient.sent).toEqual([])
    for (const index of [0, 1]) expect(await stored(index)).not.toHaveProperty('lateAt')
    await advance(againMs)
    await work()
    expect(deliveries().map(({ state }) => state)).toEqual(['delivered', 'delivered'])
  })

  it('F44 a receiver without an answer makes no other receiver late, and delays no other domain of its batch', async () => {
    const url = 'https://receiver.example.com/silent'
    const silent = { action: { type: 'web', method: 'POST', url } } as const
    const { ports, deps, advance, stored, deliveries } = await aDispatch(silent, {}, { domain: 'b.example.com' })
    const client = heldClient()
    const hookClient: typeof deps.hookClient = {
      send: (request) => (request.url === url ? client : ports.hookClient).send(request),
    }
    const ended: string[] = []
    const events = [anEvent(), anEvent({ domain: 'b.example.com' })]
    const dispatching = dispatchEvents({ ...deps, hookClient }, events, (ends) => {
      for (const { event } of ends) ended.push(event.domain)
    })

    await advance(0)
    expect(ended).toEqual(['b.example.com'])
    await advance(answersMs)
    expect(ended).toEqual(['b.example.com', 'a.example.com'])
    await advance(lateMs)
    for (const each of client.held.values()) each(answer(200))
    await dispatching

    expect(deliveries().map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered'])
    const [first, ...others] = [await stored(0), await stored(1), await stored(2)]
    expect(first).toHaveProperty('lateAt')
    for (const hook of others) expect(hook).not.toHaveProperty('lateAt')
  })
})
