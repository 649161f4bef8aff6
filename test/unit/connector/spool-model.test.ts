import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventBuffer } from '../../../connector/buffer/event-buffer.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import { pause } from '../../../core/concurrency/timers.ts'
import { breadth } from '../../support/breadth.ts'
import { DomainError } from '../../../core/errors.ts'
import { anEngineEvent } from '../../support/engine/engine-event.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { type ManualTime, manualTime } from '../../support/processes/manual-time.ts'
import { type MemoryDisk, memoryDisk, spoolOwner } from '../../support/connector/memory-disk.ts'
import { anEvent } from '../../support/records/records.ts'

/** Small enough for every limit to be met by a few events. */
const memory = { window: 20_000, all: 30_000 }
const diskBytes = 4 * 64 * 1024
const largestEvent = 6_000
/** A chunk that is read back, an event that is never too much alone, and what comes of events that are handled. */
const overBytes = 2 * largestEvent

const eventNames = ['CHANNEL_DESTROY', 'CHANNEL_HOLD', 'HEARTBEAT'] as const

/** Everything outside the process, and what is known of what it did. */
interface Harness {
  time: ManualTime
  readonly disk: MemoryDisk
  buffer: EventBuffer
  /** The number of the process that runs. */
  generation: number
  queue: 'takes' | 'refuses some' | 'away' | 'takes, and its answers are lost'
  /** Whether the store of domains is away, so that no event of an engine can be handled. */
  isStoreAway: boolean
  asked: number
  /** Ids that reached the queue, with repetitions. */
  readonly arrived: string[]
  readonly given: PlatformEvent[]
  /** Ids that may be missing without being counted: read within the last second before a kill. */
  readonly excused: Set<string>
  /** Since when each event waits. */
  readonly givenAt: Map<string, number>
  /** Whether everything that was counted as dropped is known not to have arrived. */
  isExact: boolean
  /** Whether the disk refused anything since the process began. */
  diskFailed: boolean
  droppedBefore: number
}

/** A process; of one that was killed nothing is heard any more. */
function start(harness: Omit<Harness, 'buffer'>): EventBuffer {
  const { generation } = harness
  const ifAlive = <T>(work: () => T | Promise<T>): Promise<T> =>
    harness.generation === generation ? Promise.resolve().then(work) : new Promise(() => {})
  const slowly = (ms: number) => pause(harness.time.timers, ms).then(() => ifAlive(() => {}))
  const buffer = new EventBuffer({
    ...harness.time,
    log: capturedLog(),
    random: () => 0,
    memory,
    sink: { publish: (events) => slowly(20).then(() => publish(harness, events)) },
    place: {
      folder: '/spool',
      bytes: diskBytes,
      owner: spoolOwner(`p${generation}`),
      files: {
        ...harness.disk,
        append: (path, bytes) => slowly(30).then(() => harness.disk.append(path, bytes)),
        remove: (path) => ifAlive(() => harness.disk.remove(path)),
        truncate: (path, size) => ifAlive(() => harness.disk.truncate(path, size)),
        makeLock: (path, owner) => ifAlive(() => harness.disk.makeLock(path, owner)),
      },
    },
  })
  buffer.start({
    handle: async ({ event, take }) => {
      if (harness.isStoreAway) throw new DomainError('store_unavailable', 'the store is gone')
      const given = harness.given.find(({ id }) => id === event.sequence)
      if (given !== undefined) take(given)()
    },
  })
  return buffer
}

function publish(harness: Omit<Harness, 'buffer'>, events: readonly PlatformEvent[]): string[] {
  if (harness.queue === 'away') throw new Error('connect ECONNREFUSED')
  harness.asked += 1
  const refused = harness.queue === 'refuses some' ? events.filter((_, index) => (harness.asked + index) % 3 === 0) : []
  harness.arrived.push(...events.filter((event) => !refused.includes(event)).map(({ id }) => id))
  if (harness.queue === 'takes, and its answers are lost') harness.isExact = false
  if (harness.queue === 'takes, and its answers are lost') throw new Error('socket hang up')
  return refused.map(({ id }) => id)
}

function aHarness(): Harness {
  const harness: Omit<Harness, 'buffer'> = {
    time: manualTime(),
    disk: memoryDisk(),
    generation: 1,
    queue: 'takes',
    isStoreAway: false,
    asked: 0,
    arrived: [],
    given: [],
    excused: new Set(),
    givenAt: new Map(),
    isExact: true,
    diskFailed: false,
    droppedBefore: 0,
  }
  return Object.assign(harness, { buffer: start(harness) })
}

/** Checks what holds after every step. */
function check(harness: Harness): void {
  expect(harness.buffer.memoryBytes).toBeLessThanOrEqual(memory.all + overBytes)
  expect(harness.buffer.memoryBytes).toBeGreaterThanOrEqual(0)
  expect(harness.buffer.spool.bytes).toBeLessThanOrEqual(diskBytes)
  expect(harness.buffer.spool.events).toBeGreaterThanOrEqual(0)
}

/** Something that happens, by a name for the report of a failure. */
interface Step {
  readonly run: (harness: Harness) => Promise<unknown>
  readonly [fc.toStringMethod]: () => string
}

const step = (name: string, run: Step['run']): Step => ({ run, [fc.toStringMethod]: () => name })

const add = (group: number, kind: number, filler: number, isHeard: boolean) =>
  step(`add(${group}, ${kind}, ${filler}, ${isHeard})`, async (harness) => {
    const id = `${group}-${harness.given.length}`
    const name = eventNames[kind] ?? ''
    const uuid = name === 'HEARTBEAT' ? '' : `call${group}`
    const fields = { Filler: 'x'.repeat(filler) }
    const event = anEvent({ id, uuid, domain: `d${group}.test`, name, fields })
    harness.given.push(event)
    harness.givenAt.set(id, harness.time.clock.now())
    if (isHeard) harness.buffer.add(anEngineEvent({ name, uuid, sequence: id, headers: fields }), '192.0.2.1:8021')
    else harness.buffer.tell(event)
  })

const pass = (ms: number) => step(`pass(${ms})`, (harness) => harness.time.advance(ms))

const queue = (state: Harness['queue']) =>
  step(`the queue ${state}`, async (harness) => {
    harness.queue = state
  })

const store = (isAway: boolean) =>
  step(`the store is ${isAway ? 'away' : 'there'}`, async (harness) => {
    harness.isStoreAway = isAway
  })

/** Leaves the disk so much room, or all. A disk on which nothing can be changed has tests of its own. */
const disk = (room: number | undefined) =>
  step(`disk(${room})`, async (harness) => {
    harness.disk.room = room === undefined ? Infinity : harness.disk.used() + room
    if (room !== undefined) harness.diskFailed = true
  })

const nextProcess = async (harness: Harness) => {
  harness.droppedBefore += harness.buffer.counts.dropped
  // Events that were sent and are still on the disk come again, and are dropped again if they must be.
  harness.isExact &&= harness.disk.used() === 0
  harness.generation += 1
  harness.diskFailed = harness.disk.room !== Infinity
  harness.time = manualTime(harness.time.clock.now())
  harness.buffer = start(harness)
  await harness.time.advance(0)
}

const kill = step('kill', async (harness) => {
  const young = harness.time.clock.now() - 1_000
  for (const [id, at] of harness.givenAt) if (at > young || harness.diskFailed) harness.excused.add(id)
  harness.isExact = false
  await nextProcess(harness)
})

const stop = step('stop', async (harness) => {
  const closing = { isOver: false }
  void harness.buffer.close().then(() => (closing.isOver = true))
  while (!closing.isOver) await harness.time.advance(10)
  // Events in flight that are not on the disk count as lost, and may have arrived.
  harness.isExact &&= !harness.diskFailed
  await nextProcess(harness)
})

const several = fc
  .array(
    fc.tuple(
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 0, max: largestEvent }),
      fc.boolean(),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((events) => events.map((given) => add(...given)))
/**
 * Enough of one kind to fill the disk, written a few at a time, so that its oldest file is partly in memory as well.
 */
const flood = fc
  .tuple(
    fc.integer({ min: 0, max: 2 }),
    fc.integer({ min: 0, max: 2 }),
    fc.integer({ min: 1_000, max: largestEvent }),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([group, kind, filler, isHeard, isStoreAway]) => {
    const some = [add(group, kind, filler, isHeard), add(group, kind, filler, isHeard), pass(250)]
    return [isStoreAway ? store(true) : queue('away'), Array.from({ length: 30 }, () => some)].flat(2)
  })
const states = ['takes', 'refuses some', 'away', 'away', 'takes, and its answers are lost'] as const
const steps = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: several },
      { weight: 8, arbitrary: fc.constantFrom(5, 10, 25, 250, 600, 1_500, 5_000).map(pass) },
      { weight: 3, arbitrary: fc.constantFrom(...states).map(queue) },
      { weight: 2, arbitrary: fc.boolean().map(store) },
      { weight: 1, arbitrary: fc.constantFrom(undefined, undefined, undefined, 0, 500, 5_000).map(disk) },
      { weight: 1, arbitrary: flood },
      { weight: 1, arbitrary: fc.constantFrom(kill, stop) },
    ),
    { minLength: 10, maxLength: 150 },
  )
  .map((some) => some.flat())

/** Ids in the order in which each was first seen. */
const firstSeen = (ids: readonly string[]) => [...new Set(ids)]

test('events keep their order within a group and missing ones are counted, whatever disk, queue and processes do', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const harness = aHarness()
      for (const one of steps) {
        await one.run(harness)
        check(harness)
      }
      for (const one of [queue('takes'), store(false), disk(undefined), pass(60_000)]) await one.run(harness)

      expect([harness.buffer.waiting, harness.buffer.memoryBytes]).toEqual([0, 0])
      const arrived = firstSeen(harness.arrived)
      const missing = harness.given.filter(({ id }) => !arrived.includes(id) && !harness.excused.has(id))
      const counted = harness.droppedBefore + harness.buffer.counts.dropped
      expect(missing.length).toBeLessThanOrEqual(counted)
      if (harness.isExact) expect(missing.length).toBe(counted)
      for (const group of new Set(harness.given.map(({ uuid, domain }) => uuid || domain))) {
        const own = harness.given.filter(({ uuid, domain }) => (uuid || domain) === group).map(({ id }) => id)
        const came = arrived.filter((id) => own.includes(id))
        expect(came).toEqual(own.filter((id) => came.includes(id)))
      }
    }),
    { numRuns: breadth(50, 200), seed: 20_260_115 },
  )
}, 60_000)
