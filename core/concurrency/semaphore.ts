/** Gives a place back; calling it again does nothing. */
export type Release = () => void

interface Waiter<Key> {
  readonly key: Key | undefined
  readonly enter: (release: Release) => void
}

/**
 * A semaphore with a number of slots for work, and a queue of limited length for work that waits for one. Work without
 * a key is served in the order in which it came. Keys share the slots fairly: a key that has more slots than are free
 * gets no further one, and a key that has more waiters than there is room left gets no further waiter, so one key never
 * fills either. A free slot goes to the key with the fewest; among equals, to the longest waiter.
 */
export class Semaphore<Key = never> {
  readonly #places: number
  readonly #queue: number
  readonly #waiting = new Set<Waiter<Key>>()
  readonly #held = new Map<Key, number>()
  #taken = 0

  /** `queue` is how much may wait; any amount where absent. */
  constructor(places: number, queue = Number.POSITIVE_INFINITY) {
    this.#places = places
    this.#queue = queue
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#waiting.size
  }

  keys(): { readonly taken: readonly Key[]; readonly waiting: readonly Key[] } {
    return {
      taken: [...this.#held].flatMap(([key, count]) => Array.from({ length: count }, () => key)),
      waiting: [...this.#waiting].flatMap(({ key }) => (key === undefined ? [] : [key])),
    }
  }

  tryTake(key?: Key): Release | undefined {
    return this.#mayTake(key) ? this.#occupy(key) : undefined
  }

  /** Takes a place as soon as there is one. Returns nothing if too much waits, or when `signal` is aborted before. */
  async take(key?: Key, signal?: AbortSignal): Promise<Release | undefined> {
    const release = this.tryTake(key)
    if (release !== undefined || signal?.aborted === true || !this.#mayWait(key)) return release
    return new Promise((resolve) => {
      const leave = () => finish(undefined)
      const finish = (release: Release | undefined) => {
        this.#waiting.delete(waiter)
        signal?.removeEventListener('abort', leave)
        resolve(release)
      }
      const waiter = { key, enter: finish }
      this.#waiting.add(waiter)
      signal?.addEventListener('abort', leave)
    })
  }

  #heldBy(key: Key | undefined): number {
    return key === undefined ? 0 : (this.#held.get(key) ?? 0)
  }

  #mayTake(key: Key | undefined): boolean {
    return this.#taken < this.#places && this.#heldBy(key) <= this.#places - this.#taken
  }

  #mayWait(key: Key | undefined): boolean {
    if (this.#waiting.size >= this.#queue) return false
    if (key === undefined || this.#queue === Number.POSITIVE_INFINITY) return true
    const own = [...this.#waiting].filter((waiter) => waiter.key === key).length
    return own <= this.#queue - this.#waiting.size
  }

  #occupy(key: Key | undefined): Release {
    let isHeld = true
    this.#count(key, 1)
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#count(key, -1)
      // One place that is given back can make room for several: their keys may hold more as more places are free.
      for (let next = this.#next(); next !== undefined; next = this.#next()) next.enter(this.#occupy(next.key))
    }
  }

  #count(key: Key | undefined, change: 1 | -1): void {
    this.#taken += change
    if (key === undefined) return
    const held = this.#heldBy(key) + change
    if (held === 0) this.#held.delete(key)
    else this.#held.set(key, held)
  }

  #next(): Waiter<Key> | undefined {
    let best: Waiter<Key> | undefined
    for (const waiter of this.#waiting) {
      if (!this.#mayTake(waiter.key)) continue
      if (best === undefined || this.#heldBy(waiter.key) < this.#heldBy(best.key)) best = waiter
      if (this.#heldBy(best.key) === 0) break
    }
    return best
  }
}

/** Runs work, so much of it at a time. */
export type Limited = <T>(work: () => Promise<T>) => Promise<T>

/** Limits work to `places` pieces at a time, which begin in the order in which they came. */
export function limited(places: number): Limited {
  const semaphore = new Semaphore(places)
  return async (work) => {
    const release = await semaphore.take()
    try {
      return await work()
    } finally {
      release?.()
    }
  }
}

/**
 * Works on items, at most `atOnce` at a time and in their order, and returns the results in the order of the items.
 * After a failure no further item is begun; the failure is thrown once those under way have ended.
 */
export async function mapAtMost<Item, Result>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const semaphore = new Semaphore(atOnce)
  const results: Promise<Result>[] = []
  let hasFailed = false
  for (const item of items) {
    const release = semaphore.tryTake() ?? (await semaphore.take())
    if (hasFailed) break
    results.push(
      work(item)
        .catch((failure: unknown) => {
          hasFailed = true
          throw failure
        })
        .finally(release),
    )
    results.at(-1)?.catch(() => {})
  }
  await Promise.allSettled(results)
  return Promise.all(results)
}
