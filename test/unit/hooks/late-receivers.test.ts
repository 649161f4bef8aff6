import { describe, expect, it } from 'vitest'
import { attemptsOf } from '../../../core/hooks/delivery/delivery.ts'
import { directMs } from '../../../core/hooks/attempt/direct-attempts.ts'
import { dispatchEvents } from '../../../core/hooks/attempt/dispatch-events.ts'
import { DomainError } from '../../../core/errors.ts'
import type { HookReply } from '../../../core/hooks/request/hook-client.ts'
import { paceLifeMs, quickMs } from '../../../core/hooks/attempt/prompt-receivers.ts'
import { anEvent } from '../../support/records/records.ts'

import { aDispatch, answer, heldClient } from '../../support/hooks/direct-lab.ts'

const minute = 60_000

describe('receivers that are not prompt any more', () => {
  it('a receiver that stops answering is waited for one second; then its run is interrupted, the attempt queued, and it counts as late', async () => {
    const { ports, clock, deps, advance, deliveries, stored, work } = await aDispatch({})
    const client = heldClient()
    const dispatching = dispatchEvents({ ...deps, hookClient: client }, [anEvent(), anEvent()])

    await advance(directMs.ofOneDomain)

    expect((await dispatching).map(({ error }) => error)).toEqual([undefined, undefined])
    expect(client.signals.map((signal) => signal?.aborted)).toEqual([true, true])
    expect(await stored()).toMatchObject({ lateAt: clock.now() })
    expect(await stored()).not.toHaveProperty('promptAt')
    expect(ports.deliveryQueue.queued).toHaveLength(2)
    expect((await ports.deliveries.listDue(clock.now() + 2, 9)).deliveries).toHaveLength(2)
    await work()
    for (const delivery of deliveries()) {
      expect(delivery.state).toBe('delivered')
      const log = attemptsOf(delivery, clock.now() + minute)
      expect(log.map(({ status, reason }) => status ?? reason)).toEqual(['interrupted', 200])
    }
  })

  it('a receiver whose answer a busy process reads after 900 ms stays prompt, and its attempts stay direct', async () => {
    const { ports, deps, advance, stall, deliveries, stored } = await aDispatch({})
    const replied = Promise.withResolvers<HookReply>()
    const hookClient: typeof deps.hookClient = { send: () => replied.promise }
    const dispatching = dispatchEvents({ ...deps, hookClient }, [anEvent()])
    await advance(20)

    await stall(880)
    replied.resolve(answer(200))
    await dispatching

    expect(deliveries()).toMatchObject([{ state: 'delivered', attempts: [{ durationMs: 900 }] }])
    expect(await stored()).toMatchObject({ promptAt: 1 })
    expect(await stored()).not.toHaveProperty('lateAt')
    expect(ports.deliveryQueue.queued).toEqual([])
    await dispatchEvents(deps, [anEvent()])
    expect(ports.hookClient.sent).toHaveLength(1)
  })

  it('a response that a busy process reads only after its wait is recorded, and the request is not sent again', async () => {
    const { ports, deps, advance, stall, deliveries, stored } = await aDispatch({})
    const replied = Promise.withResolvers<HookReply>()
    const hookClient: typeof deps.hookClient = { send: () => replied.promise }
    const dispatching = dispatchEvents({ ...deps, hookClient }, [anEvent()])
    await advance(20)

    await stall(3_000)
    replied.resolve(answer(200))
    await dispatching

    expect(deliveries()).toMatchObject([{ state: 'delivered' }])
    expect(await stored()).toMatchObject({ promptAt: 1 })
    expect(ports.deliveryQueue.queued).toEqual([])
  })

  it('a receiver becomes prompt by a queued attempt even if a busy process reads the response late', async () => {
    const { dispatch, work, advance, stall, stored } = await aDispatch({ promptAt: undefined })
    await dispatch()
    const replied = Promise.withResolvers<HookReply>()
    const working = work({ send: () => replied.promise })
    await advance(20)

    await stall(400)
    replied.resolve(answer(200))
    await working

    expect(await stored()).toHaveProperty('promptAt')
  })

  it('a receiver without an answer is waited for two seconds at most, however busy the process is', async () => {
    const { clock, deps, advance, stall, stored } = await aDispatch({})
    const dispatching = dispatchEvents({ ...deps, hookClient: heldClient() }, [anEvent()])
    await advance(20)

    await stall(900)
    await advance(2 * directMs.ofOneDomain - 920)
    await dispatching

    expect(await stored()).toMatchObject({ lateAt: clock.now() })
  })

  it('a key service that fails or hangs does not count against the receiver: the attempt is queued, and the hook stays prompt', async () => {
    const { ports, deps, advance, stored } = await aDispatch({}, {})
    let opened = 0
    const open = () => {
      opened += 1
      return opened === 1 ? Promise.reject(new DomainError('store_unavailable', 'gone')) : new Promise<never>(() => {})
    }
    const dispatching = dispatchEvents({ ...deps, secretBox: { open } }, [anEvent()])

    await advance(directMs.ofOneDomain)

    expect((await dispatching).map(({ error }) => error)).toEqual([undefined])
    expect(ports.hookClient.sent).toEqual([])
    expect(ports.deliveryQueue.queued).toHaveLength(2)
    for (const index of [0, 1]) expect(await stored(index)).toMatchObject({ promptAt: 1 })
    await dispatchEvents(deps, [anEvent()])
    expect(ports.hookClient.sent).toHaveLength(2)
  })

  it('a hook without a response does not make the other hooks of its domain late', async () => {
    const url = 'https://receiver.example.com/silent'
    const { ports, deps, advance, stored } = await aDispatch({ action: { type: 'web', method: 'POST', url } }, {})
    const hookClient: typeof deps.hookClient = {
      send: (request, signal) =>
        request.url === url ? new Promise<never>(() => {}) : ports.hookClient.send(request, signal),
    }
    const dispatching = dispatchEvents({ ...deps, hookClient }, [anEvent()])
    await advance(directMs.ofOneDomain)
    await dispatching

    await dispatchEvents(deps, [anEvent()])

    expect(await stored(0)).not.toHaveProperty('promptAt')
    expect(await stored(1)).toHaveProperty('promptAt')
    expect(ports.hookClient.sent).toHaveLength(2)
  })

  it("a receiver that stops answering does not prevent sending and recording another domain's events of the batch", async () => {
    const { ports, deps, advance, deliveries } = await aDispatch({}, { domain: 'b.example.com' })
    const client = heldClient()
    const dispatching = dispatchEvents(
      {
        ...deps,
        hookClient: {
          send: (request, signal) => (client.held.size === 0 ? client : ports.hookClient).send(request, signal),
        },
      },
      [anEvent(), anEvent({ domain: 'b.example.com' })],
    )

    await advance(0)

    expect(deliveries().map(({ domain, state }) => [domain, state])).toEqual([
      ['a.example.com', 'pending'],
      ['b.example.com', 'delivered'],
    ])
    await advance(directMs.ofSeveralDomains)
    await dispatching
  })

  it('a receiver that stops answering delays the other tenants of its batch by a quarter of a second, and by twice that in a busy process', async () => {
    const run = async (stallMs: number) => {
      const { ports, clock, deps, advance, stall } = await aDispatch({}, { domain: 'b.example.com' })
      const hookClient = heldClient()
      const events = [anEvent(), anEvent({ domain: 'b.example.com' })]
      const from = clock.now()
      const over = dispatchEvents({ ...deps, hookClient }, events).then(() => clock.now() - from)
      await advance(20)
      if (stallMs > 0) await stall(stallMs)
      for (let ms = 0; ms < 1_000; ms += 10) await advance(10)
      return {
        tookMs: await over,
        aborted: hookClient.signals.map((signal) => signal?.aborted),
        queued: ports.deliveryQueue.queued.length,
      }
    }

    expect(await run(0)).toEqual({ tookMs: 250, aborted: [true, true], queued: 2 })
    expect(await run(230)).toEqual({ tookMs: 500, aborted: [true, true], queued: 2 })
  })

  it('a late receiver gets no direct attempt from the same process for a minute, even if that reads an outdated record', async () => {
    const { ports, hooks, deps, advance } = await aDispatch({})
    const old = { ...deps, hooksFor: async () => hooks }
    const dispatching = dispatchEvents({ ...old, hookClient: heldClient() }, [anEvent()])
    await advance(directMs.ofOneDomain)
    await dispatching
    ports.deliveryQueue.queued.length = 0

    await dispatchEvents(old, [anEvent()])

    expect(ports.hookClient.sent).toEqual([])
    expect(ports.deliveryQueue.queued).toHaveLength(1)
    await advance(minute)
    await dispatchEvents(old, [anEvent()])
    expect(ports.hookClient.sent).toHaveLength(1)
  })

  it('a receiver becomes late after a response in half a second, and prompt again a minute later by a quick queued attempt', async () => {
    const { ports, deps, advance, dispatch, stored, work } = await aDispatch({})
    const client = heldClient()
    const dispatching = dispatchEvents({ ...deps, hookClient: client }, [anEvent()])
    await advance(500)
    for (const reply of client.held.values()) reply(answer(200))
    await advance(0)
    await dispatching
    expect(await stored()).toHaveProperty('lateAt')

    await dispatch()
    await work()
    expect(await stored(), 'it was late a moment ago').toHaveProperty('lateAt')
    await advance(minute)
    await dispatch()
    await work()
    expect(await stored()).toHaveProperty('promptAt')
    ports.hookClient.sent.length = 0
    await dispatch()
    expect(ports.hookClient.sent).toHaveLength(1)
  })
})

it('a receiver that answers one request and not another one is late', async () => {
  const { deps, advance, stored } = await aDispatch({})
  let sent = 0
  const send = () => {
    sent += 1
    return sent === 1 ? Promise.resolve(answer(200)) : new Promise<never>(() => {})
  }
  const dispatching = dispatchEvents({ ...deps, hookClient: { send } }, [anEvent(), anEvent()])

  await advance(directMs.ofOneDomain)
  await dispatching

  expect(await stored()).toHaveProperty('lateAt')
})

it('a quick success does not make a receiver prompt while it is recorded as slow', async () => {
  const { clock, ports, hooks, dispatch, stored, work } = await aDispatch({ promptAt: undefined })
  const [hook = expect.fail()] = hooks
  await ports.hooks.noteSpeed(hook, clock.now() - 10_000)
  await dispatch()

  await work(ports.hookClient, true)

  expect(ports.hookClient.sent).toHaveLength(1)
  expect(await stored()).toHaveProperty('slowAt')
  expect((await stored())?.promptAt).toBeUndefined()
})

/** A dispatcher whose receiver answers after a while, and the size of the batches that it sends directly. */
async function aPacedSetup() {
  const setup = await aDispatch({})
  const { ports, deps, advance } = setup
  const sendsDirectly = async (events: number) => {
    ports.hookClient.sent.length = 0
    ports.deliveryQueue.queued.length = 0
    await dispatchEvents(
      deps,
      Array.from({ length: events }, () => anEvent()),
    )
    return ports.hookClient.sent.length === events
  }
  /** Dispatches events whose requests are answered after so many milliseconds each. */
  const answerAfter = async (...durations: number[]) => {
    const client = { send: () => new Promise<HookReply>((resolve) => void held.push(resolve)) }
    const held: ((reply: HookReply) => void)[] = []
    const events = durations.map(() => anEvent())
    const dispatching = dispatchEvents({ ...deps, hookClient: client }, events)
    await advance(0)
    let waited = 0
    for (const [index, duration] of durations.entries()) {
      await advance(duration - waited)
      waited = duration
      held[index]?.(answer(200))
    }
    await advance(0)
    await dispatching
  }
  return { ...setup, sendsDirectly, answerAfter }
}

describe('a full batch of one domain', () => {
  it('in a full batch of one domain only receivers that answer within 100 ms get first attempts directly', async () => {
    const { sendsDirectly, answerAfter } = await aPacedSetup()

    await answerAfter(quickMs - 1)
    expect(await sendsDirectly(10)).toBe(true)
    await answerAfter(quickMs)
    expect(await sendsDirectly(10)).toBe(false)
    expect(await sendsDirectly(1)).toBe(true)
  })

  it('the quickest answer of a batch counts, since the others also waited for the process', async () => {
    const { sendsDirectly, answerAfter, stored } = await aPacedSetup()

    await answerAfter(quickMs - 1, quickMs + 1, 600)

    expect(await sendsDirectly(10)).toBe(true)
    expect(await stored()).toHaveProperty('promptAt')
  })

  it('a receiver that was too slow for full batches gets another direct attempt five seconds later', async () => {
    const { advance, sendsDirectly, answerAfter } = await aPacedSetup()
    await answerAfter(quickMs)

    await advance(paceLifeMs)

    expect(await sendsDirectly(10)).toBe(true)
  })
})
