import { join } from 'node:path'
import { generationName } from '../../adapters/system/folder-lock.ts'
import type { DropClass } from './drop-class.ts'
import { headOf } from './log-entry.ts'
import type { SpoolFiles } from './spool-files.ts'

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
