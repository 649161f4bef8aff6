import type { DropClass } from './drop-class.ts'
import type { SpoolFiles } from './spool-files.ts'
import { type SpooledEvent, readSpoolLine } from './spool-line.ts'

/** One file of a spool: events of one class, in the order of their numbers. */
export interface Segment {
  readonly path: string
  readonly dropClass: DropClass
  /** Bytes that count; more may lie behind them after a write that failed. */
  size: number
  /** Events that stand here and in memory. */
  live: number
  /** Events that stand only here: all from `readOffset` on, and none before it. */
  unread: number
  readOffset: number
  /** When the oldest and the youngest of its events were read from the engine, epoch milliseconds. */
  from: number
  to: number
  /** That nothing is appended any more. */
  isSealed: boolean
  /** That a write to it is under way. */
  isBusy: boolean
  /** That the file is removed. */
  isGone: boolean
}

/** A line that was read: what it says, absent when that is damaged or erased, and where the next one begins. */
export interface ReadLine {
  readonly segment: Segment
  readonly spooled: SpooledEvent | undefined
  readonly isErased: boolean
  readonly bytes: number
  readonly nextOffset: number
}

const lineFeed = 10

/** What the first byte of a line becomes when its event was given up; no checksum begins so. */
export const erasedMark = 'x'

/** Read at a time. */
const chunkBytes = 256 * 1024

/** No event that a spool writes is as long: it is cut to less than 256 KiB, of which escapes in JSON can make six times as much. */
const maxLineBytes = 4 * 1024 * 1024

/** Makes a segment of which no byte is written yet. */
export function newSegment(path: string, dropClass: DropClass): Segment {
  const nothing = { size: 0, live: 0, unread: 0, readOffset: 0, from: 0, to: 0 }
  return { path, dropClass, ...nothing, isSealed: false, isBusy: false, isGone: false }
}

/** Reads the next whole lines behind `offset`; none at the end. What is too long to be a line is one damaged line. */
export async function readLines(files: SpoolFiles, segment: Segment, offset: number): Promise<ReadLine[]> {
  const rest = segment.size - offset
  for (let length = chunkBytes; ; length *= 4) {
    const chunk = await files.read(segment.path, offset, Math.min(length, rest))
    const lines = linesIn(chunk, segment, offset)
    if (lines.length > 0 || chunk.length === 0) return lines
    if (chunk.length === rest || chunk.length < length || length > maxLineBytes) {
      return [{ segment, spooled: undefined, isErased: false, bytes: rest, nextOffset: segment.size }]
    }
  }
}

function linesIn(chunk: Buffer, segment: Segment, offset: number): ReadLine[] {
  const lines: ReadLine[] = []
  let start = 0
  for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
    const spooled = readSpoolLine(chunk.subarray(start, end))
    const isErased = spooled === undefined && chunk[start] === erasedMark.charCodeAt(0)
    lines.push({ segment, spooled, isErased, bytes: end + 1 - start, nextOffset: offset + end + 1 })
    start = end + 1
  }
  return lines
}

/**
 * Looks at a file that another process left: its events are counted, none is read yet. A half line at its end is left out.
 * The process was killed while it wrote that line, so the event never counted as being on disk. Where nothing can be read,
 * its events are of `since` or later.
 */
export async function leftSegment(
  files: SpoolFiles,
  path: string,
  dropClass: DropClass,
  since: number,
): Promise<Segment> {
  const { size, changedAt } = await files.look(path)
  const segment: Segment = { ...newSegment(path, dropClass), isSealed: true }
  for (let offset = 0; offset < size; ) {
    const chunk = await files.read(path, offset, chunkBytes)
    if (chunk.length === 0) break
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) {
      segment.unread += 1
      segment.size = offset + at + 1
    }
    offset += chunk.length
  }
  const first = (await readLines(files, segment, 0)).find(({ spooled }) => spooled !== undefined)
  segment.from = first?.spooled?.takenAt ?? since
  segment.to = Math.max(segment.from, changedAt)
  return segment
}
