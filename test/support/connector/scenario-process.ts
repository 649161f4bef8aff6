import type { Log } from '../../../adapters/log/logger.ts'
import type { Pipeline, PipelineHarness } from './pipeline-harness.ts'
import { type MemoryDisk, spoolOwner } from './memory-disk.ts'
import type { FailingQueue } from './failing-queue.ts'

/** One process of a connector, as far as events go. */
export interface ScenarioProcess {
  readonly pipeline: Pipeline
  readonly counter: (name: string) => number
  /** Ends it where it stands: nothing of it happens any more. */
  kill(): void
}

/** The harness of a process, and the watchers of its acts there. */
export interface ProcessHarness {
  readonly harness: PipelineHarness
  readonly disk: MemoryDisk
  readonly queue: FailingQueue
  readonly spoolBytes: number
  readonly log: Log
  readonly name: string
  /** Called with everything that is written to the disk. */
  readonly onWrite: (bytes: Buffer) => void
  /** Called with each gap that the store has taken. */
  readonly onGap: (id: string) => void
}

/** Starts a process, whose event link is down. */
export async function scenarioProcess(parts: ProcessHarness): Promise<ScenarioProcess> {
  const { harness, disk, queue, spoolBytes, log, name, onWrite, onGap } = parts
  const { ports, time } = harness
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
  const pipeline = await harness.connector(`connector-${name}`, {
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
    pipeline,
    counter: (of) => pipeline.side.counters()[of] ?? Number.NaN,
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
