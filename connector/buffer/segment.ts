import { join } from 'node:path'
import { generationName } from '../../adapters/system/folder-lock.ts'
import type { DropClass } from './drops.ts'
import { headOf } from './log-entry.ts'
import { type SpoolFiles, codeOf } from './spool-files.ts'
import { retry } from '../../core/concurrency/retry.ts'
import type { Timers } from '../../core/concurrency/timers.ts'

/** One file of the log: entries in the order in which they were taken. */
export interface Segment {
  readonly path: string
  /** Whether an earlier process made it. */
  readonly isLeft: boolean
  /** Bytes that count; more may follow after a write that failed. */
  size: number
  /** Entries that stand here and in memory. */
  live: number
  /** Entries that stand only here: all from `readOffset` on, and none before it. */
  unread: number
  readOffset: number
  /** The number of unread entries by class. */
  readonly classes: Record<DropClass, number>
  /** When the oldest and the youngest of its events were read from the engine, epoch milliseconds. */
  from: number
  to: number
  isSealed: boolean
  /** Whether it is being written or removed. */
  isBusy: boolean
}

/** Where the copy of an entry that is in memory stands. */
export interface Copy {
  readonly segment: Segment
  readonly start: number
}

/** No file of this log is as large; what is, something else has made. */
const maxFileBytes = 32 * 1024 * 1024

/** `0000000003-0000000042-1768478400000.log`: generation, number, and when its first event was read from the engine. */
const form = /^(\d{10})-\d{10}-(\d{1,16})\.log$/

/** Makes a segment without any byte yet. */
export function newSegment(folder: string, generation: number, number: number, from: number): Segment {
  const name = `${generationName(generation)}-${String(number).padStart(10, '0')}-${from}.log`
  return emptySegment(join(folder, name), from, false)
}

function emptySegment(path: string, from: number, isLeft: boolean): Segment {
  const flags = { isLeft, isSealed: isLeft, isBusy: false }
  return { path, size: 0, live: 0, unread: 0, readOffset: 0, classes: { 1: 0, 2: 0, 3: 0 }, from, to: from, ...flags }
}

/** Returns whether a name is that of a segment. */
export function isSegment(name: string): boolean {
  return form.test(name)
}

/** Returns when the first event of a segment was read from the engine, by the segment's name, epoch milliseconds. */
export function beginsAt(name: string): number {
  return Number(form.exec(name)?.[2])
}

/**
 * Examines a file that another process left: its entries are counted and not read yet. An incomplete line at its end is
 * ignored. The process was killed while writing that line, so the event never counted as being on disk.
 */
export async function leftSegment(files: SpoolFiles, folder: string, name: string): Promise<Segment> {
  const path = join(folder, name)
  const { size, changedAt } = await files.look(path)
  const segment = emptySegment(path, beginsAt(name), true)
  segment.to = Math.max(segment.from, changedAt)
  const bytes = await files.read(path, 0, Math.min(size, maxFileBytes))
  for (let line = lineAt(bytes, 0); line !== undefined; line = lineAt(bytes, segment.size)) {
    const head = headOf(line)
    segment.unread += 1
    // A damaged line counts as important, since nothing says otherwise.
    segment.classes[head?.dropClass ?? 1] += 1
    segment.from = Math.min(segment.from, head?.readAt ?? segment.from)
    segment.size += line.length + 1
  }
  return segment
}

/** Returns the line that begins at an offset, without its line feed; `undefined` where none ends after it. */
export function lineAt(bytes: Buffer, offset: number): Buffer | undefined {
  const end = bytes.indexOf(10, offset)
  return end < 0 ? undefined : bytes.subarray(offset, end)
}

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
