import { describe, expect, it, vi } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { secretPurpose } from '../../../core/hooks/definition/signing.ts'
import { attemptDelivery } from '../../../core/hooks/attempt/attempt-delivery.ts'
import { hmacSha256 } from '../../../adapters/crypto/hmac-sha256.ts'
import { attemptsOf } from '../../../core/hooks/delivery/delivery-log.ts'
import { directMs, directTogether, mostUntilSentMs } from '../../../core/hooks/attempt/direct-attempts.ts'
import { dispatchEvents } from '../../../core/hooks/attempt/dispatch-events.ts'
import { DomainError } from '../../../core/errors.ts'
import type { HookReply, HookRequest } from '../../../core/hooks/request/hook-client.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { paceLifeMs, quickMs } from '../../../core/hooks/attempt/prompt-receivers.ts'
import { dispatchDeps } from '../../support/hooks/dispatch-deps.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { aHook, anEvent } from '../../support/records/records.ts'

const minute = 60_000

/** Dispatch over memory, with hooks whose receivers are prompt unless it is said otherwise. */
async function aSetup(...given: Partial<Hook>[]) {
  const time = manualTime()
  const { clock, timers } = time
  const ports = memoryPorts({ clock, random: systemRandomness })
  const hooks: Hook[] = []
  for (const each of given) {
    const plain = aHook({ filter: {}, promptAt: 1, ...each })
    const sealed = await ports.secretBox.seal(new Uint8Array(32).fill(7), secretPurpose(plain.domain, plain.id))
    hooks.push({ ...plain, secrets: [{ sealed }] })
  }
  await ports.hooks.create(hooks, 1_000)
  const calls: string[] = []
  const deps = dispatchDeps(ports, clock, timers)
  const deliveries = {
    ...ports.deliveries,
    recordTogether: async (...attempts: Parameters<typeof ports.deliveries.recordTogether>) => {
      calls.push(`recordTogether ${attempts[0].length}`)
      return ports.deliveries.recordTogether(...attempts)
    },
  }
  return {
    clock,
    advance: (ms: number) => time.advance(ms),
    stall: (ms: number) => time.stall(ms),
    ports,
    hooks,
    calls,
    deps: { ...deps, deliveries },
    dispatch: (events = [anEvent()]) => dispatchEvents({ ...deps, deliveries }, events),
    deliveries: () => [...ports.state.deliveries.values()],
    stored: (index = 0) => ports.hooks.read(hooks[index]?.domain ?? '', hooks[index]?.id ?? ''),
    /** Makes the attempts that are queued. */
    work: async (hookClient: typeof deps.hookClient = ports.hookClient, isSlow = false) => {
      for (const queued of ports.deliveryQueue.queued.splice(0)) {
        const tools = { ...ports, hookClient, clock, timers, ownDelay: deps.ownDelay }
        await attemptDelivery({ ...tools, random: systemRandomness, hmac: hmacSha256, isSlow }, queued)
      }
    },
  }
}

const answer = (status: number): HookReply => ({ outcome: 'answered', status, headers: {}, body: '', durationMs: 1 })

/** A client that answers when it is let, or never. */
function heldClient() {
  const held = new Map<string, (reply: HookReply) => void>()
  const signals: (AbortSignal | undefined)[] = []
  return {
    held,
    signals,
    send: ({ url }: HookRequest, signal?: AbortSignal) => {
      signals.push(signal)
      return new Promise<HookReply>((resolve) => void held.set(url, resolve))
    },
  }
}

describe('direct attempts', () => {
  it('a first attempt to a prompt receiver is made and recorded while its event is dispatched, and nothing is queued', async () => {
    const { ports, hooks, calls, dispatch, deliveries } = await aSetup({}, {})
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

  it.each([
    ['a new hook', { promptAt: undefined }],
    ['a hook whose receiver was late', { promptAt: undefined, lateAt: 1 }],
    ['a hook whose receiver is slow', { slowAt: 1 }],
  ])('the first attempt is queued for %s', async (_title, given) => {
    const { ports, dispatch } = await aSetup(given)

    await dispatch()

    expect(ports.hookClient.sent).toEqual([])
    expect(ports.deliveryQueue.queued).toHaveLength(1)
  })

  it('when numbering took so long that hooks may have changed, they are read again: the attempts of those that changed are queued', async () => {
    const { ports, hooks, deps, advance, deliveries } = await aSetup({}, {}, {})
    const [kept, disabled, removed] = hooks
    const eventLogWriter: typeof deps.eventLogWriter = {
      ...deps.eventLogWriter,
      take: async (...numbers) => {
        await advance(mostUntilSentMs + 1)
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

  it('an event is dispatched again only when the direct attempts of its batch have ended', async () => {
    const { ports, deps, hooks, deliveries } = await aSetup({}, { promptAt: undefined, event: 'CHANNEL_ANSWER' })
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

    expect(client.signals).toHaveLength(1)
    expect(deliveries().find(({ hookId }) => hookId === hooks[0]?.id)).toMatchObject({ state: 'delivered', tries: 1 })
  })

  it('the first attempts beyond the most that are made at a time are queued', async () => {
    const { ports, dispatch } = await aSetup(...Array.from({ length: directTogether + 3 }, () => ({})))

    await dispatch()

    expect(ports.hookClient.sent).toHaveLength(directTogether)
    expect(ports.deliveryQueue.queued).toHaveLength(3)
  })

  it('a direct attempt that fails for now is recorded with the plan of the next one, which is queued', async () => {
    const { ports, clock, dispatch, deliveries } = await aSetup({ retries: 3, delay: 10 })
    ports.hookClient.answer = () => answer(503)

    await dispatch()

    const [delivery] = deliveries()
    expect(delivery).toMatchObject({ state: 'pending', tries: 1, begun: {}, attempts: [{ status: 503 }] })
    const dueAt = delivery?.nextAttemptAt ?? 0
    expect(dueAt - clock.now()).toBeGreaterThanOrEqual(10_000)
    expect(ports.deliveryQueue.queued).toMatchObject([{ id: delivery?.id, attempt: 2, dueAt }])
    expect((await ports.deliveries.listDue(dueAt + 1, 9)).deliveries).toHaveLength(1)
  })

  it('a direct attempt that fails for good is counted for its hook, and a later success ends the count', async () => {
    const { ports, dispatch, deliveries, stored } = await aSetup({})
    ports.hookClient.answer = () => answer(404)
    await dispatch()

    expect(deliveries()).toMatchObject([{ state: 'failed', attempts: [{ status: 404, reason: 'status 404' }] }])
    expect(await stored()).toMatchObject({ failures: 1 })
    ports.hookClient.answer = () => answer(200)
    await dispatch()
    expect(await stored()).not.toHaveProperty('failures')
  })

  it('a direct attempt that is answered with 410 disables the hook, whose owner is notified by the function that delivers', async () => {
    const { ports, dispatch, stored, work } = await aSetup({})
    ports.hookClient.answer = () => answer(410)

    await dispatch([anEvent(), anEvent()])

    expect(await stored()).toMatchObject({ enable: false, noticeDue: true })
    expect(ports.events.published).toEqual([])
    await work()
    expect(ports.events.published.map(({ name }) => name)).toEqual(['CUSTOM->svc::hook_disabled'])
    expect(ports.hookClient.sent).toHaveLength(2)
  })

  it('a direct attempt that fails after failures of five days disables the hook, whose owner is notified by the function that delivers', async () => {
    const { ports, dispatch, stored, work } = await aSetup({ failures: 19, failingSince: -5 * 86_400_000 })
    ports.hookClient.answer = () => answer(404)

    await dispatch()

    expect(await stored()).toMatchObject({ enable: false, noticeDue: true })
    await work()
    expect(ports.events.published.map(({ name }) => name)).toEqual(['CUSTOM->svc::hook_disabled'])
  })

  it('a queue that refuses the reminder of a disabled hook loses no answer: all attempts are recorded, and the event comes again and queues it', async () => {
    const { ports, deps, dispatch, deliveries, work, hooks } = await aSetup({}, {})
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

  it('a direct attempt is recorded by itself when another delivery of its batch was moved on meanwhile', async () => {
    const { ports, dispatch, deliveries } = await aSetup({}, {})
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

describe('receivers that are not prompt any more', () => {
  it('a receiver that stops answering is waited for one second; then its run is interrupted, the attempt queued, and it is late', async () => {
    const { ports, clock, deps, advance, deliveries, stored, work } = await aSetup({})
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
    const { ports, deps, advance, stall, deliveries, stored } = await aSetup({})
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

  it('an answer that is there when a process that was busy for all the wait reads it is recorded, and not sent again', async () => {
    const { ports, deps, advance, stall, deliveries, stored } = await aSetup({})
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

  it('a receiver becomes prompt by an attempt from the queue whose answer a busy process reads late', async () => {
    const { dispatch, work, advance, stall, stored } = await aSetup({ promptAt: undefined })
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
    const { clock, deps, advance, stall, stored } = await aSetup({})
    const dispatching = dispatchEvents({ ...deps, hookClient: heldClient() }, [anEvent()])
    await advance(20)

    await stall(900)
    await advance(2 * directMs.ofOneDomain - 920)
    await dispatching

    expect(await stored()).toMatchObject({ lateAt: clock.now() })
  })

  it('a key service that fails or hangs is not held against the receiver: the attempt is queued, and the hook stays prompt', async () => {
    const { ports, deps, advance, stored } = await aSetup({}, {})
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

  it('one hook without an answer leaves the other hooks of its domain prompt', async () => {
    const url = 'https://receiver.example.com/silent'
    const { ports, deps, advance, stored } = await aSetup({ action: { type: 'web', method: 'POST', url } }, {})
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

  it('a receiver that stops answering does not keep the events of another domain of the batch from being sent and recorded', async () => {
    const { ports, deps, advance, deliveries } = await aSetup({}, { domain: 'b.example.com' })
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

  it('a receiver that stops answering holds up the other tenants of its batch for a quarter of a second, and for twice that in a busy process', async () => {
    const run = async (stallMs: number) => {
      const { ports, clock, deps, advance, stall } = await aSetup({}, { domain: 'b.example.com' })
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

  it('a late receiver gets nothing directly from the same process for a minute, even where that reads the old note', async () => {
    const { ports, hooks, deps, advance } = await aSetup({})
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

  it('a receiver is late after an answer in half a second, and prompt again a minute later by a quick success from the queue', async () => {
    const { ports, deps, advance, dispatch, stored, work } = await aSetup({})
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

it('a receiver that answers one request and leaves another one without an answer is late', async () => {
  const { deps, advance, stored } = await aSetup({})
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

it('a quick success does not make a receiver prompt while it counts as slow', async () => {
  const { clock, ports, hooks, dispatch, stored, work } = await aSetup({ promptAt: undefined })
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
  const setup = await aSetup({})
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

  it('a receiver that was not quick enough for full batches gets another one five seconds later', async () => {
    const { advance, sendsDirectly, answerAfter } = await aPacedSetup()
    await answerAfter(quickMs)

    await advance(paceLifeMs)

    expect(await sendsDirectly(10)).toBe(true)
  })
})
