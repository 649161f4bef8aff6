import { retry } from '../../core/concurrency/retry.ts'
import { type Timers, pause } from '../../core/concurrency/timers.ts'
import { inFull } from './patient-reader.ts'
import { type Segment, leftSegment } from './segment.ts'
import type { SpoolFiles } from './spool-files.ts'

/** A file is asked for so often, which takes four seconds, before the next one is looked at. */
const mostInTurn = 5

/** From then on it is asked for this often. */
const laterMs = 60_000

export interface SearchDeps {
  readonly files: SpoolFiles
  readonly folder: string
  readonly timers: Timers
  /** Ends the search. */
  readonly signal: AbortSignal
  readonly onFound: (segment: Segment) => void
  /** Called with each attempt that failed. */
  readonly onFailure: (problem: unknown) => void
  /** Called once with the name of a file that still fails a minute later. */
  readonly onLost: (name: string) => void
}

/**
 * Looks at the files that earlier processes left, oldest first. Resolves when each was found, or has failed five times;
 * those are asked for until `signal` is aborted.
 */
export async function findLeftSegments(deps: SearchDeps, names: readonly string[]): Promise<void> {
  const { timers, signal, onLost } = deps
  const lookLater = async (failed: readonly string[]) => {
    await pause(timers, laterMs, signal)
    let rest = await look(deps, failed, 1)
    for (const name of rest) onLost(name)
    while (rest.length > 0) {
      await pause(timers, laterMs, signal)
      rest = await look(deps, rest, 1)
    }
  }
  const failed = await look(deps, names, mostInTurn)
  if (failed.length > 0) void lookLater(failed)
}

/** Returns the names of the files that are not found yet. */
async function look(deps: SearchDeps, names: readonly string[], attempts: number): Promise<string[]> {
  const { files, folder, timers, signal, onFound, onFailure } = deps
  const failed: string[] = []
  for (const name of names) {
    if (signal.aborted) return []
    const find = () => leftSegment(files, folder, name)
    try {
      const found = await retry(find, { timers, random: inFull }, { attempts, signal, onFailure })
      if (found !== undefined && !signal.aborted) onFound(found.value)
    } catch {
      failed.push(name)
    }
  }
  return failed
}
