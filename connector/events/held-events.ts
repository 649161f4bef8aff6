import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { Chain } from '../buffer/chain.ts'

/** An event that is held. */
export interface Held {
  readonly event: PlatformEvent
  readonly bytes: number
  /** Lets it go to the queue. */
  readonly pass: () => void
}

/** Events of calls, in the order in which they came. */
export class HeldEvents {
  readonly #events = new Chain<Held>()
  /** How many events of each call are held. */
  readonly #calls = new Map<string, number>()
  #bytes = 0

  get size(): number {
    return this.#events.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether an event of the call is held. */
  has(uuid: string): boolean {
    return this.#calls.has(uuid)
  }

  push(held: Held): void {
    const { event, bytes } = held
    this.#events.push(held)
    this.#calls.set(event.uuid, (this.#calls.get(event.uuid) ?? 0) + 1)
    this.#bytes += bytes
  }

  /** Takes the first out; absent when there is none. */
  shift(): Held | undefined {
    const { first } = this.#events
    if (first === undefined) return undefined
    const { event, bytes } = first.value
    this.#events.remove(first)
    this.#bytes -= bytes
    const left = (this.#calls.get(event.uuid) ?? 0) - 1
    if (left > 0) this.#calls.set(event.uuid, left)
    else this.#calls.delete(event.uuid)
    return first.value
  }
}
