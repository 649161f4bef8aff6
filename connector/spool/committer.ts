import type { Time } from '../../core/concurrency/timers.ts'
import type { Copy } from './journal.ts'
import type { Spool } from './spool.ts'
import type { Waiting, WaitingEvents } from './waiting-events.ts'

/**
 * Events are looked through for what to write this often, and one that is this old is written: it is on disk half a
 * second after it was read, if the queue has not taken it by then.
 */
const commitMs = 250

/** Written at a time: a disk that is slow to answer takes a storm in few calls, and no call takes long to prepare. */
const chunkBytes = 4 * 1024 * 1024

/** What the window has no room for is written before its time when it is this much. */
const earlyBytes = 1024 * 1024

/** Writes to the disk what waits for too long, and what the window has no room for. */
export interface Committer {
  /** Says that an event came. */
  wake(): void
  /** Writes everything that is not on disk, however young, and then no more. */
  finish(): Promise<void>
  /** Events that should have been on disk and were not, since the disk did not take them. */
  readonly skipped: number
}

/** Makes a committer. `onWritten` is told whenever a write has ended, well or not. */
export function committer(
  parts: Time & { readonly events: WaitingEvents; readonly spool: Spool; readonly onWritten: () => void },
): Committer {
  const { events, spool, clock, timers, onWritten } = parts
  let skipped = 0
  let isRefused = false
  let isFinished = !spool.isThere
  let writing: Promise<void> | undefined
  let cancel: (() => void) | undefined

  /** One that was read in the future is old: the clock was set back. */
  const isYoung = ({ takenAt }: Waiting) => {
    const ageMs = clock.now() - takenAt
    return ageMs >= 0 && ageMs < commitMs
  }

  /** The events that are to be written now, the oldest first, until they have so many bytes. */
  const due = (isLast: boolean, upTo: number): Waiting[] => {
    const chosen: Waiting[] = []
    // The tail can only be written behind all of the window, however young that is.
    const isUrgent = isLast || events.tail.size > 0
    let bytes = 0
    for (let link = events.unwritten.first; link !== undefined && bytes < upTo; link = link.next) {
      const event = link.value
      if (!isUrgent && isYoung(event)) break
      chosen.push(event)
      bytes += event.bytes
    }
    return chosen
  }

  const settle = (event: Waiting, copy: Copy) => {
    const isHere = event.ofClass?.chain !== undefined
    events.written(event, copy)
    if (!isHere) spool.release(copy)
    else if (!event.isInWindow) {
      events.leave(event)
      spool.leave(copy)
    }
  }

  const noteSkipped = (event: Waiting) => {
    if (!event.isSkipped) skipped += 1
    event.isSkipped = true
  }

  const write = async (isLast: boolean) => {
    for (let chunk = due(isLast, chunkBytes); chunk.length > 0; chunk = due(isLast, chunkBytes)) {
      for (const event of chunk) event.isBeingWritten = true
      const copies = await spool.append(chunk)
      for (const [index, event] of chunk.entries()) {
        event.isBeingWritten = false
        const copy = copies?.[index]
        if (copy !== undefined) settle(event, copy)
      }
      isRefused = copies === undefined
      if (isRefused) due(isLast, Infinity).forEach(noteSkipped)
      onWritten()
      if (isRefused) break
    }
  }

  const commit = () => {
    cancel?.()
    cancel = undefined
    writing ??= write(false).finally(() => {
      writing = undefined
      if (events.unwritten.size > 0) commitSoon()
    })
  }

  const commitSoon = () => {
    if (!isFinished) cancel ??= timers.after(commitMs, commit)
  }

  return {
    wake: () => {
      commitSoon()
      if (events.tailBytes >= earlyBytes && !isRefused && !isFinished) commit()
    },
    finish: async () => {
      if (isFinished) return
      isFinished = true
      cancel?.()
      await writing
      await write(true)
    },
    get skipped() {
      return skipped
    },
  }
}
