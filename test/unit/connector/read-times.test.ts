import { expect, test } from 'vitest'
import { memoryEventSink } from '../../support/memory/memory-event-sink.ts'
import { EventBuffer } from '../../../connector/buffer/event-buffer.ts'
import { textEvent } from '../../../adapters/events/text-event.ts'
import { sizeOf } from '../../../connector/buffer/waiting.ts'
import { DomainError } from '../../../core/errors.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { pipelineHarness, ofCall } from '../../support/connector/pipeline-harness.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { memoryDisk, spoolOwner } from '../../support/connector/memory-disk.ts'
import { anEvent, aReport } from '../../support/records/records.ts'

/** A buffer whose queue is away, with room for so many events in memory and a disk for the others. */
function aFullBuffer(room: number) {
  const time = manualTime()
  const sink = memoryEventSink()
  const bytes = room * sizeOf(textEvent(anEvent()))
  const queue = { isAway: true }
  const buffer = new EventBuffer({
    ...time,
    sink: { publish: (events) => (queue.isAway ? Promise.reject(new Error('away')) : sink.publish(events)) },
    log: capturedLog(),
    random: () => 0,
    memory: { window: bytes, all: 4 * bytes },
    place: { folder: '/spool', bytes: 1e7, files: memoryDisk(), owner: spoolOwner('1') },
  })
  buffer.start({ handle: async () => {} })
  return { time, buffer, queue }
}

test.each([
  ['in memory', 10],
  ['on disk', 1],
])(
  'the age of an event that had to wait elsewhere counts from its reading, also after younger ones, %s',
  async (_where, room) => {
    const { time, buffer, queue } = aFullBuffer(room)
    const now = time.clock.now()
    for (const id of ['a', 'b', 'c']) buffer.tell(anEvent({ id, uuid: id }))

    buffer.tell(anEvent({ id: 'late', uuid: 'late' }), now - 30_000)
    expect(buffer.unwrittenAt).toBe(now - 30_000)
    await time.advance(1_000)
    expect(buffer.oldestAt).toBe(now - 30_000)
    expect(buffer.unwrittenAt).toBeUndefined()

    queue.isAway = false
    await time.advance(10_000)
    expect(buffer.oldestAt).toBeUndefined()
  },
)

test('the age of an event that waits for a store and then for the queue counts from when it was read', async () => {
  const harness = await pipelineHarness()
  const { ports, time } = harness
  const away = { store: true, queue: false }
  const pipeline = await harness.connector('connector-1', {
    ports: {
      ...ports,
      presence: {
        ...ports.presence,
        list: async (...asked) => {
          if (away.store) throw new DomainError('store_unavailable', 'away')
          return ports.presence.list(...asked)
        },
      },
      events: {
        publish: (events) => (away.queue ? Promise.reject(new Error('away')) : ports.events.publish(events)),
      },
    },
  })
  await pipeline.up()
  await time.advance(5_000)
  away.queue = true
  await pipeline.emit({ name: 'CHANNEL_CREATE', uuid: 'call', headers: ofCall(time.clock.now()) })
  await time.advance(30_000)
  expect(pipeline.side.lagMs).toBe(30_000)
  expect(pipeline.side.unkeptMs).toBe(30_000)
  expect(harness.published.map(({ name }) => name)).toEqual(['CUSTOM->svc::engine_connected'])

  away.store = false
  await time.advance(10_000)

  expect(pipeline.side.counters()['eventsRelayed']).toBe(2)
  expect(pipeline.side.lagMs).toBe(40_000)
})

test('the age of an event that was held for a dead connector counts from when it was read', async () => {
  const harness = await pipelineHarness()
  const { ports, time } = harness
  let isAway = false
  const publish: typeof ports.events.publish = (events) =>
    isAway ? Promise.reject(new Error('away')) : ports.events.publish(events)
  const pipeline = await harness.connector('connector-1', { ports: { ...ports, events: { publish } } })
  const link = { engine: '192.0.2.1:8021', last: { coreUuid: '', sequence: '' }, upSince: time.clock.now() - 60_000 }
  await ports.connectorStatus.report(
    aReport({ connectorId: 'other', reportedAt: time.clock.now(), handedOverTo: 0, eventLinks: [link] }),
  )
  await pipeline.up()
  await time.advance(500)
  isAway = true
  await pipeline.emit({ name: 'CHANNEL_HOLD', uuid: 'old', headers: ofCall(time.clock.now() - 60_000) })
  expect(pipeline.side.counters()['eventsHeld']).toBe(1)

  await time.advance(20_000)

  expect(pipeline.side.counters()['eventsHeld']).toBe(0)
  expect(pipeline.side.lagMs).toBe(20_000)
})
