import type { Time } from '../../core/concurrency/timers.ts'
import { type DropClass, dropOrder } from './drop-class.ts'
import type { Copy } from './segment-files.ts'
import type { Spool } from './spool.ts'
import type { Waiting, WaitingEvents } from './waiting-events.ts'

/**
 * Events are looked through for what to write this often, and one that is this old is written: it is on disk half a
 * second after it was read, if the queue has not taken it by then.
 */
const commitMs = 250

/** Events without room in the window are written early once they are this many bytes. */
const earlyBytes = 1024 * 1024

export interface CommitterDeps extends Time {
  readonly events: WaitingEvents
  readonly spool: Spool
  /** Called whenever a write has ended, well or not. */
  readonly onWritten: () => void
  /** Called with an event that the disk has no room for, while a later and more important one left memory for the disk. */
  readonly onOvertaken: (event: Waiting) => void
}

/** Writes to the disk what waits for too long, and what the window has no room for. */
export class Committer {
  readonly #deps: CommitterDeps
  #skipped = 0
  #isRefused = false
  #isFinished: boolean
  #writing: Promise<void> | undefined
  #cancel: (() => void) | undefined

  constructor(deps: CommitterDeps) {
    this.#deps = deps
    this.#isFinished = !deps.spool.isThere
  }

  /** Events that should have been on disk and were not, since the disk did not take them. */
  get skipped(): number {
    return this.#skipped
  }

  /** Says that an event came. */
  wake(): void {
    this.#commitSoon()
    if (this.#deps.events.tailBytes >= earlyBytes && !this.#isRefused && !this.#isFinished) this.#commit()
  }

  /** Writes everything that is not on disk, however young, and then no more. */
  async finish(): Promise<void> {
    if (this.#isFinished) return
    this.#isFinished = true
    this.#cancel?.()
    await this.#writing
    await this.#write(true)
  }

  #commitSoon(): void {
    if (!this.#isFinished) this.#cancel ??= this.#deps.timers.after(commitMs, () => this.#commit())
  }

  #commit(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#writing ??= this.#write(false).finally(() => {
      this.#writing = undefined
      if (this.#deps.events.unwritten.size > 0) this.#commitSoon()
    })
  }

  /**
   * Writes what is due. Where the disk is full of events that are more important than some of these, the others are written
   * without them.
   */
  async #write(isLast: boolean): Promise<void> {
    const { spool, onWritten } = this.#deps
    let classes = dropOrder
    let isRefused = false
    for (;;) {
      const { chunk, passed } = this.#due(isLast, spool.chunkBytes, classes)
      if (chunk.length === 0) break
      for (const event of chunk) event.isBeingWritten = true
      const copies = await spool.append(chunk)
      for (const [index, event] of chunk.entries()) {
        event.isBeingWritten = false
        const copy = copies?.[index]
        if (copy !== undefined) this.#settle(event, copy)
      }
      onWritten()
      if (copies === undefined) {
        isRefused = true
        const least = leastOf(chunk)
        if (!spool.hasMoreImportant(least)) break
        classes = classes.filter((dropClass) => dropClass < least)
      } else for (const event of passed) this.#noteOvertaken(event)
    }
    this.#isRefused = isRefused
    if (isRefused) for (const event of this.#due(isLast, Infinity).chunk) this.#noteSkipped(event)
  }

  /**
   * Chooses the events to write now, the oldest first, until they have so many bytes. `passed` are the older ones of other
   * classes.
   */
  #due(isLast: boolean, upTo: number, classes: readonly DropClass[] = dropOrder) {
    const { events } = this.#deps
    const chunk: Waiting[] = []
    const passed: Waiting[] = []
    let others: Waiting[] = []
    // The tail can only be written after all of the window, however young that is.
    const isUrgent = isLast || events.tail.size > 0
    let bytes = 0
    for (let link = events.unwritten.first; link !== undefined && bytes < upTo; link = link.next) {
      const event = link.value
      if (!isUrgent && this.#isYoung(event)) break
      if (event.isOvertaken) continue
      if (!classes.includes(event.dropClass)) {
        others.push(event)
        continue
      }
      passed.push(...others)
      others = []
      chunk.push(event)
      bytes += event.bytes
    }
    return { chunk, passed }
  }

  /** One that was read in the future is old: the clock was set back. */
  #isYoung({ takenAt }: Waiting): boolean {
    const ageMs = this.#deps.clock.now() - takenAt
    return ageMs >= 0 && ageMs < commitMs
  }

  #settle(event: Waiting, copy: Copy): void {
    const { events, spool, onOvertaken } = this.#deps
    const isHere = event.ofClass?.chain !== undefined
    events.written(event, copy)
    if (!isHere) spool.release(copy)
    else if (!event.isInWindow) {
      // An event that stayed in the tail would be sent after this one.
      for (let link = events.tail.first; link !== undefined && link !== event.ofTail; link = events.tail.first) {
        onOvertaken(link.value)
      }
      events.leave(event)
      spool.leave(copy)
    }
  }

  /** Files hold events in their order, so an event that a later one has overtaken is never written. */
  #noteOvertaken(event: Waiting): void {
    event.isOvertaken = true
    this.#noteSkipped(event)
  }

  #noteSkipped(event: Waiting): void {
    if (!event.isSkipped) this.#skipped += 1
    event.isSkipped = true
  }
}

function leastOf(events: readonly Waiting[]): DropClass {
  return events.reduce<DropClass>((least, { dropClass }) => (dropClass > least ? dropClass : least), 1)
}
