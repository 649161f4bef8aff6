import { expect, test } from 'vitest'
import { memoryEventSink } from '../../support/memory/memory-event-sink.ts'
import { EventBuffer } from '../../../connector/buffer/event-buffer.ts'
import type { Drop } from '../../../connector/buffer/drops.ts'
import type { MemoryLimits } from '../../../connector/buffer/entry-log.ts'
import { textEvent } from '../../../adapters/events/text-event.ts'
import { sizeOf } from '../../../connector/buffer/waiting.ts'
import type { EventSink } from '../../../core/events/event-sink.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { manualTime, settle } from '../../support/processes/manual-time.ts'
import { anEvent } from '../../support/records/records.ts'

/** An buffer before a sink that takes everything, unless a test says otherwise. */
function aBuffer(sink: EventSink, memory?: MemoryLimits, onDropped?: (drop: Drop) => void) {
  const time = manualTime()
  const log = capturedLog()
  const buffer = new EventBuffer({
    ...time,
    sink,
    log,
    random: () => 0,
    memory,
  })
  buffer.start({ handle: async () => {}, onDropped })
  return { time, buffer, log }
}

/** A sink that keeps the batches that it was given. */
function batching() {
  const inner = memoryEventSink()
  const batches: PlatformEvent[][] = []
  const sink: EventSink = {
    publish: (events) => {
      batches.push([...events])
      return inner.publish(events)
    },
  }
  return { sink, inner, batches }
}

const names = (events: readonly PlatformEvent[]) => events.map(({ id }) => id)

test('the size of an event includes its names and values, and doubles when a character is not ASCII', () => {
  const of = (fields: Readonly<Record<string, string>>) => sizeOf(textEvent(anEvent({ fields })))
  const empty = of({ a: '' })

  expect(of({ ['a'.padEnd(900_001, 'x')]: '' }) - empty).toBe(900_000)
  expect(of({ a: 'x'.repeat(1_000) }) - empty).toBe(1_000)
  expect(of({ a: 'é'.padEnd(1_000, 'x') }) - empty).toBeGreaterThan(2_000)
})

test('an event is sent to the queue at once', async () => {
  const { sink, inner } = batching()
  const { buffer } = aBuffer(sink)

  buffer.tell(anEvent({ id: 'one' }))
  await buffer.drained()

  expect(names(inner.published)).toEqual(['one'])
  expect(buffer.waiting).toBe(0)
})

test('a batch holds at most ten events', async () => {
  const { sink, inner, batches } = batching()
  const { buffer, time } = aBuffer(sink)

  for (let count = 0; count < 60; count += 1) buffer.tell(anEvent())
  await time.advance(100)

  expect(inner.published).toHaveLength(60)
  expect(Math.max(...batches.map((batch) => batch.length))).toBe(10)
})

test('a batch stays below the size of a message', async () => {
  const { sink, batches } = batching()
  const { buffer, time } = aBuffer(sink)
  const large = () => anEvent({ fields: { text: 'ä'.repeat(95_000) } })

  for (let count = 0; count < 20; count += 1) buffer.tell(large())
  await time.advance(100)

  expect(Math.max(...batches.map((batch) => batch.length))).toBe(4)
})

test('a batch never contains two events of one call, so that neither can overtake the other', async () => {
  const { sink, inner, batches } = batching()
  const { buffer } = aBuffer(sink)

  for (const id of ['1', '2', '3']) {
    for (const uuid of ['a', 'b']) buffer.tell(anEvent({ id: `${uuid}${id}`, uuid }))
  }
  await buffer.drained()

  expect(batches.every((batch) => new Set(batch.map(({ uuid }) => uuid)).size === batch.length)).toBe(true)
  expect(names(inner.published.filter(({ uuid }) => uuid === 'a'))).toEqual(['a1', 'a2', 'a3'])
})

test('only the refused events of a batch are sent again, and later events of their calls wait', async () => {
  const { sink, inner, batches } = batching()
  const { buffer, time } = aBuffer(sink)
  inner.refuses = ({ id }) => id === 'a1'
  for (const id of ['a1', 'b1', 'a2', 'b2']) buffer.tell(anEvent({ id, uuid: id.slice(0, 1) }))
  await settle()
  expect(names(inner.published)).toEqual(['b1', 'b2'])

  inner.refuses = () => false
  await time.advance(250)

  expect(names(inner.published)).toEqual(['b1', 'b2', 'a1', 'a2'])
  expect(batches.flat().filter(({ id }) => id === 'b1')).toHaveLength(1)
  expect(buffer.counts).toMatchObject({ published: 4, dropped: 0, repeated: 1 })
})

test('while the queue is gone, events wait in order and go once when it is back, with the same ids', async () => {
  const { sink, inner } = batching()
  let isGone = true
  const { buffer, time } = aBuffer({
    publish: (events) => (isGone ? Promise.reject(new Error('connect ECONNREFUSED')) : sink.publish(events)),
  })
  for (const id of ['a1', 'a2', 'a3']) buffer.tell(anEvent({ id, uuid: 'a' }))
  await time.advance(60_000)
  expect(buffer.waiting).toBe(3)
  expect(buffer.oldestAt).toBe(time.clock.now() - 60_000)

  isGone = false
  await time.advance(5_000)

  expect(names(inner.published)).toEqual(['a1', 'a2', 'a3'])
})

/** Room for so many events of {@link anEvent}'s size. */
const roomFor = (events: number) => {
  const bytes = events * sizeOf(textEvent(anEvent()))
  return { window: bytes, all: bytes }
}

test('a full buffer drops the oldest events that are not being sent, whatever their class, and counts each by class', async () => {
  const { sink, inner } = batching()
  let isGone = true
  const { buffer, time } = aBuffer(
    { publish: (events) => (isGone ? Promise.reject(new Error('gone')) : sink.publish(events)) },
    roomFor(3),
  )
  const { fields } = anEvent()
  const add = (id: string, name: string, uuid: string) => buffer.tell(anEvent({ id, name, uuid, fields }))
  add('call1', 'CHANNEL_HOLD', 'a')
  await settle()

  for (const [id, name, uuid] of [
    ['rest1', 'HEARTBEAT', ''],
    ['over1', 'CHANNEL_DESTROY', 'a'],
    ['call2', 'CHANNEL_HOLD', 'b'],
    ['rest2', 'HEARTBEAT', ''],
    ['over2', 'CHANNEL_HANGUP_COMPLETE', 'b'],
    ['over3', 'RECORD_STOP', 'c'],
    ['call3', 'CUSTOM->svc::user_create', ''],
  ] as const) {
    add(id, name, uuid)
  }

  expect(buffer.counts).toMatchObject({ dropped: 5, droppedByClass: { 1: 2, 2: 1, 3: 2 } })
  isGone = false
  await time.advance(500)
  expect(names(inner.published)).toEqual(['call1', 'over3', 'call3'])
})

test('an event that is being sent to the queue is not dropped', async () => {
  const asked = Promise.withResolvers<string[]>()
  const published: string[] = []
  const { buffer } = aBuffer(
    {
      publish: (events) => {
        published.push(...names(events))
        return asked.promise
      },
    },
    roomFor(1),
  )
  buffer.tell(anEvent({ id: 'away' }))
  await settle()

  buffer.tell(anEvent({ id: 'new' }))
  expect(buffer.counts.dropped).toBe(1)

  asked.resolve([])
  await buffer.drained()
  expect([published, buffer.counts.dropped]).toEqual([['away'], 1])
})

test('dropping events is logged once, and again when it starts anew', async () => {
  const { buffer, log } = aBuffer(memoryEventSink(), roomFor(1))

  for (let count = 0; count < 5; count += 1) buffer.tell(anEvent())
  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
  await buffer.drained()
  for (let count = 0; count < 5; count += 1) buffer.tell(anEvent())

  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(2)
})

test('event drops are reported by class, with their time', async () => {
  const drops: Drop[] = []
  const { buffer, time } = aBuffer(
    { publish: () => Promise.reject(new Error('gone')) },
    roomFor(1),
    (drop) => void drops.push(drop),
  )
  buffer.tell(anEvent())
  await time.advance(100)
  const start = time.clock.now()
  buffer.tell(anEvent())
  await time.advance(100)
  buffer.tell(anEvent())
  await time.advance(200)
  buffer.tell(anEvent({ name: 'CHANNEL_DESTROY' }))

  expect(drops).toEqual([
    { class: 2, count: 1, from: start, to: start },
    { class: 2, count: 1, from: start + 100, to: start + 100 },
    { class: 1, count: 1, from: start + 300, to: start + 300 },
  ])
})

test('the memory of an event is free again once it was sent', async () => {
  const { buffer } = aBuffer(memoryEventSink(), { window: 10_000, all: 10_000 })
  const large = () => anEvent({ fields: { text: 'x'.repeat(6_000) } })
  buffer.tell(large())
  await buffer.drained()

  buffer.tell(large())
  expect(buffer.counts.dropped).toBe(0)
})

test('an unreachable queue gets one batch at a time, with growing waits', async () => {
  const tries: number[] = []
  const { buffer, time } = aBuffer({
    publish: () => {
      tries.push(time.clock.now() - start)
      return Promise.reject(new Error('connect ECONNREFUSED'))
    },
  })
  const start = time.clock.now()
  for (let count = 0; count < 200; count += 1) buffer.tell(anEvent())
  await time.advance(0)
  tries.length = 0

  await time.advance(12_000)

  expect(tries).toEqual([250, 750, 1_750, 3_750, 7_750])
})

test('after an outage more events are sent at a time than usual', async () => {
  let isGone = true
  let running = 0
  let most = 0
  const answers: (() => void)[] = []
  const { buffer, time } = aBuffer({
    publish: async () => {
      if (isGone) throw new Error('gone')
      running += 1
      await new Promise<void>((resolve) => answers.push(resolve))
      running -= 1
      return []
    },
  })
  for (let count = 0; count < 2_000; count += 1) buffer.tell(anEvent())
  await time.advance(0)
  isGone = false
  await time.advance(5_000)
  expect(running).toBe(1)

  while (buffer.waiting > 0) {
    for (const answer of answers.splice(0)) answer()
    await settle()
    most = Math.max(most, running)
  }

  expect(most).toBe(12)
})

test("the waits between attempts of a call's events start over after a success", async () => {
  const { sink, inner } = batching()
  const { buffer, time } = aBuffer(sink)
  inner.refuses = () => true
  buffer.tell(anEvent({ id: 'a1', uuid: 'a' }))
  buffer.tell(anEvent({ id: 'a2', uuid: 'a' }))
  await time.advance(250 + 500)
  inner.refuses = ({ id }) => id === 'a2'
  await time.advance(1_000)
  expect(names(inner.published)).toEqual(['a1'])

  inner.refuses = () => false
  await time.advance(250)

  expect(names(inner.published)).toEqual(['a1', 'a2'])
})

test('events without a call keep their order within their domain', async () => {
  const { sink, inner } = batching()
  const { buffer } = aBuffer(sink)

  for (const id of ['1', '2', '3']) buffer.tell(anEvent({ id, uuid: '' }))
  await buffer.drained()

  expect(names(inner.published)).toEqual(['1', '2', '3'])
})

test('an event that is larger than the window is sent, and so is the next one', async () => {
  const { sink, inner } = batching()
  const { buffer, time } = aBuffer(sink, { window: 100, all: 1_000_000 })

  buffer.tell(anEvent({ id: 'one' }))
  buffer.tell(anEvent({ id: 'two' }))
  await time.advance(1_000)

  expect(names(inner.published)).toEqual(['one', 'two'])
})
