import { join } from 'node:path'
import { generationName } from '../../adapters/system/folder-lock.ts'
import type { DropClass } from './drop-class.ts'
import type { SpoolFiles } from './spool-files.ts'
import { type LineHead, type SpooledEvent, headOf, isErased, readSpoolLine } from './spool-line.ts'

/** One file of a spool: events in the order in which they were taken. */
export interface Segment {
  readonly path: string
  /** Bytes that count; more may follow after a write that failed. */
  size: number
  /** Events that stand here and in memory. */
  live: number
  /** Events that stand only here: all from `readOffset` on, and none before it. */
  unread: number
  readOffset: number
  /** Classes of which there may be events that stand only here. */
  readonly classes: Set<DropClass>
  /** When the oldest and the youngest of its events were read from the engine, epoch milliseconds. */
  from: number
  to: number
  /** Whether the segment is closed for appending. */
  isSealed: boolean
  /** Whether it is being written, so it must not be removed. */
  isBusy: boolean
  /** Whether the file is removed. */
  isGone: boolean
  /** How often the file was replaced by one without the events of a class. */
  rewrites: number
  /** How often lines before `readOffset` were cut off, so that all others moved to the front. */
  cuts: number
}

/** A line that was read: what it says, absent when that is damaged or erased, and where the next one begins. */
export interface ReadLine {
  readonly segment: Segment
  readonly spooled: SpooledEvent | undefined
  readonly isErased: boolean
  readonly start: number
  readonly nextOffset: number
}

const lineFeed = 10

/** Read at a time. */
const chunkBytes = 256 * 1024

/** No event that a spool writes is as long: it is cut to less than 1 MB, of which escapes in JSON can make six times as much. */
const maxLineBytes = 8 * 1024 * 1024

/** `0000000003-0000000042-1768478400000.log`: generation, number, and when its first event was read from the engine. */
const form = /^(\d{10})-\d{10}-(\d{1,16})\.log$/

/** Makes a segment without any byte yet. */
export function newSegment(folder: string, generation: number, number: number, from: number): Segment {
  const name = `${generationName(generation)}-${String(number).padStart(10, '0')}-${from}.log`
  return emptySegment(join(folder, name), from)
}

function emptySegment(path: string, from: number): Segment {
  const nothing = { size: 0, live: 0, unread: 0, readOffset: 0, rewrites: 0, cuts: 0 }
  const flags = { isSealed: false, isBusy: false, isGone: false }
  return { path, ...nothing, classes: new Set(), from, to: from, ...flags }
}

/** Returns whether a name is that of a segment. */
export function isSegment(name: string): boolean {
  return form.test(name)
}

/** Returns when the first event of a segment was read from the engine, by the segment's name, epoch milliseconds. */
export function beginsAt(name: string): number {
  return Number(form.exec(name)?.[2])
}

/** Reads the next whole lines after `offset`; none at the end. What is too long to be a line is one damaged line. */
export async function readLines(files: SpoolFiles, segment: Segment, offset: number): Promise<ReadLine[]> {
  const chunk = await wholeLines(files, segment.path, offset, segment.size)
  if (chunk === 'no line') {
    return [{ segment, spooled: undefined, isErased: false, start: offset, nextOffset: segment.size }]
  }
  return linesIn(chunk).map(({ line, start, end }) => {
    const isGone = isErased(line)
    const spooled = isGone ? undefined : readSpoolLine(line)
    return { segment, spooled, isErased: isGone, start: offset + start, nextOffset: offset + end }
  })
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

/** A damaged line counts as one of the most important, since nothing says otherwise. */
const classOf = (head: LineHead | undefined): DropClass => head?.dropClass ?? 1

/**
 * Examines a file that another process left: its events are counted and not read yet. An incomplete line at its end is
 * ignored. The process was killed while writing that line, so the event never counted as being on disk.
 */
export async function leftSegment(files: SpoolFiles, folder: string, name: string): Promise<Segment> {
  const path = join(folder, name)
  const { size, changedAt } = await files.look(path)
  const segment = emptySegment(path, beginsAt(name))
  segment.isSealed = true
  segment.to = Math.max(segment.from, changedAt)
  while (segment.size < size) {
    const chunk = await wholeLines(files, path, segment.size, size)
    if (chunk === 'no line' && size - segment.size > maxLineBytes) noteDamaged(segment, size)
    if (chunk === 'no line' || chunk.length === 0) break
    for (const { line } of linesIn(chunk)) {
      const head = headOf(line)
      segment.unread += 1
      segment.classes.add(classOf(head))
      segment.from = Math.min(segment.from, head?.takenAt ?? segment.from)
    }
    segment.size += chunk.length
  }
  return segment
}

/** Counts the rest of a file, in which no line ends, as one line. */
function noteDamaged(segment: Segment, size: number): void {
  segment.unread += 1
  segment.classes.add(1)
  segment.size = size
}

/** The part of a segment that stands only on disk, without the events of one class. */
export interface Rest {
  readonly kept: readonly Buffer[]
  readonly keptLines: number
  /** The events of the class: how many there were, and when the first and the last were read. */
  readonly dropped: number
  readonly from: number
  readonly to: number
}

/** Splits what is only in a segment into the events of a class and all others. */
export async function restWithout(files: SpoolFiles, segment: Segment, dropClass: DropClass): Promise<Rest> {
  const { path, readOffset, size } = segment
  const bytes = await files.read(path, readOffset, size - readOffset)
  const kept: Buffer[] = []
  let dropped = 0
  let [from, to] = [segment.to, segment.from]
  for (const { line, start, end } of linesIn(bytes)) {
    const head = headOf(line)
    if (head === undefined || head.dropClass !== dropClass) kept.push(bytes.subarray(start, end))
    else {
      dropped += 1
      from = Math.min(from, head.takenAt)
      to = Math.max(to, head.takenAt)
    }
  }
  return { kept, keptLines: kept.length, dropped, from, to }
}
