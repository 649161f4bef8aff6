import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import * as z from 'zod/mini'
import type { Time } from '../../core/concurrency/timers.ts'

/** How often a checkpoint is written. */
export const checkpointMs = 5_000

const checkpoint = z.object({
  /** Every event that occurred before this moment has been handled, epoch milliseconds. */
  handledTo: z.number(),
  /** When this was written, epoch milliseconds. */
  writtenAt: z.number(),
  /** Messages that an orderly stop kept for the next start; absent while the platform runs. */
  kept: z.optional(z.int()),
})

/** The progress of the embedded queues at a moment. */
export type Checkpoint = z.infer<typeof checkpoint>

/** The checkpoint of the embedded queues on disk. It shows the next start what an unclean end has lost. */
export interface QueueCheckpoint {
  /** Returns what an earlier run wrote last; `undefined` before the first run. */
  read(): Checkpoint | undefined
  /** Writes a checkpoint now and every {@link checkpointMs} until the end. */
  begin(): Promise<void>
  /**
   * Ends an orderly run: stores the remaining messages, then records that and their number. If storing fails, the last
   * checkpoint shows that the queues did not end in order.
   */
  end(keep: () => Promise<number>): Promise<void>
}

/** The dependencies of {@link queueCheckpoint}. */
export interface QueueCheckpointDeps extends Time {
  readonly file: string
  /** Returns when the oldest waiting event occurred, epoch milliseconds; `undefined` if none waits. */
  readonly oldest: () => Promise<number | undefined>
  /** Is called when a checkpoint cannot be written. An older one is safe: it makes the gap longer. */
  readonly onProblem: (problem: unknown) => void
}

/** Makes the checkpoint of one run. */
export function queueCheckpoint({ file, oldest, clock, timers, onProblem }: QueueCheckpointDeps): QueueCheckpoint {
  let cancel = () => {}
  let isOver = false
  let repeating = Promise.resolve()

  const write = async (kept?: number) => {
    const writtenAt = clock.now()
    const handledTo = Math.min(writtenAt, (await oldest()) ?? writtenAt)
    writeFileSync(`${file}.new`, JSON.stringify({ handledTo, writtenAt, kept } satisfies Checkpoint), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  const repeatLater = () => {
    if (isOver) return
    cancel = timers.after(checkpointMs, () => {
      repeating = write().catch(onProblem).then(repeatLater)
    })
  }
  return {
    read: () => read(file),
    begin: async () => {
      await write()
      repeatLater()
    },
    end: async (keep) => {
      isOver = true
      cancel()
      await repeating
      await write(await keep())
    },
  }
}

/** A file that a failure of the machine has damaged still shows by its age when the queues were last seen. */
function read(file: string): Checkpoint | undefined {
  if (!existsSync(file)) return undefined
  try {
    return z.parse(checkpoint, JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    const { mtimeMs } = statSync(file)
    return { handledTo: mtimeMs, writtenAt: mtimeMs }
  }
}
