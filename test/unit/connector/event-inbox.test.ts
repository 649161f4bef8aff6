import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { EngineEvent } from '../../../connector/runtime/engine.ts'
import { readEvent } from '../../../connector/esl/event.ts'
import { EventInbox } from '../../../connector/events/event-inbox.ts'
import { InTurn } from '../../../connector/events/in-turn.ts'
import type { Drop } from '../../../connector/buffer/drop-tally.ts'
import { DomainError } from '../../../core/errors.ts'
import { breadth } from '../../support/breadth.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { anEngineEvent } from '../../support/engine/engine-event.ts'
import { manualTime, settle } from '../../support/processes/manual-time.ts'
import { memoryInUse } from '../../support/processes/memory-in-use.ts'

/** An inbox that notes what it handles, and whose store is there unless a test says otherwise. */
function anInbox(limits?: { events: number; bytes: number }) {
  const time = manualTime()
  const log = capturedLog()
  const drops: Drop[] = []
  const handled: EngineEvent[] = []
  const store = { isGone: false, fails: (_event: EngineEvent) => false }
  const inbox = new EventInbox({
    ...time,
    log,
    random: () => 0,
    limits,
    onDropped: (drop) => void drops.push(drop),
    handle: async (event) => {
      if (store.isGone) throw new DomainError('store_unavailable', 'the store is gone')
      if (store.fails(event)) throw new TypeError('an event without a number')
      handled.push(event)
    },
  })
  const sequences = () => handled.map(({ sequence }) => sequence)
  return { time, log, drops, handled, sequences, store, inbox }
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
  const { inbox, sequences } = anInbox()

  for (const event of events(100)) inbox.add(event)
  await inbox.settled()

  expect(sequences()).toEqual(numbers(100))
  expect([inbox.waiting, inbox.bytes]).toEqual([0, 0])
})

test('events wait while the store is away, and are then handled once and in order', async () => {
  const { inbox, sequences, store, time } = anInbox()
  store.isGone = true
  for (const event of events(1_000)) inbox.add(event)
  await time.advance(30_000)
  expect(inbox.waiting).toBe(1_000)

  store.isGone = false
  await time.advance(5_000)
  await inbox.settled()

  expect(sequences()).toEqual(numbers(1_000))
})

test('an event that fails on its own is skipped and counted, and no other event waits for it', async () => {
  const { inbox, sequences, store } = anInbox()
  store.fails = ({ sequence }) => sequence === '1'

  for (const event of events(3)) inbox.add(event)
  await inbox.settled()

  expect([sequences(), inbox.counts.unreadable]).toEqual([['0', '2'], 1])
})

describe('at its bound', () => {
  test('a full inbox drops the oldest event of the least important class, counts each and logs it once', async () => {
    const { inbox, handled, store, time, log, drops } = anInbox({ events: 4, bytes: 1e9 })
    store.isGone = true
    inbox.add(anEngineEvent({ name: 'CHANNEL_HOLD', uuid: 'a', sequence: 'being handled' }))
    await settle()

    for (const [name, uuid, sequence] of [
      ['HEARTBEAT', '', 'rest 1'],
      ['CHANNEL_DESTROY', 'a', 'over 1'],
      ['CHANNEL_HOLD', 'b', 'call 1'],
      ['HEARTBEAT', '', 'rest 2'],
      ['RECORD_STOP', 'b', 'over 2'],
      ['CHANNEL_HANGUP_COMPLETE', 'b', 'over 3'],
    ] as const) {
      inbox.add(anEngineEvent({ name, uuid, sequence }))
    }
    await time.advance(1_000)

    expect(inbox.counts.dropped).toEqual({ 1: 0, 2: 1, 3: 2 })
    expect(drops.map(({ class: dropClass, count }) => [dropClass, count])).toEqual([
      [3, 2],
      [2, 1],
    ])
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
    store.isGone = false
    await time.advance(5_000)
    expect(handled.map(({ sequence }) => sequence)).toEqual(['being handled', 'over 1', 'over 2', 'over 3'])
  })

  test('large events fill the inbox by their bytes before their number reaches the limit', async () => {
    const { inbox, store } = anInbox({ events: 10_000, bytes: 8 * 1024 * 1024 })
    store.isGone = true
    const headers = { Filler: 'x'.repeat(100_000) }

    for (let count = 0; count < 500; count += 1) inbox.add(anEngineEvent({ headers }))
    await settle()

    expect(inbox.bytes).toBeLessThanOrEqual(8 * 1024 * 1024)
    expect(inbox.waiting + inbox.counts.dropped[3]).toBe(500)
    expect(inbox.waiting).toBeLessThan(84)
  })

  test('an event in the inbox counts with all the memory that it occupies', async () => {
    const { inbox, store } = anInbox({ events: 10_000, bytes: 8 * 1024 * 1024 })
    store.isGone = true
    const before = memoryInUse()

    for (let count = 0; count < 40; count += 1) inbox.add(readEvent('text/event-json', large(count, 900_000)))
    await settle()

    const held = memoryInUse() - before
    expect([inbox.waiting, inbox.counts.dropped[3]]).toEqual([9, 31])
    expect(held).toBeLessThan(10 * 1024 * 1024)
    expect(inbox.bytes).toBeGreaterThan(0.9 * held)
  })

  test('an event that is larger than a queue message loses its large values before it waits, and is handled', async () => {
    const { inbox, handled, store, time } = anInbox({ events: 10_000, bytes: 2 * 1024 * 1024 })
    store.isGone = true
    const before = memoryInUse()

    for (let count = 0; count < 4; count += 1) inbox.add(readEvent('text/event-json', large(count, 8_000_000)))
    await settle()

    expect(memoryInUse() - before).toBeLessThan(4 * 1024 * 1024)
    store.isGone = false
    await time.advance(5_000)
    expect(handled.length + inbox.counts.dropped[3]).toBe(4)
    for (const event of handled) {
      expect(event).toMatchObject({ name: 'CUSTOM', subclass: 'a::b', coreUuid: 'core', body: 'text' })
      expect(event.header('Truncated-Fields')).toBe('large')
      expect(event.headers()['large']?.length).toBeLessThan(1_000_000)
      expect(event.header('toString')).toBeUndefined()
    }
  })

  test('a single event is handled, however large it is', async () => {
    const { inbox, handled } = anInbox({ events: 10_000, bytes: 1_000 })

    inbox.add(anEngineEvent({ headers: { Filler: 'x'.repeat(100_000) } }))
    await inbox.settled()

    expect(handled).toHaveLength(1)
  })

  test('an event that waits keeps its content, but not the buffer that it was read from', async () => {
    const { inbox, handled, store, time } = anInbox()
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
      inbox.add(readEvent('text/event-json', bytes))
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

describe('what is to be done in its turn', () => {
  test('a task in the inbox runs in its order, however many events are before it', async () => {
    const { inbox, handled, store, time } = anInbox()
    const isDone = vi.fn()
    store.isGone = true
    for (const event of events(1_000)) inbox.add(event)
    inbox.add(new InTurn(isDone))
    for (const event of events(10)) inbox.add(event)

    store.isGone = false
    await time.advance(5_000)

    const turn = handled.findIndex((event) => event instanceof InTurn)
    expect([turn, handled.length, inbox.counts.unreadable]).toEqual([1_000, 1_011, 0])
    expect(isDone).not.toHaveBeenCalled()
  })

  test('a full inbox runs a task early, after dropping less important events, and does not count it as a dropped event', async () => {
    const { inbox, store } = anInbox({ events: 4, bytes: 1e9 })
    const isDone = vi.fn()
    store.isGone = true
    inbox.add(anEngineEvent({ sequence: 'being handled' }))
    await settle()
    inbox.add(new InTurn(isDone))

    for (const event of events(5, { name: 'CHANNEL_HOLD', uuid: 'a' })) inbox.add(event)
    expect(isDone).not.toHaveBeenCalled()
    for (const event of events(3, { name: 'CHANNEL_DESTROY', uuid: 'a' })) inbox.add(event)
    expect(isDone).toHaveBeenCalledOnce()

    expect(inbox.counts.dropped).toEqual({ 1: 0, 2: 5, 3: 0 })
    expect(inbox.close()).toBe(4)
  })
})

test('events that wait when the inbox is closed are lost, counted and reported', async () => {
  const { inbox, store, drops, time } = anInbox()
  store.isGone = true
  for (const event of events(3, { name: 'CHANNEL_DESTROY', uuid: 'a' })) inbox.add(event)
  await settle()

  expect(inbox.close()).toBe(3)

  expect(drops).toMatchObject([{ class: 1, count: 3 }])
  await time.advance(5_000)
  await inbox.settled()
  expect(inbox.waiting).toBe(0)
})

test('whatever events arrive and whenever the store fails, the inbox keeps its bounds and handles or counts every event in order', async () => {
  const names = ['CHANNEL_DESTROY', 'CHANNEL_HOLD', 'HEARTBEAT'] as const
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(fc.constantFrom(...names), fc.integer({ min: 0, max: 4_000 })) },
    { weight: 1, arbitrary: fc.constantFrom('goes', 'comes') },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const { inbox, sequences, store, time } = anInbox({ events: 8, bytes: 100_000 })
      let given = 0
      for (const one of steps) {
        if (typeof one === 'string') {
          store.isGone = one === 'goes'
          await time.advance(1_000)
        } else {
          const [name, size] = one
          inbox.add(anEngineEvent({ name, uuid: 'a', sequence: given, headers: { Filler: 'x'.repeat(size) } }))
          given += 1
        }
        expect(inbox.waiting).toBeLessThanOrEqual(8)
        expect(inbox.bytes).toBeLessThanOrEqual(100_000)
      }
      store.isGone = false
      await time.advance(10_000)
      const { 1: over, 2: call, 3: rest } = inbox.counts.dropped
      expect(sequences().length + over + call + rest).toBe(given)
      expect(sequences()).toEqual(sequences().toSorted((a, b) => Number(a) - Number(b)))
      expect([inbox.waiting, inbox.bytes]).toEqual([0, 0])
    }),
    { numRuns: breadth(25, 100), seed: 20_260_115 },
  )
})

test('an event that has to wait is announced for prefetching, and one that is handled at once is not', async () => {
  const foreseen: string[] = []
  const inbox = new EventInbox({
    ...manualTime(),
    log: capturedLog(),
    random: () => 0,
    handle: async () => {},
    foresee: ({ sequence }) => void foreseen.push(sequence),
  })

  for (const event of events(3)) inbox.add(event)
  await inbox.settled()
  for (const event of events(1)) inbox.add(event)

  expect(foreseen).toEqual(['1', '2'])
})
