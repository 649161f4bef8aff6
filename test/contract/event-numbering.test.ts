/**
 * Tests of event logs in DynamoDB alone: many processes at once, some of which die at any step, and a store that
 * refuses.
 */
import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import type { AdapterContext } from '../../adapters/context.ts'
import { deleteItem, getItem, putItem, tableName } from '../../adapters/dynamodb/client.ts'
import { dynamoEventLog } from '../../adapters/dynamodb/events/dynamo-event-log.ts'
import { dynamoEventLogWriter } from '../../adapters/dynamodb/hooks/dynamo-event-log-writer.ts'
import { headKey } from '../../adapters/dynamodb/events/event-log-head.ts'
import { entryKey, numbersIn, toRecordItem } from '../../adapters/dynamodb/events/event-log-items.ts'
import type { EventLog } from '../../core/events/event-log.ts'
import type { EventLogWriter } from '../../core/hooks/delivery/event-log-writer.ts'
import { deadWriterMs } from '../../core/events/event-log-rules.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { breadth } from '../support/breadth.ts'
import { type CloudGate, startCloudGate } from '../support/stores/cloud-gate.ts'
import { startDynamoServer } from '../support/stores/dynamo-server.ts'
import { logEvent, logEvents } from '../support/hooks/logged-events.ts'
import { movableClock } from '../support/processes/movable-clock.ts'
import { opened } from '../support/processes/opened.ts'
import { anEvent } from '../support/records/records.ts'

const cloud = opened(async () => {
  const server = await startDynamoServer()
  const clock = movableClock()
  const gates = await Promise.all([0, 1, 2].map(() => startCloudGate({ DynamoDB_20120810: server.endpoint })))
  const contexts = gates.map(({ env }) => ({ env: { ...server.env, ...env }, clock, random: systemRandomness }))
  return {
    clock,
    gates,
    contexts,
    /** The log as three processes have it, each with a gate of its own. */
    logs: contexts.map((context) => Object.assign(dynamoEventLog(context), dynamoEventLogWriter(context))),
    close: async () => {
      await Promise.all(gates.map((gate) => gate.close()))
      await server.close()
    },
  }
})

function parts() {
  const { clock, gates, logs, contexts } = cloud()
  const [gate, otherGate, readersGate] = gates
  const [log, otherLog, readersLog] = logs
  const [context] = contexts
  if (!gate || !otherGate || !readersGate || !log || !otherLog || !readersLog || !context)
    throw new Error('three of each')
  return { clock, context, gate, otherGate, readersGate, log, otherLog, readersLog }
}

const dayMs = 86_400_000

/** Removes what the store keeps of a block of numbers, as it does when its time is over. */
async function removeBlock(context: AdapterContext, domain: string, block: number): Promise<void> {
  const { first, last } = numbersIn(block)
  await removeNumbers(
    context,
    domain,
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  )
}

/**
 * Removes the events of some numbers, and their records if each was written alone or at the beginning of its record.
 */
async function removeNumbers(context: AdapterContext, domain: string, numbers: readonly number[]): Promise<void> {
  const keys = numbers.flatMap((number) => {
    const { pk, sk } = toRecordItem(domain, { first: number, last: number, loggedAt: 0, voids: [] })
    return [entryKey(domain, number), { pk, sk }]
  })
  for (const Key of keys) await deleteItem(context, { TableName: tableName(context, 'events'), Key })
}

const aDomain = () => `${randomUUID()}.example.com`
const eventsOf = (domain: string, count: number) => Array.from({ length: count }, () => anEvent({ domain }))
const refusal = { status: 400, body: { __type: 'ValidationException' } } as const

/** Lets a process die at one of its calls of the store, before or after the store did what it asked for. */
function diesAt(gate: CloudGate, at: number, isDone: boolean): Disposable {
  let calls = 0
  gate.answer = async (_call, forward) => {
    calls += 1
    if (calls < at) return forward()
    if (calls === at && isDone) await forward()
    return refusal
  }
  return { [Symbol.dispose]: () => void (gate.answer = (_call, forward) => forward()) }
}

/** Reads all of a log, and what is known of each of its numbers: the id of an event, or `void`. */
async function readAll(log: EventLog, domain: string): Promise<{ known: Map<number, string>; upTo: number }> {
  const known = new Map<number, string>()
  let upTo = 0
  for (;;) {
    const page = await log.read(domain, upTo, 7)
    for (const { sequence, event } of page.events) known.set(sequence, event.id)
    for (const number of page.voids) known.set(number, 'void')
    if (page.upTo === upTo) return { known, upTo }
    upTo = page.upTo
  }
}

/** Everything that the log promises once all is quiet. */
async function checkLog(log: EventLog, domain: string, events: readonly PlatformEvent[]): Promise<void> {
  const { known, upTo } = await readAll(log, domain)
  expect(upTo).toBe(await log.head(domain))
  expect([...known.keys()]).toEqual(expect.arrayContaining(Array.from({ length: upTo }, (_, index) => index + 1)))
  const ids = [...known.values()].filter((each) => each !== 'void')
  expect(ids.toSorted()).toEqual([...new Set(events.map(({ id }) => id))].toSorted())
}

describe('the log of a domain', () => {
  test.each(
    [1, 2, 3].flatMap((at) => [
      { at, isDone: false },
      { at, isDone: true },
    ]),
  )(
    'the log of a domain has each event once and explains every number when a writer dies at call $at (done by the store: $isDone)',
    async ({ at, isDone }) => {
      const { clock, gate, log, otherLog, readersLog } = parts()
      const domain = aDomain()
      const [first, ...events] = eventsOf(domain, 4)
      if (first === undefined) return
      await logEvent(log, first)
      {
        using _ = diesAt(gate, at, isDone)
        await logEvents(log, events).catch(() => {})
      }
      const before = await readAll(readersLog, domain)
      clock.move(60_000)

      // The queue hands the messages of the dead one to another.
      await logEvents(otherLog, events)
      await readAll(readersLog, domain)
      clock.move(deadWriterMs)

      await checkLog(readersLog, domain, [first, ...events])
      const after = await readAll(readersLog, domain)
      for (const [number, id] of before.known) expect(after.known.get(number)).toBe(id)
    },
  )

  test('a page of events stops before numbers that may still be written, and continues once they are written', async () => {
    const { log, otherLog } = parts()
    const domain = aDomain()
    const [slow, quick] = eventsOf(domain, 2)
    if (slow === undefined || quick === undefined) return
    const taken = await log.take(domain, 1, 0)
    await logEvent(otherLog, quick)

    expect(await otherLog.read(domain, 0, 9)).toEqual({ events: [], voids: [], upTo: 0 })
    await log.write(taken, [{ event: slow, sequence: taken.first, isWanted: false, deliveries: [] }])

    const { events } = await otherLog.read(domain, 0, 9)
    expect(events.map(({ event }) => event.id)).toEqual([slow.id, quick.id])
  })

  test('a writer that was declared dead writes nothing under its old numbers', async () => {
    const { clock, log, otherLog } = parts()
    const domain = aDomain()
    const [event] = eventsOf(domain, 1)
    if (event === undefined) return
    const taken = await log.take(domain, 2, 0)
    clock.move(deadWriterMs)
    expect(await otherLog.read(domain, 0, 9)).toEqual({ events: [], voids: [1, 2], upTo: 2 })

    const entry = { event, sequence: 1, isWanted: false, deliveries: [] }
    expect(await log.write(taken, [entry])).toBeUndefined()

    expect(await logEvent(log, event)).toBe(3)
    await checkLog(otherLog, domain, [event])
  })

  test('a writer that was declared dead writes nothing, even if the reader began in the middle of its numbers', async () => {
    const { clock, log, otherLog } = parts()
    const domain = aDomain()
    const events = eventsOf(domain, 3)
    await logEvents(log, events)
    const taken = await log.take(domain, 3, 0)
    clock.move(deadWriterMs)
    expect(await otherLog.read(domain, 4, 9)).toEqual({ events: [], voids: [5, 6], upTo: 6 })

    const entries = eventsOf(domain, 3).map((event, index) => {
      return { event, sequence: taken.first + index, isWanted: false, deliveries: [] }
    })
    expect(await log.write(taken, entries)).toBeUndefined()

    expect((await otherLog.read(domain, 3, 9)).voids).toEqual([4, 5, 6])
    await checkLog(otherLog, domain, events)
  })

  test('the number of an expired event is not void, whether a new event follows or not', async () => {
    const { clock, context, log, otherLog } = parts()
    const domain = aDomain()
    await logEvents(log, eventsOf(domain, 3))
    clock.move(8 * dayMs)
    await removeBlock(context, domain, 0)
    expect(await otherLog.read(domain, 0, 9)).toEqual({ events: [], voids: [], upTo: 3 })

    const [event] = eventsOf(domain, 1)
    if (event === undefined) return
    const dead = await log.take(domain, 1, 0)
    await logEvent(log, event)
    clock.move(deadWriterMs)

    expect(dead.first).toBe(4)
    expect(await otherLog.read(domain, 0, 9)).toMatchObject({ events: [{ sequence: 5 }], voids: [4], upTo: 5 })
  })

  test('the number of an expired event is not void while new events keep coming', async () => {
    const { clock, context, log, otherLog } = parts()
    const domain = aDomain()
    const late = eventsOf(domain, 16)
    for (const event of late) {
      await logEvent(log, event)
      clock.move(dayMs / 2)
    }
    await removeNumbers(context, domain, [1, 2])

    expect((await otherLog.read(domain, 0, 99)).voids).toEqual([])
  })

  test('every number is explained, even if writers cross the border of a block or die there', async () => {
    const { clock, log, otherLog } = parts()
    const domain = aDomain()
    const events = eventsOf(domain, 30)
    await log.take(domain, 95, 0)
    await logEvents(log, events.slice(0, 10))
    await log.take(domain, 90, 0)
    await logEvents(log, events.slice(10, 20))
    await log.take(domain, 120, 0)
    await logEvents(log, events.slice(20))
    clock.move(deadWriterMs)

    await checkLog(otherLog, domain, events)
  })

  test('the log of a domain shows the newest 5 000 numbers', async () => {
    const { context, log } = parts()
    const domain = aDomain()
    const TableName = tableName(context, 'events')
    await putItem(context, { TableName, Item: { ...headKey(domain), sequence: 98, loggedAt: context.clock.now() } })
    await logEvents(log, eventsOf(domain, 2))
    await putItem(context, { TableName, Item: { ...headKey(domain), sequence: 5_099, loggedAt: context.clock.now() } })

    const { events, upTo } = await log.read(domain, 0, 1)

    expect(events.map(({ sequence }) => sequence)).toEqual([100])
    expect(upTo).toBe(100)
  })

  test('the log of a domain numbers all events except one that the store refuses', async () => {
    const { gate, log } = parts()
    const domain = aDomain()
    const [good, bad] = eventsOf(domain, 2)
    if (good === undefined || bad === undefined) return
    gate.answer = ({ input }, forward) => (JSON.stringify(input).includes(bad.id) ? refusal : forward())

    await expect(logEvent(log, bad)).rejects.toMatchObject({ code: 'internal_error' })
    expect(await logEvent(log, good)).toBe(2)

    gate.answer = (_call, forward) => forward()
  })

  test('a number that was reserved by a request whose response was lost has no event', async () => {
    const { clock, gate, log, otherLog } = parts()
    const domain = aDomain()
    const [first, event] = eventsOf(domain, 2)
    if (first === undefined || event === undefined) return
    await logEvent(log, first)
    let losses = 1
    gate.answer = async ({ action }, forward) => {
      const reply = await forward()
      return action === 'UpdateItem' && losses-- > 0 ? 'lost' : reply
    }

    expect(await logEvent(log, event)).toBe(3)

    gate.answer = (_call, forward) => forward()
    clock.move(deadWriterMs)
    expect(await otherLog.read(domain, 0, 9)).toMatchObject({
      events: [{ sequence: 1 }, { sequence: 3 }],
      voids: [2],
      upTo: 3,
    })
  })

  test('a time without a hook is reported although the first writer that noticed it died', async () => {
    const { clock, gate, log, otherLog } = parts()
    const domain = aDomain()
    const [first, second, third] = eventsOf(domain, 3)
    if (first === undefined || second === undefined || third === undefined) return
    await logEvent(log, first)
    const last = clock.now()
    clock.move(60_000)
    {
      using _ = diesAt(gate, 3, false)
      await logEvent(log, second, last + 50_000).catch(() => {})
    }
    clock.move(60_000)
    await logEvent(otherLog, second, last + 50_000)
    await logEvent(otherLog, third, last + 50_000)

    clock.move(deadWriterMs)
    const reported = [...(await otherLog.read(domain, 0, 9)).events].map(({ unwatched }) => unwatched)
    expect(reported).toEqual([undefined, { from: last, to: last + 50_000 }, undefined])
    const head = await getItem(parts().context, tableName(parts().context, 'events'), headKey(domain))
    expect(head).not.toHaveProperty('unwatchedTo')
  })
})

/** One process of the property below: it takes its steps when it is let. */
interface Stepping {
  /** Lets its next call go on, or dies there. */
  step: ((fate: 'go' | 'die' | 'done and die') => void) | undefined
  isOver: boolean
}

test('in any order of steps of two writers and a reader, whichever of them dies, no event is lost or doubled and every number is explained', async () => {
  const { clock, gate, otherGate, readersGate, log, otherLog, readersLog } = parts()
  const choice = fc.record({
    who: fc.nat(2),
    fate: fc.oneof(
      { weight: 12, arbitrary: fc.constant('go' as const) },
      fc.constantFrom('die' as const, 'done and die' as const),
    ),
    passes: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.constant(deadWriterMs)),
  })
  const run = async (choices: readonly { who: number; fate: 'go' | 'die' | 'done and die'; passes: number }[]) => {
    const domain = aDomain()
    const events = eventsOf(domain, 5)
    const seen: Map<number, string>[] = []
    const write = async (writer: EventLogWriter, batches: readonly (readonly PlatformEvent[])[]) => {
      for (const batch of batches) await logEvents(writer, batch)
    }
    const works = [
      { gate, work: () => write(log, [events.slice(0, 3), events.slice(3)]) },
      // Two batches that come to both, since the queue took the first writer for dead.
      { gate: otherGate, work: () => write(otherLog, [events.slice(1, 4), events.slice(4)]) },
      {
        gate: readersGate,
        work: async () => {
          for (let readings = 0; readings < 3; readings += 1) seen.push((await readAll(readersLog, domain)).known)
        },
      },
    ]
    const processes = works.map(({ gate: own, work }) => begin(own, work))
    for (let at = 0; processes.some(({ isOver }) => !isOver); at += 1) {
      const { who, fate, passes } = choices[at] ?? { who: at % 3, fate: 'go', passes: 0 }
      const alive = processes.filter(({ isOver }) => !isOver)
      await allWaiting(processes)
      clock.move(passes)
      const chosen = alive[who % alive.length]
      const step = chosen?.step
      if (chosen !== undefined) chosen.step = undefined
      step?.(fate)
      await allWaiting(processes)
    }
    for (const { gate: own } of works) own.answer = (_call, forward) => forward()
    await logEvents(otherLog, events)
    clock.move(deadWriterMs)

    await checkLog(readersLog, domain, events)
    const last = await readAll(readersLog, domain)
    for (const known of seen) for (const [number, what] of known) expect(last.known.get(number)).toBe(what)
  }
  await fc.assert(fc.asyncProperty(fc.array(choice, { maxLength: 60 }), run), { numRuns: breadth(5, 25) })
}, 120_000)

function begin(gate: CloudGate, work: () => Promise<void>): Stepping {
  const process: Stepping = { step: undefined, isOver: false }
  let isDead = false
  gate.answer = async (_call, forward) => {
    if (isDead) return refusal
    const fate = await new Promise<'go' | 'die' | 'done and die'>((resolve) => {
      process.step = resolve
    })
    isDead = fate !== 'go'
    if (fate === 'die') return refusal
    const reply = await forward()
    return isDead ? refusal : reply
  }
  work().then(
    () => (process.isOver = true),
    () => (process.isOver = true),
  )
  return process
}

/** Waits until each process has a call that waits, or has ended. */
async function allWaiting(processes: readonly Stepping[]): Promise<void> {
  while (processes.some(({ step, isOver }) => step === undefined && !isOver)) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}
