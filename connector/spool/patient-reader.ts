import { type Timers, backoffMs, pause } from '../../core/concurrency/timers.ts'
import { type ReadLine, type Segment, readLines } from './segment.ts'
import { type SpoolFiles, codeOf } from './spool-files.ts'

/** A file is asked for so often, which takes two minutes, before it counts as damaged. */
const mostTries = 30

/** What the process or the machine is short of; it says nothing about a file, which is asked for until it is read. */
const shortages: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'])

/** No wait is shortened: nobody else asks this disk. */
const inFull = () => 0

/** What a reader is made from. */
export interface ReaderParts {
  readonly files: SpoolFiles
  readonly timers: Timers
  /** Ends every wait. */
  readonly signal: AbortSignal
  /** Told of each try that failed and is repeated, from 1. */
  readonly onRefused: (problem: unknown, tries: number) => void
}

/**
 * Answers the next lines of a file; none when it does not give them: it is gone, too short, or could not be read for two
 * minutes. `undefined` when `signal` was aborted while it waited.
 */
export type PatientReader = (segment: Segment) => Promise<readonly ReadLine[] | undefined>

/** Makes a reader. A file that cannot be read is asked for again, 250 ms to 5 s later, unless it was given up meanwhile. */
export function patientReader({ files, timers, signal, onRefused }: ReaderParts): PatientReader {
  return async (segment) => {
    for (let tries = 1; segment.unread > 0; tries += 1) {
      try {
        return await readLines(files, segment, segment.readOffset)
      } catch (problem) {
        const code = codeOf(problem)
        if (code === 'ENOENT' || (tries >= mostTries && !shortages.has(code))) return []
        onRefused(problem, tries)
      }
      await pause(timers, backoffMs(tries, inFull), signal)
      if (signal.aborted) return undefined
    }
    return []
  }
}
