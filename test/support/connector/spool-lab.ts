/** An outbox with a spool, over a disk and a clock that tests control. */
import { EventOutbox } from '../../../connector/events/event-outbox.ts'
import type { Drop } from '../../../connector/spool/drop-tally.ts'
import type { MemoryLimits } from '../../../connector/spool/event-backlog.ts'
import { textEvent } from '../../../adapters/events/text-event.ts'
import { sizeOf } from '../../../connector/spool/waiting-events.ts'
import { memoryEventSink } from '../memory/memory-event-sink.ts'
import { capturedLog } from '../processes/captured-log.ts'
import { manualTime } from '../processes/manual-time.ts'
import { anEvent } from '../records/records.ts'
import { memoryDisk, spoolOwner } from './memory-disk.ts'

/** Memory for more events than a test adds. */
const roomy: MemoryLimits = { window: 1e7, all: 2e7 }

/** Bytes that the backlog counts for one event of a test. */
export const sizeOfOne = sizeOf(textEvent(anEvent()))

/** Memory for so many events in the window, and in all. */
export const roomFor = (window: number, all = window): MemoryLimits => ({
  window: window * sizeOfOne,
  all: all * sizeOfOne,
})

/** An outbox of process `name` over a disk, before a queue that is away until `back` is called. */
export function aSpoolingProcess(
  name: string,
  {
    disk = memoryDisk(),
    time = manualTime(),
    sink = memoryEventSink(),
    memory = roomy,
    bytes = 1e7,
    alive = [''],
  } = {},
) {
  const log = capturedLog()
  const drops: Drop[] = []
  let isAway = true
  const outbox = new EventOutbox({
    ...time,
    log,
    memory,
    random: () => 0,
    sink: { publish: (events) => (isAway ? Promise.reject(new Error('connect ECONNREFUSED')) : sink.publish(events)) },
    place: { folder: '/spool', bytes, files: disk, owner: spoolOwner(name, new Set(alive)) },
    onDropped: (drop) => void drops.push(drop),
  })
  return {
    disk,
    time,
    sink,
    outbox,
    log,
    drops,
    back: () => {
      isAway = false
    },
    ids: () => sink.published.map(({ id }) => id),
    add: (...ids: string[]) => ids.map((id) => outbox.add(anEvent({ id, uuid: id.slice(0, 1) }))),
  }
}

/** Ids of events of a group, in order. */
export const numbered = (group: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${group}${index}`)

/** Ids of events of one group in their order. */
export const inOrder = (ids: readonly string[]) => ids.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
