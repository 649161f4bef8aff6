import type { Time } from '../../core/concurrency/timers.ts'
import type { BufferDisk } from './buffer-disk.ts'
import type { Chain } from './chain.ts'
import type { Waiting } from './waiting.ts'

/**
 * Entries are looked through for what to write this often, and one that is this old is written: it is on disk half a
 * second after it was read, if it is not done by then.
 */
const commitMs = 250

/** Entries without room in the window are written early once they are this many bytes. */
const earlyBytes = 1024 * 1024

/** A disk that has not answered for so long is not waited for. */
const hangsMs = 5_000

export interface LogWriterDeps extends Time {
  readonly disk: BufferDisk | undefined
  /** Entries without a copy on disk, in their order. Those that are written are taken out by `onWritten`. */
  readonly unwritten: Chain<Waiting>
  /** Whether entries wait in memory for want of room in the window: then all are written, however young. */
  readonly isPressed: () => boolean
  /** Called with each entry that was written. */
  readonly onWritten: (entry: Waiting) => void
  /** Called whenever a write has ended, well or not, or takes so long that it may never end. */
  readonly onEnded: () => void
}

/** Writes to the disk what waits for too long, and what the window has no room for. */
export class LogWriter {
  readonly #deps: LogWriterDeps
  #skipped = 0
  #isRefused = false
  #isHanging = false
  #isFinished: boolean
  #writing: Promise<void> | undefined
  #cancel: (() => void) | undefined

  constructor(deps: LogWriterDeps) {
    this.#deps = deps
    this.#isFinished = deps.disk === undefined
  }

  /** Entries that should have been on disk and were not, since the disk did not take them. */
  get skipped(): number {
    return this.#skipped
  }

  /** Whether a write is under way that can be waited for. */
  get isWriting(): boolean {
    return this.#writing !== undefined && !this.#isRefused && !this.#isHanging
  }

  /** Says that an entry came. */
  wake(): void {
    this.#commitSoon()
    if (!this.#isRefused && !this.#isFinished && this.#deps.isPressed() && this.#isMuch()) this.#commit()
  }

  /** Writes everything that is not on disk, however young, and then no more. */
  async finish(): Promise<void> {
    const { disk } = this.#deps
    if (this.#isFinished || disk === undefined) return
    this.#isFinished = true
    this.#cancel?.()
    await this.#writing
    await this.#write(disk, true)
  }

  #commitSoon(): void {
    if (!this.#isFinished) this.#cancel ??= this.#deps.timers.after(commitMs, () => this.#commit())
  }

  #commit(): void {
    const { disk, unwritten } = this.#deps
    this.#cancel?.()
    this.#cancel = undefined
    if (disk === undefined) return
    this.#writing ??= this.#write(disk, false).finally(() => {
      this.#writing = undefined
      if (unwritten.size > 0) this.#commitSoon()
    })
  }

  async #write(disk: BufferDisk, isLast: boolean): Promise<void> {
    const { onWritten, onEnded } = this.#deps
    this.#isRefused = false
    for (let due = this.#due(isLast, disk.chunkBytes); due.length > 0; due = this.#due(isLast, disk.chunkBytes)) {
      for (const entry of due) entry.isBeingWritten = true
      const copies = await this.#append(disk, due)
      this.#isRefused = copies === undefined
      for (const [index, entry] of due.entries()) {
        entry.isBeingWritten = false
        entry.copy = copies?.[index]
        onWritten(entry)
      }
      onEnded()
      if (this.#isRefused) return this.#noteSkipped(isLast)
    }
  }

  async #append(disk: BufferDisk, due: readonly Waiting[]): ReturnType<BufferDisk['append']> {
    const cancel = this.#deps.timers.after(hangsMs, () => {
      this.#isHanging = true
      this.#deps.onEnded()
    })
    const copies = await disk.append(due)
    cancel()
    this.#isHanging = false
    return copies
  }

  /** Chooses the entries to write now, the oldest first, until they have so many bytes. */
  #due(isLast: boolean, upTo: number): Waiting[] {
    const isUrgent = isLast || this.#deps.isPressed()
    const due: Waiting[] = []
    let bytes = 0
    for (const entry of this.#deps.unwritten.values()) {
      if (bytes >= upTo || (!isUrgent && this.#isYoung(entry))) break
      due.push(entry)
      bytes += entry.bytes
    }
    return due
  }

  /** Whether what waits in memory alone is worth a write. */
  #isMuch(): boolean {
    let bytes = 0
    for (const entry of this.#deps.unwritten.values()) {
      bytes += entry.bytes
      if (bytes >= earlyBytes) return true
    }
    return false
  }

  /** One that was read in the future is old: the clock was set back. */
  #isYoung({ readAt }: Waiting): boolean {
    const ageMs = this.#deps.clock.now() - readAt
    return ageMs >= 0 && ageMs < commitMs
  }

  #noteSkipped(isLast: boolean): void {
    for (const entry of this.#due(isLast, Infinity)) {
      if (!entry.isSkipped) this.#skipped += 1
      entry.isSkipped = true
    }
  }
}
