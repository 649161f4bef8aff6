import { memoryEventSink } from '../memory/memory-event-sink.ts'
import { EventBuffer } from '../../../connector/buffer/event-buffer.ts'
import type { Drop } from '../../../connector/buffer/drops.ts'
import type { MemoryLimits } from '../../../connector/buffer/entry-log.ts'
import { textEvent } from '../../../adapters/events/text-event.ts'
import { sizeOf } from '../../../connector/buffer/waiting.ts'
import { capturedLog } from '../processes/captured-log.ts'
import { manualTime } from '../processes/manual-time.ts'
import { memoryDisk, spoolOwner } from './memory-disk.ts'
import { anEvent } from '../records/records.ts'

/** Bytes that the buffer counts for one event of {@link SpoolingProcess.add}. */
export const sizeOfOne = sizeOf(textEvent(anEvent()))

/** Memory for so many events of {@link SpoolingProcess.add} that can be sent, and so many in all. */
export function roomFor(window: number, all = window): MemoryLimits {
  return { window: window * sizeOfOne, all: all * sizeOfOne }
}

/** A buffer over a disk, before a queue that is away until it is called back. */
export type SpoolingProcess = ReturnType<typeof spoolingProcess>

/** The buffer of process `name`; no other runs but those in `alive`. */
export function spoolingProcess(
  name: string,
  {
    disk = memoryDisk(),
    time = manualTime(),
    memory = { window: 1e7, all: 2e7 },
    bytes = 1e7,
    alive = new Set<string>(),
    sink = memoryEventSink(),
  } = {},
) {
  const log = capturedLog()
  const drops: Drop[] = []
  const taken: string[] = []
  let isAway = true
  const buffer = new EventBuffer({
    ...time,
    log,
    memory,
    random: () => 0,
    sink: { publish: (events) => (isAway ? Promise.reject(new Error('connect ECONNREFUSED')) : sink.publish(events)) },
    place: {
      folder: '/spool',
      bytes,
      files: disk,
      owner: spoolOwner(name, alive),
      onTaken: (owner) => void taken.push(owner),
    },
  })
  buffer.start({
    handle: async () => {},
    onDropped: (drop) => {
      const index = drops.findIndex((each) => each.class === drop.class)
      const same = drops[index]
      if (same === undefined) return void drops.push(drop)
      const span = { from: Math.min(same.from, drop.from), to: Math.max(same.to, drop.to) }
      drops[index] = { ...drop, count: same.count + drop.count, ...span }
    },
  })
  return {
    disk,
    time,
    buffer,
    sink,
    log,
    /** Dropped events, one record a class. */
    drops,
    /** Processes whose folder it took over. */
    taken,
    /** Lets the queue take events. */
    back: () => {
      isAway = false
    },
    /** The events that the queue took, in order. */
    ids: () => sink.published.map(({ id }) => id),
    /** Gives it events of the calls that the first letters of their ids name. */
    add: (...ids: readonly string[]) => ids.map((id) => buffer.tell(anEvent({ id, uuid: id.slice(0, 1) }))),
  }
}

/** `a0`, `a1`, and so on. */
export function numbered(call: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${call}${index}`)
}

/** Ids of events of one call in their order. */
export const inOrder = (ids: readonly string[]) => ids.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
