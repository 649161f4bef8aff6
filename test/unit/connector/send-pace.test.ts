import { expect, test } from 'vitest'
import { EventBuffer } from '../../../connector/buffer/event-buffer.ts'
import { SendPace } from '../../../connector/buffer/event-sender.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { manualTime, settle } from '../../support/processes/manual-time.ts'
import { anEvent } from '../../support/records/records.ts'

/** An buffer to a queue that takes everything, and the batches that came there, each with its moment. */
function aBuffer() {
  const time = manualTime()
  const start = time.clock.now()
  const batches: {
    readonly atMs: number
    readonly ids: readonly string[]
    readonly reader: PlatformEvent['reader']
  }[] = []
  const sink = {
    publish: async (events: readonly PlatformEvent[]) => {
      const [first] = events
      batches.push({ atMs: time.clock.now() - start, ids: events.map(({ id }) => id), reader: first?.reader })
      return []
    },
  }
  const buffer = new EventBuffer({
    ...time,
    sink,
    log: capturedLog(),
    random: () => 0,
  })
  buffer.start({ handle: async () => {} })
  return { time, buffer, batches }
}

test('at 300 events a second an event costs less than 0.15 calls to the event queue and waits 25 ms at most', async () => {
  const { time, buffer, batches } = aBuffer()
  const addedAt = new Map<string, number>()
  const start = time.clock.now()

  for (let count = 0; count < 3_000; count += 1) {
    const event = anEvent()
    addedAt.set(event.id, time.clock.now() - start)
    buffer.tell(event)
    await time.advance(count % 3 === 0 ? 4 : 3)
  }

  const waits = batches.flatMap(({ atMs, ids }) => ids.map((id) => atMs - (addedAt.get(id) ?? 0)))
  expect(waits.length).toBeGreaterThan(2_900)
  expect(batches.length / waits.length).toBeLessThan(0.15)
  expect(Math.max(...waits)).toBeLessThanOrEqual(25)
})

test('at 30 events a second each event is sent at once', async () => {
  const { time, buffer, batches } = aBuffer()

  for (let count = 0; count < 30; count += 1) {
    buffer.tell(anEvent())
    await time.advance(33)
  }

  expect(batches.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 30 }, (_, index) => index * 33))
})

test('ten events of different calls at one moment are sent at once', async () => {
  const { buffer, batches } = aBuffer()

  for (let count = 0; count < 10; count += 1) buffer.tell(anEvent())
  await settle()

  expect(batches.flatMap(({ ids }) => ids)).toHaveLength(10)
})

test('the next event of a call is sent without waiting for the pace once the event before it was sent', async () => {
  const { buffer, batches } = aBuffer()

  for (let count = 0; count < 50; count += 1) buffer.tell(anEvent({ uuid: 'a' }))
  await settle()

  await buffer.drained()
  expect(batches.at(-1)?.atMs).toBe(0)
})

test('a full batch does not wait for the pace', async () => {
  const { buffer, batches } = aBuffer()

  for (let count = 0; count < 104; count += 1) buffer.tell(anEvent())
  await buffer.drained()

  expect(batches.at(-1)?.atMs).toBe(0)
})

test('a hundred CDRs a second cost at most ten calls a second to the CDR queue', async () => {
  const { time, buffer, batches } = aBuffer()

  for (let count = 0; count < 200; count += 1) {
    buffer.tell({ ...anEvent(), reader: 'cdr' })
    await time.advance(10)
  }

  expect(batches.length).toBeLessThan(32)
  expect(batches.flatMap(({ ids }) => ids).length).toBeGreaterThan(180)
})

test('the pace does not hold events back when the clock is set back', () => {
  let now = 3_600_000
  const pace = new SendPace({ now: () => now }, 25)
  for (let count = 0; count < 10; count += 1) pace.take()
  expect(pace.take()).toBe(25)

  now = 0

  expect(pace.take()).toBe(0)
})
