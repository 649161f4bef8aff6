import { retry } from '../../core/concurrency/retry.ts'
import type { Timers } from '../../core/concurrency/timers.ts'
import type { Segment } from './segment.ts'
import { type SpoolFiles, codeOf } from './spool-files.ts'

/** A file is asked for so often, which takes two minutes, before it counts as damaged. */
const mostRefusals = 30

/** Errors for lack of a resource of the process or the machine; they say nothing about a file, which is read again. */
const shortages: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'])

/** Returns 0 instead of a random number: retries wait in full, without jitter, since nothing else uses the disk. */
export const inFull = () => 0

export interface PatientReaderDeps {
  readonly files: SpoolFiles
  readonly timers: Timers
  readonly signal: AbortSignal
  /** Called with each attempt that failed and is repeated, from 1. */
  readonly onRefused: (problem: unknown, tries: number) => void
}

/**
 * Returns what stands only in a file; nothing when it does not give it: it is gone, or could not be read for two
 * minutes. `undefined` when `signal` was aborted during the wait.
 */
export type PatientReader = (segment: Segment) => Promise<Buffer | undefined>

/** Makes a reader. Retries an unreadable file 250 ms to 5 s later, unless it was given up meanwhile. */
export function patientReader({ files, timers, signal, onRefused }: PatientReaderDeps): PatientReader {
  return async (segment) => {
    let refusals = 0
    const read = async () => {
      try {
        return await files.read(segment.path, segment.readOffset, segment.size - segment.readOffset)
      } catch (problem) {
        if (codeOf(problem) === 'ENOENT') return Buffer.alloc(0)
        throw problem
      }
    }
    const onFailure = (problem: unknown, tries: number) => {
      if (!shortages.has(codeOf(problem))) refusals += 1
      onRefused(problem, tries)
    }
    const mayTry = () => segment.unread > 0 && refusals < mostRefusals
    const answer = await retry(read, { timers, random: inFull }, { mayTry, signal, onFailure })
    if (answer === undefined && signal.aborted) return undefined
    return answer?.value ?? Buffer.alloc(0)
  }
}
