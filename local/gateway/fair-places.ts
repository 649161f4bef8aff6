/** More requests wait than may; nothing of this one was done. */
export class TooManyWaiting extends Error {
  override readonly name = 'TooManyWaiting'
}

/** How much there is to share. */
export interface PlaceLimits {
  /** Places that can be in use at one time. */
  readonly places: number
  /** Requests of all callers together that may wait. */
  readonly waiting: number
}

interface Waiting {
  readonly places: number
  readonly begin: () => void
  readonly refuse: (error: TooManyWaiting) => void
}

/**
 * Shares places among callers, fairly:
 *
 * - A caller never holds more places than it leaves free. One caller alone gets half of them, two get a third each, and
 *   there are always some for a caller that comes new.
 * - The others wait in a queue of their caller; these queues take turns.
 * - When too many wait, the newest one of the caller with the longest queue is refused.
 */
export class FairPlaces {
  readonly #limits: PlaceLimits
  /** In the order of their turns. None is empty. */
  readonly #queues = new Map<string, Waiting[]>()
  readonly #held = new Map<string, number>()
  #free: number
  #waiting = 0

  constructor(limits: PlaceLimits) {
    this.#limits = limits
    this.#free = limits.places
  }

  /** Requests that wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** Takes places at once and returns what gives them back; `undefined` when the caller has to wait for them. */
  take(caller: string, places = 1): (() => void) | undefined {
    return !this.#queues.has(caller) && this.#mayTake(caller, places) ? this.#hold(caller, places) : undefined
  }

  /**
   * Waits for places, no more than there are in all, and returns what gives them back. Rejects with
   * {@link TooManyWaiting} when the request is refused, and with the signal's reason when that aborts first.
   */
  wait(caller: string, signal: AbortSignal, places = 1): Promise<() => void> {
    if (signal.aborted) return Promise.reject(signal.reason)
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const waiting: Waiting = { places, begin: () => resolve(this.#hold(caller, places)), refuse: reject }
    const leave = () => {
      this.#remove(caller, waiting)
      reject(signal.reason)
      this.#beginNext()
    }
    signal.addEventListener('abort', leave, { once: true })
    const queue = this.#queues.get(caller)
    if (queue === undefined) this.#queues.set(caller, [waiting])
    else queue.push(waiting)
    this.#waiting += 1
    if (this.#waiting > this.#limits.waiting) this.#refuseOne()
    this.#beginNext()
    return promise.finally(() => signal.removeEventListener('abort', leave))
  }

  #mayTake(caller: string, places: number): boolean {
    if (places > this.#free) return false
    const held = this.#held.get(caller) ?? 0
    return held === 0 || held + places <= this.#free - places
  }

  #hold(caller: string, places: number): () => void {
    this.#held.set(caller, (this.#held.get(caller) ?? 0) + places)
    this.#free -= places
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const left = (this.#held.get(caller) ?? 0) - places
      if (left > 0) this.#held.set(caller, left)
      else this.#held.delete(caller)
      this.#free += places
      this.#beginNext()
    }
  }

  /**
   * Begins as many as there are places for. A caller whose request has begun goes to the end, where this loop meets it
   * again; one that has to wait goes on waiting, since each request that begins leaves fewer places.
   */
  #beginNext(): void {
    for (const [caller, queue] of this.#queues) {
      const [next] = queue
      if (next === undefined || !this.#mayTake(caller, next.places)) continue
      this.#remove(caller, next)
      if (this.#queues.delete(caller)) this.#queues.set(caller, queue)
      next.begin()
    }
  }

  #remove(caller: string, waiting: Waiting): void {
    const queue = this.#queues.get(caller) ?? []
    const index = queue.indexOf(waiting)
    if (index < 0) return
    queue.splice(index, 1)
    this.#waiting -= 1
    if (queue.length === 0) this.#queues.delete(caller)
  }

  #refuseOne(): void {
    const [caller, queue] = [...this.#queues].reduce((most, one) => (one[1].length > most[1].length ? one : most))
    const newest = queue.at(-1)
    if (newest === undefined) return
    this.#remove(caller, newest)
    newest.refuse(new TooManyWaiting(`${this.#limits.waiting} requests wait already`))
  }
}
