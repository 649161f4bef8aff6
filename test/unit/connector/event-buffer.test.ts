import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EngineEvent } from '../../../connector/runtime/engine.ts'
import { readEvent } from '@callplane/esl'
import { EventBuffer } from '../../../connector/buffer/event-buffer.ts'
import type { MemoryLimits } from '../../../connector/buffer/entry-log.ts'
import type { Drop } from '../../../connector/buffer/drops.ts'
import { blankChannel } from '../../../connector/calls/channel.ts'
import { SyntheticEvent } from '../../../connector/calls/synthetic-event.ts'
import { DomainError } from '../../../core/errors.ts'
import { breadth } from '../../support/breadth.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { anEngineEvent } from '../../support/engine/engine-event.ts'
import { memoryDisk, spoolOwner } from '../../support/connector/memory-disk.ts'
import { memoryEventSink } from '../../support/memory/memory-event-sink.ts'
import { anEvent } from '../../support/records/records.ts'
import { manualTime, settle } from '../../support/processes/manual-time.ts'
import { memoryInUse } from '../../support/processes/memory-in-use.ts'

/** A buffer that notes what it handles, and whose store is there unless a test says otherwise. */
function aBuffer(memory?: MemoryLimits, disk?: ReturnType<typeof memoryDisk>) {
  const time = manualTime()
  const log = capturedLog()
  const drops: Drop[] = []
  const handled: EngineEvent[] = []
  const left: boolean[] = []
  const foreseen: string[] = []
  const sink = memoryEventSink()
  const store = { isGone: false, fails: (_event: EngineEvent) => false }
  const buffer = new EventBuffer({
    ...time,
    log,
    random: () => 0,
    memory,
    sink,
    place: disk && { folder: '/spool', bytes: 1e8, files: disk, owner: spoolOwner(`${disk.writes}`) },
  })
  buffer.start({
    onDropped: (drop) => void drops.push(drop),
    foresee: ({ sequence }) => void foreseen.push(sequence),
    handle: async ({ event, isLeft, take }) => {
      if (store.isGone) throw new DomainError('store_unavailable', 'the store is gone')
      if (store.fails(event)) throw new TypeError('an event without a number')
      handled.push(event)
      left.push(isLeft)
      take(anEvent({ id: event.sequence, uuid: event.uuid }))()
    },
  })
  const sequences = () => handled.map(({ sequence }) => sequence)
  const add = (event: EngineEvent) => buffer.add(event, '192.0.2.1:8021')
  return { time, log, drops, handled, left, foreseen, sequences, store, buffer, add, sink }
}

const events = (count: number, given: { name?: string; uuid?: string } = {}) =>
  Array.from({ length: count }, (_, index) => anEngineEvent({ ...given, sequence: index }))
/** An event with a value of so many bytes, other ones for each sequence. */
const large = (sequence: number, bytes: number) =>
  Buffer.from(
    JSON.stringify({
      'Event-Name': 'CUSTOM',
      'Event-Subclass': 'a::b',
      'Core-UUID': 'core',
      'Event-Sequence': `${sequence}`,
      large: `${sequence}`.padEnd(bytes, 'x'),
      _body: 'text',
    }),
  )
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index}`)

test('events are handled one after another, in the order in which they were read', async () => {
  const { buffer, add, sequences, time } = aBuffer()

  for (const event of events(100)) add(event)
  await buffer.handled()
  await time.advance(1_000)

  expect(sequences()).toEqual(numbers(100))
  expect([buffer.waiting, buffer.memoryBytes]).toEqual([0, 0])
})

test('events wait while the store is away, and are then handled once and in order', async () => {
  const { buffer, add, sequences, store, time } = aBuffer()
  store.isGone = true
  for (const event of events(1_000)) add(event)
  await time.advance(30_000)
  expect(buffer.waiting).toBe(1_000)

  store.isGone = false
  await time.advance(5_000)

  expect(sequences()).toEqual(numbers(1_000))
})

test('an event that fails on its own is skipped and told as lost, and no other event waits for it', async () => {
  const { buffer, add, drops, sequences, store } = aBuffer()
  store.fails = ({ sequence }) => sequence === '1'

  for (const event of events(3)) add(event)
  await buffer.handled()

  expect([sequences(), buffer.counts.unreadable]).toEqual([['0', '2'], 1])
  expect(drops).toMatchObject([{ count: 1 }])
})

test('an event that has to wait is announced for prefetching, and one that is handled at once is not', async () => {
  const { buffer, add, foreseen } = aBuffer()

  for (const event of events(3)) add(event)
  await buffer.handled()
  for (const event of events(1)) add(event)

  expect(foreseen).toEqual(['1', '2'])
})

describe('what waits for the store of domains', () => {
  /** A process that is killed while its store is away. */
  const killed = async () => {
    const disk = memoryDisk()
    const { add, store, time } = aBuffer(undefined, disk)
    store.isGone = true
    for (const event of events(20, { uuid: 'a' })) add(event)
    await time.advance(1_000)
    return disk
  }

  test('events that wait for the store of domains survive a kill, and are handled first and in order by the next process', async () => {
    const next = aBuffer(undefined, await killed())
    next.add(anEngineEvent({ sequence: 20, uuid: 'a' }))
    await next.time.advance(1_000)

    expect(next.sequences()).toEqual(numbers(21))
    expect(next.left).toEqual(numbers(21).map((number) => number !== '20'))
    expect(next.sink.published.map(({ id }) => id)).toEqual(numbers(21))
  })

  test('an event is after a kill what it was before', async () => {
    const disk = memoryDisk()
    const { add, store, time } = aBuffer(undefined, disk)
    store.isGone = true
    const texts = [
      '{"Event-Name":"CUSTOM","Event-Subclass":"a::b","Event-Sequence":"1","_body":"two\\nlines"}',
      '{"Event-Name":"A","é":"\u2028\ud83d\ude00","list":["a","b"]}',
    ]
    const before = texts.map((text) => readEvent('text/event-json', Buffer.from(text)))
    for (const event of before) add(event)
    await time.advance(1_000)

    const { handled, time: later } = aBuffer(undefined, disk)
    await later.advance(1_000)

    const facts = (event: EngineEvent) => [event.name, event.subclass, event.uuid, event.body, event.headers()]
    expect(handled.map(facts)).toEqual(before.map(facts))
  })

  test('an event that was made in place of a missed one is after a kill what it was before', async () => {
    const disk = memoryDisk()
    const { add, store, time } = aBuffer(undefined, disk)
    store.isGone = true
    const channel = { ...blankChannel('a'), domain: 'a.example.com', core: 'core', unsureSince: undefined }
    const made = new SyntheticEvent('CHANNEL_HANGUP_COMPLETE', channel, 1_768_478_400_000, 'USER_BUSY')
    add(made)
    await time.advance(1_000)

    const { handled, time: later } = aBuffer(undefined, disk)
    await later.advance(1_000)

    expect(handled).toEqual([made])
  })
})

describe('at its bound', () => {
  const limits = (bytes: number): MemoryLimits => ({ window: bytes / 2, all: bytes })

  test('large events fill the buffer by their bytes', async () => {
    const { buffer, add, store } = aBuffer(limits(8 * 1024 * 1024))
    store.isGone = true
    const headers = { Filler: 'x'.repeat(100_000) }

    for (let count = 0; count < 500; count += 1) add(anEngineEvent({ headers }))
    await settle()

    expect(buffer.memoryBytes).toBeLessThanOrEqual(8 * 1024 * 1024)
    expect(buffer.waiting + buffer.counts.dropped).toBe(500)
    expect(buffer.waiting).toBeLessThan(84)
  })

  test('an event in the buffer counts with all the memory that it occupies', async () => {
    const { buffer, add, store } = aBuffer(limits(8 * 1024 * 1024))
    store.isGone = true
    const before = memoryInUse()

    for (let count = 0; count < 40; count += 1) add(readEvent('text/event-json', large(count, 900_000)))
    await settle()

    const held = memoryInUse() - before
    expect([buffer.waiting, buffer.counts.dropped]).toEqual([9, 31])
    expect(held).toBeLessThan(10 * 1024 * 1024)
    expect(buffer.memoryBytes).toBeGreaterThan(0.9 * held)
  })

  test('an event that is larger than a queue message loses its large values before it waits, and is handled', async () => {
    const { buffer, add, handled, store, time } = aBuffer(limits(2 * 1024 * 1024))
    store.isGone = true
    const before = memoryInUse()

    for (let count = 0; count < 4; count += 1) add(readEvent('text/event-json', large(count, 8_000_000)))
    await settle()

    expect(memoryInUse() - before).toBeLessThan(4 * 1024 * 1024)
    store.isGone = false
    await time.advance(5_000)
    expect(handled.length + buffer.counts.dropped).toBe(4)
    for (const event of handled) {
      expect(event).toMatchObject({ name: 'CUSTOM', subclass: 'a::b', coreUuid: 'core', body: 'text' })
      expect(event.header('Truncated-Fields')).toBe('large')
      expect(event.headers()['large']?.length).toBeLessThan(1_000_000)
      expect(event.header('toString')).toBeUndefined()
    }
  })

  test('a single event is handled, however large it is', async () => {
    const { buffer, add, handled } = aBuffer(limits(1_000))

    add(anEngineEvent({ headers: { Filler: 'x'.repeat(100_000) } }))
    await buffer.handled()

    expect(handled).toHaveLength(1)
  })

  test('an event that waits keeps its content, but not the buffer that it was read from', async () => {
    const { add, handled, store, time } = aBuffer()
    store.isGone = true
    const text = (sequence: number) =>
      JSON.stringify({
        'Event-Name': 'CUSTOM',
        'Event-Subclass': 'a::b',
        'Event-Sequence': `${sequence}`,
        _body: 'text',
      })

    const read = Array.from({ length: 300 }, (_, index) => {
      const bytes = Buffer.from(text(index))
      add(readEvent('text/event-json', bytes))
      return bytes
    })
    for (const bytes of read) bytes.fill(0)
    store.isGone = false
    await time.advance(5_000)

    for (const [index, event] of handled.entries()) {
      const same = readEvent('text/event-json', Buffer.from(text(index)))
      const { name, subclass, uuid, coreUuid, sequence, body } = same
      expect(event).toMatchObject({ name, subclass, uuid, coreUuid, sequence, body })
      expect(event.headers()).toEqual(same.headers())
      expect([event.header('Event-Subclass'), event.header('toString')]).toEqual(['a::b', undefined])
    }
    expect(handled).toHaveLength(300)
  })
})

describe('when the store of domains comes back, and the queue takes nothing', () => {
  const waited = async () => {
    const harness = aBuffer({ window: 100_000, all: 140_000 }, memoryDisk())
    const { add, store, sink, time } = harness
    store.isGone = true
    for (const [index, event] of events(500, { uuid: 'a' }).entries()) {
      add(event)
      if (index % 20 === 0) await time.advance(300)
    }
    await time.advance(2_000)
    sink.refuses = () => true
    store.isGone = false
    await time.advance(10_000)
    return harness
  }

  test('events are handled only while memory has room for what comes of them', async () => {
    const { buffer, sequences } = await waited()

    expect(buffer.memoryBytes).toBeLessThanOrEqual(125_000)
    expect(sequences().length).toBeGreaterThan(1)
  })

  test('new events are not dropped, since the disk has room', async () => {
    const { buffer, add, sequences, sink, time } = await waited()
    for (let sequence = 500; sequence < 600; sequence += 1) {
      add(anEngineEvent({ sequence, uuid: 'a' }))
      await time.advance(300)
    }

    sink.refuses = () => false
    await time.advance(600_000)

    expect([buffer.counts.dropped, sequences()]).toEqual([0, numbers(600)])
  })
})

describe('a barrier', () => {
  test.each([
    ['in memory', undefined],
    ['on disk', memoryDisk()],
  ])(
    'what is to be done after some events is done in their order, however many are before it %s',
    async (_where, disk) => {
      const { buffer, add, sequences, store, time } = aBuffer({ window: 100_000, all: 1e8 }, disk)
      const handledBefore: number[] = []
      store.isGone = true
      for (const event of events(1_000)) add(event)
      await time.advance(2_000)
      buffer.afterThese(() => handledBefore.push(sequences().length))
      for (const event of events(10)) add(event)
      await time.advance(2_000)
      expect(handledBefore).toEqual([])

      store.isGone = false
      await time.advance(20_000)

      expect([handledBefore, sequences().length]).toEqual([[1_000], 1_010])
    },
  )

  test('what is to be done after events that are dropped is done, and does not count as an event', async () => {
    const { buffer, add, store, time } = aBuffer({ window: 10_000, all: 20_000 })
    let isDone = false
    store.isGone = true
    for (const event of events(5)) add(event)
    buffer.afterThese(() => (isDone = true))
    for (const event of events(100)) add(event)
    store.isGone = false
    await time.advance(5_000)

    expect([isDone, buffer.waiting]).toEqual([true, 0])
  })
})

test('events that wait when a buffer without a disk is closed are lost, counted and reported', async () => {
  const { buffer, add, sequences, store, drops, time } = aBuffer()
  store.isGone = true
  for (const event of events(3, { name: 'CHANNEL_DESTROY', uuid: 'a' })) add(event)
  await settle()

  expect(await buffer.close()).toBe(3)

  expect(drops).toMatchObject([1, 2, 3].map(() => ({ class: 1, count: 1 })))
  store.isGone = false
  await time.advance(5_000)
  expect([buffer.waiting, sequences()]).toEqual([0, []])
})

test('whatever events arrive and whenever the store fails, the buffer keeps its bounds and handles or counts every event in order', async () => {
  const names = ['CHANNEL_DESTROY', 'CHANNEL_HOLD', 'HEARTBEAT'] as const
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(fc.constantFrom(...names), fc.integer({ min: 0, max: 4_000 })) },
    { weight: 1, arbitrary: fc.constantFrom('goes', 'comes') },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const { buffer, add, sequences, store, time } = aBuffer({ window: 50_000, all: 100_000 })
      let given = 0
      for (const one of steps) {
        if (typeof one === 'string') {
          store.isGone = one === 'goes'
          await time.advance(1_000)
        } else {
          const [name, size] = one
          add(anEngineEvent({ name, uuid: 'a', sequence: given, headers: { Filler: 'x'.repeat(size) } }))
          given += 1
        }
        expect(buffer.memoryBytes).toBeLessThanOrEqual(100_000)
      }
      store.isGone = false
      await time.advance(10_000)
      expect(sequences().length + buffer.counts.dropped).toBe(given)
      expect(sequences()).toEqual(sequences().toSorted((a, b) => Number(a) - Number(b)))
      expect([buffer.waiting, buffer.memoryBytes]).toEqual([0, 0])
    }),
    { numRuns: breadth(25, 100), seed: 20_260_115 },
  )
})
