import { describe, expect, it } from 'vitest'
import { deliveryId } from '../../../adapters/crypto/hook-digests.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { patternRest } from '../../../adapters/regex/linear-pattern.ts'
import { type EventDispatchDeps, dispatchEvents } from '../../../core/hooks/attempt/dispatch-events.ts'
import { DomainError } from '../../../core/errors.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { readSettings } from '../../../functions/endpoint/cloud.ts'
import { handler as hookDispatch } from '../../../functions/hooks/hook-dispatch.ts'
import { aContext } from '../../support/platform/api.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'
import { dispatchDeps } from '../../support/hooks/dispatch-deps.ts'
import { aBatch } from '../../support/records/queue-batch.ts'
import { aHook, anEvent } from '../../support/records/records.ts'

/** Dispatches one event; throws why it has to come again, and returns how many hooks were not judged. */
async function dispatchEvent(deps: EventDispatchDeps, event: PlatformEvent): Promise<number> {
  const [end] = await dispatchEvents(deps, [event])
  if (end?.error !== undefined) throw end.error
  return end?.unjudged ?? 0
}

async function aSetup(...hooks: Hook[]) {
  const clock = movableClock()
  const ports = memoryPorts({ clock, random: systemRandomness })
  for (const hook of hooks) await ports.hooks.create([hook], 100)
  const tools = dispatchDeps(ports, clock)
  return { ports, clock, tools, dispatch: (event: PlatformEvent) => dispatchEvent(tools, event) }
}

/** A hook whose receiver is late: its first attempts are queued. */
const anyHook = (given: Partial<Hook> = {}): Hook => aHook({ filter: {}, lateAt: Number.MAX_SAFE_INTEGER, ...given })

describe('an event', () => {
  it('an event becomes one delivery for each hook that wants it, queued for its first attempt', async () => {
    const wanting = [anyHook(), anyHook()]
    const { ports, clock, dispatch } = await aSetup(...wanting, anyHook({ event: 'DTMF' }), anyHook({ enable: false }))
    const event = anEvent()

    await dispatch(event)

    const expected = wanting.map((hook) => ({
      hookId: hook.id,
      domain: event.domain,
      id: deliveryId(event.id, hook.id, 1),
    }))
    expect(ports.deliveryQueue.queued).toHaveLength(2)
    for (const one of expected) {
      expect(ports.deliveryQueue.queued).toContainEqual({ ...one, attempt: 1, dueAt: clock.now(), delaySeconds: 0 })
      expect(await ports.deliveries.read(one.domain, one.hookId, one.id)).toEqual({
        ...one,
        eventId: event.id,
        eventName: event.name,
        uuid: event.uuid,
        sequence: 1,
        createdAt: clock.now(),
        state: 'pending',
        attempts: [],
        tries: 0,
        earlierTries: 0,
        nextAttemptAt: clock.now(),
        begun: {},
      })
    }
    expect(await ports.deliveries.readEvent({ domain: event.domain, eventId: event.id, sequence: 1 })).toEqual(event)
  })

  it('deliveries that one write has no room for are written apart, whatever event they are of', async () => {
    const { ports, tools } = await aSetup(...Array.from({ length: 50 }, () => anyHook()))
    const together: number[] = []
    const write = async (...given: Parameters<typeof ports.eventLogWriter.write>) => {
      together.push(given[1].reduce((sum, { deliveries }) => sum + deliveries.length, 0))
      return ports.eventLogWriter.write(...given)
    }

    const ends = await dispatchEvents({ ...tools, eventLogWriter: { ...ports.eventLogWriter, write } }, [
      anEvent(),
      anEvent(),
    ])

    expect(together).toEqual([50])
    expect(ends.map(({ error }) => error)).toEqual([undefined, undefined])
    expect(ports.state.deliveries.size).toBe(100)
  })

  it('an event has a number of its domain that all its deliveries carry, and the deliveries of a hook are in that order', async () => {
    const { ports, dispatch } = await aSetup(anyHook(), anyHook(), anyHook({ domain: 'b.example.com' }))
    const events = [anEvent(), anEvent({ domain: 'b.example.com' }), anEvent(), anEvent({ name: 'DTMF' }), anEvent()]

    for (const event of events) await dispatch(event)

    const written = [...ports.state.deliveries.values()]
    const sequences = events.map(({ id }) => written.filter(({ eventId }) => eventId === id).map((one) => one.sequence))
    expect(sequences).toEqual([[1, 1], [1], [2, 2], [], [4, 4]])
    const [first] = written
    const ids = written.filter(({ hookId }) => hookId === first?.hookId).map(({ id }) => id)
    expect(ids).toEqual([...ids].sort())
  })

  it('an event of a domain with hooks is logged even if none wants it, and one of a domain without hooks is not', async () => {
    const { ports, dispatch } = await aSetup(anyHook({ enable: false }))
    const event = anEvent({ name: 'DTMF' })

    await dispatch(event)
    await dispatch(anEvent({ domain: 'b.example.com' }))

    expect(await ports.eventLog.latest('a.example.com', 9)).toMatchObject([{ sequence: 1, event }])
    expect(await ports.eventLog.head('b.example.com')).toBe(0)
    expect(ports.state.deliveryEvents.size).toBe(0)
  })

  it('an event in the log records when the oldest hook of its domain was created', async () => {
    const { ports, clock, dispatch } = await aSetup(anyHook({ createdAt: 0 }))
    await dispatch(anEvent())
    const at = clock.now()
    for (const hook of await ports.hooks.list('a.example.com')) await ports.hooks.remove(hook)
    clock.move(9_000)
    for (const createdAt of [at + 5_000, at + 7_000]) await ports.hooks.create([anyHook({ createdAt })], 100)

    await dispatch(anEvent())

    expect(await ports.eventLog.latest('a.example.com', 1)).toMatchObject([
      { sequence: 2, unwatched: { from: at, to: at + 5_000 } },
    ])
  })

  it('an event of another domain reaches no hook', async () => {
    const { ports, dispatch } = await aSetup(anyHook({ domain: 'b.example.com' }))

    await dispatch(anEvent({ domain: 'a.example.com' }))

    expect(ports.state.deliveries.size).toBe(0)
    expect(ports.deliveryQueue.queued).toEqual([])
  })

  it('an event that every filter rejects creates no delivery', async () => {
    const hook = aHook({ filter: { 'Caller-Caller-ID-Number': { operation: '==', value: 1000 } } })
    const { ports, dispatch } = await aSetup(hook)

    await dispatch(anEvent())

    expect(ports.deliveryQueue.queued).toEqual([])
  })
})

it('the deliveries of an event for very many hooks are written in several transactions, and all are queued', async () => {
  const hooks = Array.from({ length: 100 }, (_, index) => anyHook({ createdAt: index }))
  const { ports, clock } = await aSetup(...hooks)
  const steps: string[] = []
  const deliveries: typeof ports.deliveries = {
    ...ports.deliveries,
    create: async (delivery) => (steps.push('create'), ports.deliveries.create(delivery)),
    keepEvent: async (event) => (steps.push('keepEvent'), ports.deliveries.keepEvent(event)),
    createTogether: async (some) => (
      steps.push(`createTogether ${some.length}`), ports.deliveries.createTogether(some)
    ),
  }

  await dispatchEvent(dispatchDeps({ ...ports, deliveries }, clock), anEvent())

  expect(steps).toEqual(Array(4).fill('createTogether 25'))
  expect(new Set(ports.deliveryQueue.queued.map(({ hookId }) => hookId)).size).toBe(100)
})

describe('an event that comes again', () => {
  it('a repeated event is the same delivery, queued again if it was never attempted', async () => {
    const { ports, dispatch } = await aSetup(anyHook())
    const event = anEvent()

    await dispatch(event)
    await dispatch(event)

    expect(ports.state.deliveries.size).toBe(1)
    expect(ports.deliveryQueue.queued).toHaveLength(2)
    expect(ports.deliveryQueue.queued[0]).toEqual(ports.deliveryQueue.queued[1])
  })

  it('a repeated event whose first attempt failed temporarily gets its next attempt queued again', async () => {
    const hook = anyHook()
    const { ports, clock, dispatch } = await aSetup(hook)
    const event = anEvent()
    await dispatch(event)
    const name = [hook.domain, hook.id, deliveryId(event.id, hook.id, 1)] as const
    const delivery = await ports.deliveries.read(...name)
    if (delivery === undefined) throw new Error('no delivery was written')
    const dueAt = clock.now() + 5_000
    const attempt = { at: clock.now(), durationMs: 1, status: 503 }
    await ports.deliveries.recordAttempt(delivery, { attempt, state: 'pending', nextAttemptAt: dueAt })

    await dispatch(event)

    expect(ports.deliveryQueue.queued.slice(1)).toMatchObject([{ id: delivery.id, attempt: 2, dueAt: dueAt + 1 }])
    expect(await ports.deliveries.read(...name)).toMatchObject({ tries: 1, nextAttemptAt: dueAt + 1 })
  })

  it.each(['delivered', 'failed', 'skipped'] as const)(
    'a repeated event is not queued again once an attempt is recorded (%s)',
    async (state) => {
      const hook = anyHook()
      const { ports, clock, dispatch } = await aSetup(hook)
      const event = anEvent()
      await dispatch(event)
      const delivery = await ports.deliveries.read(hook.domain, hook.id, deliveryId(event.id, hook.id, 1))
      if (delivery === undefined) throw new Error('no delivery was written')
      await ports.deliveries.recordAttempt(delivery, {
        attempt: { at: clock.now(), durationMs: 1, status: 200 },
        state,
      })

      await dispatch(event)

      expect(ports.deliveryQueue.queued).toHaveLength(1)
    },
  )

  it('an attempt that the queue refused is queued when its event is redelivered', async () => {
    const { ports, dispatch } = await aSetup(anyHook(), anyHook())
    const event = anEvent()
    let refusals = 1
    ports.deliveryQueue.refuses = () => refusals-- > 0

    await expect(dispatch(event)).rejects.toMatchObject({ code: 'store_unavailable' })
    await dispatch(event)

    expect(new Set(ports.deliveryQueue.queued.map(({ id }) => id)).size).toBe(2)
    expect(ports.state.deliveries.size).toBe(2)
  })
})

describe("a delivery's id", () => {
  it("a delivery's id is msg_ and 32 hex digits", () => {
    expect(deliveryId('core:1', 'hook', 1)).toMatch(/^msg_[0-9a-f]{32}$/)
    expect(deliveryId('core:1', 'hook', 2 ** 48 - 1)).toMatch(/^msg_f{12}[0-9a-f]{20}$/)
  })

  it("a delivery's id differs for another event, hook or sequence", () => {
    const ids = [
      deliveryId('a', 'b', 1),
      deliveryId('a', 'c', 1),
      deliveryId('b', 'b', 1),
      deliveryId('ab', '', 1),
      deliveryId('a', 'b', 2),
    ]
    expect(new Set(ids).size).toBe(5)
  })
})

describe('patterns that are too much work', () => {
  it('patterns that are too costly are stopped before they delay others, and their hooks get a dead letter', async () => {
    const clock = movableClock()
    const ports = memoryPorts({ clock, random: systemRandomness })
    const filter = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`f${index}`, { operation: 'reg' as const, value: `a${index}` }]),
    )
    const slow = [anyHook({ filter, createdAt: 2 }), anyHook({ filter, createdAt: 3 })]
    const [first, last] = [anyHook({ createdAt: 1 }), anyHook({ createdAt: 4 })]
    await ports.hooks.create([first, ...slow, last], 100)
    const order: string[] = []
    const matches = () => {
      order.push('match')
      return true
    }
    const compile = () => ({ size: 100_000, matches })
    const event = anEvent({ fields: Object.fromEntries(Object.keys(filter).map((name) => [name, 'a'])) })

    const tools = { ...dispatchDeps(ports, clock), compile, rest: async () => void order.push('rest') }
    expect(await dispatchEvent(tools, event)).toBe(2)

    // Two characters at a size of 100 000 are a twentieth of what an event may cost. Others go on after each.
    expect(order).toEqual(Array.from({ length: 20 }, () => ['match', 'rest']).flat())
    expect(ports.deliveryQueue.queued.map(({ hookId }) => hookId)).toEqual([first.id, last.id])
    const dead = await ports.deliveries.listFailed(event.domain, 9)
    expect(new Set(dead.map(({ hookId }) => hookId))).toEqual(new Set(slow.map(({ id }) => id)))
    for (const { attempts } of dead) expect(attempts).toMatchObject([{ reason: 'filters_too_slow' }])
    // One that comes again, where the patterns cost less, changes nothing.
    const cheap = () => ({ size: 1, matches: () => true })
    expect(await dispatchEvent({ ...tools, compile: cheap }, event)).toBe(0)
    expect(await ports.deliveries.listFailed(event.domain, 9)).toEqual(dead)
    expect(await ports.deliveries.readEvent({ domain: event.domain, eventId: event.id, sequence: 1 })).toEqual(event)
  })

  it('the work of patterns is not counted by elapsed time, so that a busy machine fails no hook', async () => {
    const filter = { f0: { operation: 'reg' as const, value: 'a' } }
    const { ports, clock } = await aSetup(...Array.from({ length: 50 }, () => anyHook({ filter })))
    const compile = () => ({
      size: 10,
      matches: () => {
        clock.move(10_000)
        return true
      },
    })

    const tools = { ...dispatchDeps(ports, clock), compile }
    expect(await dispatchEvent(tools, anEvent({ fields: { f0: 'a' } }))).toBe(0)

    expect(ports.deliveryQueue.queued).toHaveLength(50)
  })
})

describe('a rest between two patterns', () => {
  it('only one event continues in each turn of the event loop after a rest, however many are matched', async () => {
    const order: string[] = []
    const judge = async (name: string) => {
      await patternRest()
      order.push(name)
      setImmediate(() => order.push('something else'))
    }

    await Promise.all([judge('first event'), judge('second event')])

    expect(order).toEqual(['first event', 'something else', 'second event'])
  })
})

describe('the events of one batch', () => {
  it('the events of one batch read the hooks of their domain once, and those of the next second read them again', async () => {
    const { ports, clock } = await aSetup(anyHook(), anyHook({ domain: 'b.example.com' }))
    const read: string[] = []
    const list = (domain: string) => {
      read.push(domain)
      return ports.hooks.list(domain)
    }
    const tools = {
      clock,
      random: systemRandomness,
      log: capturedLog(),
      settings: readSettings({ EVENTS_PER_SECOND: '100000' }),
    }
    const handle = hookDispatch.over({ ...ports, hooks: { ...ports.hooks, list } }, tools)
    const events = [anEvent(), anEvent({ domain: 'b.example.com' }), anEvent()]
    const batch = () =>
      aBatch(
        events.map((event) => Object.assign({ version: 1 }, event)),
        ['first', 'second', 'third'],
      )

    await handle(batch(), aContext)

    expect(read).toEqual(['a.example.com', 'b.example.com'])
    expect(ports.deliveryQueue.queued).toHaveLength(3)
    clock.move(999)
    await handle(batch(), aContext)
    expect(read).toHaveLength(2)
    clock.move(1)
    await handle(batch(), aContext)
    expect(read).toHaveLength(4)
    const unknown = { ...anEvent({ name: 'DTMF' }), version: 1 }
    await handle(aBatch([unknown], ['fourth']), aContext)
    expect(read.slice(4), 'a new hook may want it').toEqual(['a.example.com'])
  })
})

it('an event that is twice in a batch uses one number', async () => {
  const { ports, tools } = await aSetup(anyHook())
  const taken: number[] = []
  const eventLogWriter: EventDispatchDeps['eventLogWriter'] = {
    ...ports.eventLogWriter,
    take: async (...given) => {
      taken.push(given[1])
      return ports.eventLogWriter.take(...given)
    },
  }
  const event = anEvent()

  const ends = await dispatchEvents({ ...tools, eventLogWriter }, [event, { ...event }, anEvent()])

  expect(ends.map(({ error }) => error)).toEqual([undefined, undefined, undefined])
  expect(taken).toEqual([2])
  expect(ports.deliveryQueue.queued).toHaveLength(2)
})

it('later events of a call wait for one that the store refuses, and those of other calls do not', async () => {
  const { ports, tools } = await aSetup(anyHook())
  const [refused, later, other] = [anEvent({ uuid: 'one' }), anEvent({ uuid: 'one' }), anEvent({ uuid: 'two' })]
  const eventLogWriter: EventDispatchDeps['eventLogWriter'] = {
    ...ports.eventLogWriter,
    write: async (taken, entries) => {
      if (entries.some(({ event }) => event.id === refused.id)) throw new DomainError('internal_error', 'refused')
      return ports.eventLogWriter.write(taken, entries)
    },
  }

  const ends = await dispatchEvents({ ...tools, eventLogWriter }, [refused, later, other])

  const codes = ends.map(({ event, error }) => [event.id, error instanceof DomainError ? error.code : error])
  expect(codes).toEqual([
    [refused.id, 'internal_error'],
    [later.id, 'internal_error'],
    [other.id, undefined],
  ])
  const logged = await ports.eventLog.latest('a.example.com', 9)
  expect(logged.flatMap((entry) => ('event' in entry ? entry.event.id : []))).toEqual([other.id])
})

it('numbers that a reader declared void are taken anew, twice at most before the events return to the queue', async () => {
  const dispatchedAfter = async (voids: number) => {
    const { ports, tools } = await aSetup(anyHook())
    let left = voids
    const eventLogWriter: EventDispatchDeps['eventLogWriter'] = {
      ...ports.eventLogWriter,
      write: async (taken, entries) => {
        left -= 1
        return left >= 0 ? undefined : ports.eventLogWriter.write(taken, entries)
      },
    }
    const [end] = await dispatchEvents({ ...tools, eventLogWriter }, [anEvent()])
    return end?.error instanceof DomainError ? end.error.code : ports.deliveryQueue.queued.length
  }

  expect([await dispatchedAfter(2), await dispatchedAfter(3)]).toEqual([1, 'store_unavailable'])
})
