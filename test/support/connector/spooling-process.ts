import { memoryEventSink } from '../memory/memory-event-sink.ts'
import { EventOutbox } from '../../../connector/events/event-outbox.ts'
import type { Drop } from '../../../connector/spool/drop-tally.ts'
import type { MemoryLimits } from '../../../connector/spool/event-backlog.ts'
import { textEvent } from '../../../adapters/events/text-event.ts'
import { sizeOf } from '../../../connector/spool/waiting-events.ts'
import { capturedLog } from '../processes/captured-log.ts'
import { manualTime } from '../processes/manual-time.ts'
import { memoryDisk, spoolOwner } from './memory-disk.ts'
import { anEvent } from '../records/records.ts'

/** Memory for so many events of {@link SpoolingProcess.add} that can be sent, and so many in all. */
export function roomFor(window: number, all = window): MemoryLimits {
  const each = sizeOf(textEvent(anEvent()))
  return { window: window * each, all: all * each }
}

/** An outbox over a disk, before a queue that is away until it is called back. */
export type SpoolingProcess = ReturnType<typeof spoolingProcess>

/** The outbox of process `name`; no other runs but those in `alive`. */
export function spoolingProcess(
  name: string,
  {
    disk = memoryDisk(),
    time = manualTime(),
    memory = { window: 1e7, all: 2e7 },
    bytes = 1e7,
    alive = new Set<string>(),
  } = {},
) {
  const log = capturedLog()
  const sink = memoryEventSink()
  const drops: Drop[] = []
  const taken: string[] = []
  let isAway = true
  const outbox = new EventOutbox({
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
    onDropped: (drop) => void drops.push(drop),
  })
  return {
    disk,
    time,
    outbox,
    log,
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
    add: (...ids: readonly string[]) => ids.map((id) => outbox.add(anEvent({ id, uuid: id.slice(0, 1) }))),
  }
}

/** `a0`, `a1`, and so on. */
export function numbered(call: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${call}${index}`)
}
