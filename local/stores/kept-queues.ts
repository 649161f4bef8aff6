import { existsSync, rmSync, statSync } from 'node:fs'
import type { Time } from '../../core/concurrency/timers.ts'
import type { Queue } from '../assembly/assembly.ts'
import { type Inspect, keepMessages, putBack } from './kept-messages.ts'
import { oldestEventOf } from './oldest-event.ts'
import { type Checkpoint, queueCheckpoint } from './queue-checkpoint.ts'

/** The state of embedded queues that outlives a run. */
export interface KeptQueues extends Time {
  /** The file of the messages between runs. */
  readonly file: string
  /** The file of the checkpoint. */
  readonly checkpointFile: string
  /** Whether a queue's messages are worth keeping: those of some are found elsewhere, or are too late by then. */
  readonly keeps: (queue: Queue) => boolean
}

/** Messages of an earlier run that are lost. */
export interface LostMessages {
  /** None of them is of an event that occurred earlier, epoch milliseconds, unless it waited in a connector then. */
  readonly from: number
  /** When that was known, epoch milliseconds. */
  readonly knownAt: number
}

/** The messages that embedded queues keep from one run to the next. */
export interface KeptRun {
  /** The loss of the last run's end; `undefined` after an orderly stop. */
  readonly lost: LostMessages | undefined
  /** Starts the checkpoints of this run and removes the state of the last one. */
  begin(): Promise<void>
  /** Stores the rest of the messages. Before `begin` it leaves everything on disk unchanged. */
  end(): Promise<void>
}

/** Restores the state of the last run, and determines its loss. */
export async function openKeptQueues(
  { file, checkpointFile, clock, timers }: KeptQueues,
  deps: {
    readonly queues: readonly Queue[]
    readonly inspect: Inspect
    readonly send: (message: object) => Promise<void>
  },
): Promise<KeptRun> {
  const { queues, inspect, send } = deps
  const checkpoint = queueCheckpoint({
    file: checkpointFile,
    oldest: oldestEventOf(queues, inspect),
    clock,
    timers,
    onProblem: (problem) => console.error(`${checkpointFile} cannot be written: ${String(problem)}`),
  })
  const last = checkpoint.read()
  const keptAt = existsSync(file) ? statSync(file).mtimeMs : 0
  const { sent, isWhole } = await putBack(file, send)
  let hasBegun = false
  return {
    lost: lostOf(last, { sent, isWhole, keptAt }),
    begin: async () => {
      await checkpoint.begin()
      hasBegun = true
      rmSync(file, { force: true })
    },
    end: async () => {
      if (hasBegun) await checkpoint.end(() => keepMessages(file, queues, inspect))
    },
  }
}

/** Returns what is lost when so much was found at a start. Versions without checkpoints kept everything or nothing. */
function lostOf(
  last: Checkpoint | undefined,
  { sent, isWhole, keptAt }: { readonly sent: number; readonly isWhole: boolean; readonly keptAt: number },
): LostMessages | undefined {
  if (last === undefined) return isWhole ? undefined : { from: keptAt, knownAt: keptAt }
  return last.kept === sent ? undefined : { from: last.handledTo, knownAt: last.writtenAt }
}
