import { describe, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { EventBuffer } from '../../../connector/buffer/event-buffer.ts'
import { readEvent } from '@callplane/esl'
import { gapLog } from '../../../connector/recovery/gap-log.ts'
import type { EngineEvent } from '../../../connector/runtime/engine.ts'
import { pause } from '../../../core/concurrency/timers.ts'
import { DomainError } from '../../../core/errors.ts'
import { memoryDisk, spoolOwner } from '../../support/connector/memory-disk.ts'
import { aCoreUuid } from '../../support/engine/engine-event.ts'
import { recordedCall } from '../../support/engine/recorded-call.ts'
import { memoryEventSink } from '../../support/memory/memory-event-sink.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { type ManualTime, manualTime } from '../../support/processes/manual-time.ts'

const call = recordedCall('events/echo-call.json', 'tenant1.example.com')
const burst = 12_000
const memory = 64 * 1024 * 1024

/** So many bytes are read from a socket at a time. */
const readBytes = 64 * 1024

/** Reads of one engine, as its socket gives them: the events of recorded calls, numbered from `first`. */
function* readsOf(engine: number, first: number, count: number): Generator<EngineEvent[]> {
  let played = call.begin({ coreUuid: aCoreUuid, uuid: `call-${engine}-0`, domain: 'a.example.com' })
  let [read, bytes] = [new Array<EngineEvent>(), 0]
  for (let sequence = first; sequence < first + count; sequence += 1) {
    if (played.isOver) {
      const uuid = `call-${engine}-${sequence}`
      played = call.begin({ coreUuid: aCoreUuid, uuid, domain: 'a.example.com' })
    }
    const { frame = Buffer.of() } = played.next(sequence, 1_768_478_400_000) ?? {}
    read.push(readEvent('text/event-json', frame.subarray(frame.indexOf('\n\n') + 2)))
    bytes += frame.length
    if (bytes < readBytes) continue
    yield read
    ;[read, bytes] = [[], 0]
  }
  yield read
}

/** A buffer whose window is held full, since the store of domains is away. */
function heldBuffer(beforeWrite: (time: ManualTime) => Promise<void>, bytes = 1e9) {
  const time = manualTime()
  const disk = memoryDisk()
  disk.beforeWrite = () => beforeWrite(time)
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const deps = { ...time, log: capturedLog(), random: () => 0 }
  const gaps = gapLog({ ...deps, store: ports.gaps, connectorId: 'connector-1' })
  const handled: number[] = []
  const store = { isAway: true }
  const buffer = new EventBuffer({
    ...deps,
    sink: memoryEventSink(),
    place: { folder: '/spool', bytes, files: disk, owner: spoolOwner('one') },
  })
  buffer.start({
    onDropped: (drop) => gaps.recordDrop(drop),
    handle: async ({ event }) => {
      if (store.isAway) throw new DomainError('store_unavailable', 'the store is gone')
      handled.push(Number(event.sequence))
    },
  })
  let peak = 0
  const readAll = async (engine: number, count: number) => {
    for (const read of readsOf(engine, engine * count, count)) {
      for (const event of read) buffer.add(event, `192.0.2.${engine}:8021`)
      peak = Math.max(peak, buffer.memoryBytes)
      await buffer.room()
    }
  }
  return {
    disk,
    time,
    buffer,
    handled,
    gaps: () => ports.gaps.list(0),
    peak: () => peak,
    /** Reads the burst, of so many engines at once, as their sockets do. */
    read: async (engines: number) => {
      const all = Array.from({ length: engines }, (_, engine) => readAll(engine, burst / engines))
      const reading = { isOver: false }
      void Promise.all(all).then(() => (reading.isOver = true))
      while (!reading.isOver) await time.advance(100)
    },
    /** Lets all that waits be handled. */
    back: async () => {
      store.isAway = false
      await time.advance(600_000)
    },
  }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

describe('a burst that is read while nothing can be handled', () => {
  test.each<[string, number]>([
    ['one engine', 1],
    ['16 engines', 16],
    ['32 engines', 32],
  ])(
    'no event of a burst of %s is dropped, however slow the disk is, and memory keeps its bound',
    async (_of, engines) => {
      const { buffer, read, back, handled, peak, gaps } = heldBuffer(({ timers }) => pause(timers, 2_000))

      await read(engines)
      const waited = buffer.spool.events
      await back()

      expect([buffer.counts.dropped, await gaps()]).toEqual([0, []])
      expect(waited).toBeGreaterThan(burst / 2)
      expect(handled.toSorted((a, b) => a - b)).toEqual(numbers(0, burst))
      expect(peak()).toBeLessThanOrEqual(memory)
    },
    60_000,
  )

  test('the oldest that stand only on disk are dropped when the disk is full, each is counted, and each class is one gap', async () => {
    const { buffer, disk, read, back, handled, gaps } = heldBuffer(async () => {}, 8_000_000)

    await read(1)
    expect(disk.used()).toBeLessThanOrEqual(8_000_000)
    await back()

    const { dropped } = buffer.counts
    const first = handled.findIndex((sequence, index) => sequence !== index)
    expect(dropped).toBeGreaterThan(1_000)
    expect(handled).toEqual([...numbers(0, first), ...numbers(first + dropped, burst)])
    const found = await gaps()
    expect(found.map((gap) => `${gap.reason} ${gap.dropped?.class}`).toSorted()).toEqual(['dropped 1', 'dropped 2'])
    expect(found.reduce((sum, gap) => sum + (gap.dropped?.count ?? 0), 0)).toBe(dropped)
  }, 60_000)

  test.each<[string, (time: ManualTime) => Promise<void>]>([
    ['does not answer', () => new Promise(() => {})],
    ['refuses', () => Promise.reject(new Error('EIO: i/o error'))],
  ])(
    'a disk that %s does not keep events from being read, and memory gives up its oldest',
    async (_what, beforeWrite) => {
      const { buffer, read, time, peak } = heldBuffer(beforeWrite)
      const from = time.clock.now()

      await read(1)

      expect(time.clock.now() - from).toBeLessThanOrEqual(6_000)
      expect(buffer.counts.dropped).toBeGreaterThan(1_000)
      expect(buffer.counts.dropped + buffer.waiting).toBe(burst)
      expect(peak()).toBeLessThanOrEqual(memory)
    },
    60_000,
  )
})
