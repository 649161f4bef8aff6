import { join } from 'node:path'
import { generationName } from '../../adapters/system/folder-lock.ts'
import type { DropClass } from './drop-class.ts'
import { type LogEntry, headOf, readEntry } from './log-entry.ts'
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
  /** Whether the segment is closed for appending. */
  isSealed: boolean
  /** Whether it is being written, so it must not be removed. */
  isBusy: boolean
  isGone: boolean
}

/** Where the copy of an entry that is in memory stands. */
export interface Copy {
  readonly segment: Segment
  readonly start: number
}

/** A line that was read: what it says, absent when that is damaged, and where the next one begins. */
export interface ReadLine {
  readonly segment: Segment
  readonly entry: LogEntry | undefined
  /** Where that cannot be read, 1. */
  readonly dropClass: DropClass
  readonly start: number
  readonly nextOffset: number
}

const lineFeed = 10

/** Read at a time. */
const chunkBytes = 256 * 1024

/** No line is as long: an event is cut to less than 1 MB, of which escapes in JSON can make six times as much. */
const maxLineBytes = 8 * 1024 * 1024

/** `0000000003-0000000042-1768478400000.log`: generation, number, and when its first event was read from the engine. */
const form = /^(\d{10})-\d{10}-(\d{1,16})\.log$/

/** Makes a segment without any byte yet. */
export function newSegment(folder: string, generation: number, number: number, from: number): Segment {
  const name = `${generationName(generation)}-${String(number).padStart(10, '0')}-${from}.log`
  return emptySegment(join(folder, name), from, false)
}

function emptySegment(path: string, from: number, isLeft: boolean): Segment {
  const flags = { isLeft, isSealed: isLeft, isBusy: false, isGone: false }
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

/** Reads the next whole lines that stand only in a segment. What is too long to be a line is one damaged line. */
export async function readLines(files: SpoolFiles, segment: Segment): Promise<ReadLine[]> {
  const { path, readOffset, size } = segment
  const chunk = await wholeLines(files, path, readOffset, size)
  if (chunk === 'no line') return [{ segment, entry: undefined, dropClass: 1, start: readOffset, nextOffset: size }]
  return linesIn(chunk).map(({ line, start, end }) => {
    const entry = readEntry(line)
    const known = entry !== undefined && segment.isLeft ? { ...entry, number: 0 } : entry
    const dropClass = headOf(line)?.dropClass ?? 1
    return { segment, entry: known, dropClass, start: readOffset + start, nextOffset: readOffset + end }
  })
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
  while (segment.size < size) {
    const chunk = await wholeLines(files, path, segment.size, size)
    if (chunk === 'no line') {
      if (size - segment.size > maxLineBytes) countDamaged(segment, size)
      break
    }
    if (chunk.length === 0) break
    for (const { line } of linesIn(chunk)) {
      const head = headOf(line)
      segment.unread += 1
      segment.classes[head?.dropClass ?? 1] += 1
      segment.from = Math.min(segment.from, head?.readAt ?? segment.from)
    }
    segment.size += chunk.length
  }
  return segment
}

/** Counts the rest of a file, in which no line ends, as one line. It counts as important, since nothing says otherwise. */
function countDamaged(segment: Segment, size: number): void {
  segment.unread += 1
  segment.classes[1] += 1
  segment.size = size
}

/** Reads from an offset on: one line at least, and none in part; nothing when the file ends there. */
async function wholeLines(files: SpoolFiles, path: string, offset: number, end: number): Promise<Buffer | 'no line'> {
  const rest = end - offset
  for (let length = chunkBytes; ; length *= 4) {
    const chunk = await files.read(path, offset, Math.min(length, rest))
    const last = chunk.lastIndexOf(lineFeed)
    if (last >= 0 || chunk.length === 0) return chunk.subarray(0, last + 1)
    if (chunk.length === rest || chunk.length < length || length > maxLineBytes) return 'no line'
  }
}

/** Returns the lines of some bytes, each without its line feed, and where it begins and the next one does. */
function linesIn(bytes: Buffer): { readonly line: Buffer; readonly start: number; readonly end: number }[] {
  const lines: { readonly line: Buffer; readonly start: number; readonly end: number }[] = []
  let start = 0
  for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
    lines.push({ line: bytes.subarray(start, end), start, end: end + 1 })
    start = end + 1
  }
  return lines
}
