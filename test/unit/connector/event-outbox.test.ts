import { expect, test } from 'vitest'
import { memoryEventSink } from '../../../adapters/memory/memory-event-sink.ts'
import { eventOutbox } from '../../../connector/events/event-outbox.ts'
import type { PlatformEvent } from '../../../core/model.ts'
import type { EventSink } from '../../../core/ports.ts'
import { capturedLog } from '../../support/captured-log.ts'
import { manualTime, settle } from '../../support/manual-time.ts'
import { anEvent } from '../../support/records.ts'

/** An outbox before a sink that takes everything, unless a test says otherwise. */
function anOutbox(sink: EventSink, limits?: { events: number; bytes: number }) {
  const time = manualTime()
  const log = capturedLog()
  const outbox = eventOutbox({ ...time, sink, log, random: () => 0, ...(limits && { limits }) })
  return { time, outbox, log }
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

test('an event is handed over at once', async () => {
  const { sink, inner } = batching()
  const { outbox } = anOutbox(sink)

  outbox.add(anEvent({ id: 'one' }))
  await outbox.drained()

  expect(names(inner.published)).toEqual(['one'])
  expect(outbox.waiting).toBe(0)
})

test('a batch holds at most ten events', async () => {
  const { sink, inner, batches } = batching()
  const { outbox } = anOutbox(sink)

  for (let count = 0; count < 60; count += 1) outbox.add(anEvent())
  await outbox.drained()

  expect(inner.published).toHaveLength(60)
  expect(Math.max(...batches.map((batch) => batch.length))).toBe(10)
})

test('a batch stays below the size of a message', async () => {
  const { sink, batches } = batching()
  const { outbox } = anOutbox(sink)
  const large = () => anEvent({ fields: { text: 'ä'.repeat(150_000) } })

  for (let count = 0; count < 20; count += 1) outbox.add(large())
  await outbox.drained()

  expect(Math.max(...batches.map((batch) => batch.length))).toBe(2)
})

test('a batch never holds two events of one call, so that none can pass the other', async () => {
  const { sink, inner, batches } = batching()
  const { outbox } = anOutbox(sink)

  for (const id of ['1', '2', '3']) {
    for (const uuid of ['a', 'b']) outbox.add(anEvent({ id: `${uuid}${id}`, uuid }))
  }
  await outbox.drained()

  expect(batches.every((batch) => new Set(batch.map(({ uuid }) => uuid)).size === batch.length)).toBe(true)
  expect(names(inner.published.filter(({ uuid }) => uuid === 'a'))).toEqual(['a1', 'a2', 'a3'])
})

test('of a batch that is taken in part, only what was refused is sent again, and its call waits behind it', async () => {
  const { sink, inner, batches } = batching()
  const { outbox, time } = anOutbox(sink)
  inner.refuses = ({ id }) => id === 'a1'
  for (const id of ['a1', 'b1', 'a2', 'b2']) outbox.add(anEvent({ id, uuid: id.slice(0, 1) }))
  await settle()
  expect(names(inner.published)).toEqual(['b1', 'b2'])

  inner.refuses = () => false
  await time.advance(250)

  expect(names(inner.published)).toEqual(['b1', 'b2', 'a1', 'a2'])
  expect(batches.flat().filter(({ id }) => id === 'b1')).toHaveLength(1)
  expect(outbox.counts).toEqual({ published: 4, dropped: 0, repeated: 1 })
})

test('while the queue is gone, events wait in order and go once when it is back, with the same ids', async () => {
  const { sink, inner } = batching()
  let isGone = true
  const { outbox, time } = anOutbox({
    publish: (events) => (isGone ? Promise.reject(new Error('connect ECONNREFUSED')) : sink.publish(events)),
  })
  for (const id of ['a1', 'a2', 'a3']) outbox.add(anEvent({ id, uuid: 'a' }))
  await time.advance(60_000)
  expect(outbox.waiting).toBe(3)
  expect(outbox.oldestAt).toBe(time.clock.now() - 60_000)

  isGone = false
  await time.advance(5_000)

  expect(names(inner.published)).toEqual(['a1', 'a2', 'a3'])
})

test('above its limit events are dropped, each counted, and what waited is still sent', async () => {
  const { sink, inner } = batching()
  inner.refuses = () => true
  const { outbox, time } = anOutbox(sink, { events: 2, bytes: 1_000_000 })

  expect(['1', '2', '3', '4'].map((id) => outbox.add(anEvent({ id })))).toEqual([true, true, false, false])
  expect(outbox.counts.dropped).toBe(2)
  inner.refuses = () => false
  await time.advance(250)

  expect(names(inner.published)).toEqual(['1', '2'])
})

test('that events are dropped is logged once, not for each of them, and again when it begins again', async () => {
  const { outbox, log } = anOutbox(memoryEventSink(), { events: 1, bytes: 1e9 })

  for (let count = 0; count < 5; count += 1) outbox.add(anEvent())
  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
  await outbox.drained()
  for (let count = 0; count < 5; count += 1) outbox.add(anEvent())

  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(2)
})

test('above its limit of memory events are dropped', () => {
  const { sink, inner } = batching()
  inner.refuses = () => true
  const { outbox } = anOutbox(sink, { events: 100, bytes: 10_000 })

  const large = () => anEvent({ fields: { text: 'x'.repeat(6_000) } })

  expect([outbox.add(large()), outbox.add(large())]).toEqual([true, false])
})

test('memory is free again once its event was sent', async () => {
  const { outbox } = anOutbox(memoryEventSink(), { events: 100, bytes: 10_000 })
  const large = () => anEvent({ fields: { text: 'x'.repeat(6_000) } })
  outbox.add(large())
  await outbox.drained()

  expect(outbox.add(large())).toBe(true)
})

test('after a success the waits of a call begin anew', async () => {
  const { sink, inner } = batching()
  const { outbox, time } = anOutbox(sink)
  inner.refuses = () => true
  outbox.add(anEvent({ id: 'a1', uuid: 'a' }))
  outbox.add(anEvent({ id: 'a2', uuid: 'a' }))
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
  const { outbox } = anOutbox(sink)

  for (const id of ['1', '2', '3']) outbox.add(anEvent({ id, uuid: '' }))
  await outbox.drained()

  expect(names(inner.published)).toEqual(['1', '2', '3'])
})
