import type { Log } from '../../../adapters/log/logger.ts'
import type { EventLab, LabWorld } from './event-lab.ts'
import { type MemoryDisk, spoolOwner } from './memory-disk.ts'
import type { OrdealQueue } from './ordeal-queue.ts'

/** One process of a connector, as far as events go. */
export interface OrdealProcess {
  readonly lab: EventLab
  readonly counter: (name: string) => number
  /** Ends it where it stands: nothing of it happens any more. */
  kill(): void
}

/** The world of a process, and the watchers of its acts there. */
export interface ProcessWorld {
  readonly world: LabWorld
  readonly disk: MemoryDisk
  readonly queue: OrdealQueue
  readonly spoolBytes: number
  readonly log: Log
  readonly name: string
  /** Called with everything that is written to the disk. */
  readonly onWrite: (bytes: Buffer) => void
  /** Called with each gap that the store has taken. */
  readonly onGap: (id: string) => void
}

/** Starts a process, whose event link is down. */
export async function ordealProcess(parts: ProcessWorld): Promise<OrdealProcess> {
  const { world, disk, queue, spoolBytes, log, name, onWrite, onGap } = parts
  const { ports, time } = world
  let isKilled = false
  const ifAlive = <T>(work: () => Promise<T>): Promise<T> => (isKilled ? new Promise(() => {}) : work())
  const files = guarded(disk, ifAlive)
  const record: typeof ports.gaps.record = async (gap) => {
    const isOwn = await ports.gaps.record(gap)
    onGap(gap.id)
    return isOwn
  }
  const append: typeof disk.append = async (path, bytes) => {
    onWrite(bytes)
    await files.append(path, bytes)
  }
  const lab = await world.connector(`connector-${name}`, {
    timers: { after: (ms, run) => time.timers.after(ms, () => void (isKilled || run())) },
    log,
    ports: {
      ...ports,
      events: { publish: (batch) => ifAlive(() => queue.publish(batch)) },
      gaps: { ...ports.gaps, record },
    },
    spool: { folder: '/spool', bytes: spoolBytes, owner: spoolOwner(name), files: { ...files, append } },
  })
  return {
    lab,
    counter: (of) => lab.side.counters()[of] ?? Number.NaN,
    kill: () => {
      isKilled = true
    },
  }
}

/** A disk of whose methods each goes through `through`. */
function guarded(disk: MemoryDisk, through: (work: () => Promise<unknown>) => Promise<unknown>): MemoryDisk {
  const members = Object.entries(disk).map(([name, member]: [string, unknown]) => [
    name,
    typeof member === 'function'
      ? (...given: unknown[]) => through(async () => Reflect.apply(member, disk, given))
      : member,
  ])
  return Object.fromEntries(members) as MemoryDisk
}
