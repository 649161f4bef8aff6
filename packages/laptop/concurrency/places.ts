/** Gives a place back; calling it again does nothing. */
export type Leave = () => void

/** A number of places for work, and a queue of limited length for work that waits for one, in the order it came. */
export class Places {
  readonly #queue: number
  readonly #waiting = new Set<(leave: Leave) => void>()
  #free: number

  /** `queue` is how much may wait; any amount where absent. */
  constructor(places: number, queue = Number.POSITIVE_INFINITY) {
    this.#free = places
    this.#queue = queue
  }

  tryTake(): Leave | undefined {
    if (this.#free === 0) return undefined
    this.#free -= 1
    return this.#leave()
  }

  /** Takes a place as soon as there is one. Returns nothing if too much waits, or when `signal` is aborted before. */
  async take(signal?: AbortSignal): Promise<Leave | undefined> {
    const leave = this.tryTake()
    if (leave !== undefined || signal?.aborted === true || this.#waiting.size >= this.#queue) return leave
    return new Promise((resolve) => {
      const finish = (taken?: Leave) => {
        this.#waiting.delete(finish)
        signal?.removeEventListener('abort', abort)
        resolve(taken)
      }
      const abort = () => finish()
      this.#waiting.add(finish)
      signal?.addEventListener('abort', abort)
    })
  }

  #leave(): Leave {
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const [next] = this.#waiting
      if (next === undefined) this.#free += 1
      else next(this.#leave())
    }
  }
}

/** Returns a function that runs at most `places` pieces of work at a time, which begin in the order they came. */
export function limited(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  const all = new Places(places)
  return async (work) => {
    const leave = await all.take()
    try {
      return await work()
    } finally {
      leave?.()
    }
  }
}
