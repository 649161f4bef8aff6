import type { TextEvent } from '../../adapters/events/text-event.ts'
import { Chain, type Link } from './chain.ts'
import { type DropClass, dropClassOf, dropOrder } from './drop-class.ts'
import type { Copy } from './segment-files.ts'

/** An event in memory that the queue has not taken. */
export interface Waiting {
  readonly event: TextEvent
  /** About what it takes of memory. */
  readonly bytes: number
  /** When it was read from the engine, epoch milliseconds. */
  readonly takenAt: number
  readonly dropClass: DropClass
  /** Whether it is being sent to the queue: it may have arrived, so it is not given up. */
  isAway: boolean
  /** In the window an event can be sent; after it come those on disk, and after them those in the tail. */
  isInWindow: boolean
  /** Whether it is being written to the disk. */
  isBeingWritten: boolean
  /** Whether it was counted as one that the disk should have taken and did not. */
  isSkipped: boolean
  /** Whether a later event was written without it, so it stays in memory only. */
  isOvertaken: boolean
  copy: Copy | undefined
  /** Its places among those of its group, its class, in the tail and among those without a copy. */
  ofGroup: Link<Waiting> | undefined
  ofClass: Link<Waiting> | undefined
  ofTail: Link<Waiting> | undefined
  ofUnwritten: Link<Waiting> | undefined
}

/** The facts of an event that is taken in. */
interface Entrance {
  readonly takenAt: number
  /** Where it stands on disk, if it does. */
  readonly copy?: Copy
}

/** Events in memory: by class, by place, and by whether they are also on disk. */
export class WaitingEvents {
  readonly tail = new Chain<Waiting>()
  /** Those without a copy on disk, in the order in which they were taken. */
  readonly unwritten = new Chain<Waiting>()
  readonly #byClass: Readonly<Record<DropClass, Chain<Waiting>>> = { 1: new Chain(), 2: new Chain(), 3: new Chain() }
  #bytes = 0
  #windowBytes = 0
  #tailBytes = 0

  get size(): number {
    return dropOrder.reduce((sum, dropClass) => sum + this.#byClass[dropClass].size, 0)
  }

  get bytes(): number {
    return this.#bytes
  }

  get windowBytes(): number {
    return this.#windowBytes
  }

  get tailBytes(): number {
    return this.#tailBytes
  }

  /** When the oldest event was read. */
  get oldestAt(): number | undefined {
    return oldestOf(dropOrder.map((dropClass) => this.#byClass[dropClass]))
  }

  /** When the oldest event without a copy on disk was read. */
  get unwrittenAt(): number | undefined {
    return oldestOf([this.unwritten])
  }

  /** Takes an event in, at the end. It is in the tail, and unwritten unless it has a copy. */
  enter(event: TextEvent, { takenAt, copy }: Entrance): Waiting {
    const dropClass = dropClassOf(event)
    const held: Waiting = {
      event,
      takenAt,
      dropClass,
      bytes: sizeOf(event),
      isAway: false,
      isInWindow: false,
      isBeingWritten: false,
      isSkipped: false,
      isOvertaken: false,
      copy,
      ofGroup: undefined,
      ofClass: undefined,
      ofTail: undefined,
      ofUnwritten: undefined,
    }
    held.ofClass = this.#byClass[dropClass].push(held)
    held.ofTail = this.tail.push(held)
    if (copy === undefined) held.ofUnwritten = this.unwritten.push(held)
    this.#bytes += held.bytes
    this.#tailBytes += held.bytes
    return held
  }

  /** Moves an event from the tail to the window. */
  open(held: Waiting): void {
    this.tail.remove(held.ofTail)
    held.isInWindow = true
    this.#tailBytes -= held.bytes
    this.#windowBytes += held.bytes
  }

  /** Notes where the copy of an event stands. */
  written(held: Waiting, copy: Copy): void {
    held.copy = copy
    this.unwritten.remove(held.ofUnwritten)
  }

  /** Lets go of an event; `false` when that was done before. */
  leave(held: Waiting): boolean {
    if (held.ofClass?.chain === undefined) return false
    this.#byClass[held.dropClass].remove(held.ofClass)
    this.tail.remove(held.ofTail)
    this.unwritten.remove(held.ofUnwritten)
    this.#bytes -= held.bytes
    if (held.isInWindow) this.#windowBytes -= held.bytes
    else this.#tailBytes -= held.bytes
    return true
  }

  /** The oldest event of the least class that may be given up for one of class `least`. */
  victim(least: DropClass): Waiting | undefined {
    for (const dropClass of dropOrder.filter((dropClass) => dropClass >= least)) {
      for (let link = this.#byClass[dropClass].first; link !== undefined; link = link.next) {
        if (!link.value.isAway && !link.value.isBeingWritten) return link.value
      }
    }
    return undefined
  }
}

/** Looks at all events: one that had to wait elsewhere comes after younger ones. */
function oldestOf(chains: readonly Chain<Waiting>[]): number | undefined {
  let oldest = Infinity
  for (const chain of chains) {
    for (let link = chain.first; link !== undefined; link = link.next) oldest = Math.min(oldest, link.value.takenAt)
  }
  return oldest === Infinity ? undefined : oldest
}

/**
 * Returns about what an event takes of memory, which is at least what it is in the queue: its text has a byte for each character,
 * or two as soon as one is beyond ASCII.
 */
export function sizeOf({ fieldsText }: TextEvent): number {
  const { length } = fieldsText
  const bytes = Buffer.byteLength(fieldsText)
  return headBytes + (bytes === length ? length : Math.max(bytes, 2 * length))
}

/** An event without its text, with its places among those that wait; 1 135 bytes were measured. */
const headBytes = 1_200
