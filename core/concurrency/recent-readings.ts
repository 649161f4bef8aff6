import type { Clock } from '../time.ts'

/** How long a reading counts: by the contract a new hook works within 2 s, and the rest of the path needs one. */
export const freshMs = 1_000

type Read<A extends readonly unknown[], T> = (domain: string, ...of: A) => Promise<T>

interface Reading<T> {
  readonly number: number
  readonly at: number
  readonly domain: string
  readonly found: Promise<T>
  size: number
}

/** Remembers what a process has read of domains, for {@link freshMs} and up to a size. Failed readings are not kept. */
export class RecentReadings {
  readonly #clock: Clock
  readonly #keptCharacters: number
  readonly #kept: Map<string, Reading<unknown>>[] = []
  #begun = 0

  /**
   * `keptCharacters` is the most that the readings of one function have together, unless one reading alone has more.
   * Counting readings would not bound the memory, since one hook or callflow can have 300 000 characters.
   */
  constructor(clock: Clock, keptCharacters: number) {
    this.#clock = clock
    this.#keptCharacters = keptCharacters
  }

  get begun(): number {
    return this.#begun
  }

  /** Forgets the readings of a domain that the count `begun` includes. Returns whether there were any. */
  forget(domain: string, begun: number): boolean {
    let forgotten = false
    for (const readings of this.#kept) {
      for (const [key, { number, domain: of }] of readings) {
        if (of === domain && number <= begun) forgotten = readings.delete(key)
      }
    }
    return forgotten
  }

  /** Returns the function with a memory: within a second, a repeated question shares the (pending) answer. */
  keep<A extends readonly unknown[], T>(read: Read<A, T>): Read<A, T> {
    const readings = new Map<string, Reading<T>>()
    this.#kept.push(readings)
    return (domain, ...of) => {
      const now = this.#clock.now()
      for (const [key, { at }] of readings) {
        if (now - at < freshMs && at <= now) break
        readings.delete(key)
      }
      const key = JSON.stringify([domain, ...of])
      const earlier = readings.get(key)
      if (earlier !== undefined) return earlier.found
      this.#begun += 1
      const reading = { number: this.#begun, at: now, domain, found: read(domain, ...of), size: key.length }
      readings.set(key, reading)
      void this.#settle(readings, key, reading)
      return reading.found
    }
  }

  async #settle<T>(readings: Map<string, Reading<T>>, key: string, reading: Reading<T>): Promise<void> {
    try {
      reading.size += sizeOf(await reading.found)
      dropOldest(readings, this.#keptCharacters)
    } catch {
      // The callers that waited get the failure; the next one asks again.
      if (readings.get(key) === reading) readings.delete(key)
    }
  }
}

function sizeOf(found: unknown): number {
  return (JSON.stringify(found, (_key, value: unknown) => (value instanceof Map ? [...value] : value)) ?? '').length
}

function dropOldest(readings: Map<string, Reading<unknown>>, most: number): void {
  let size = [...readings.values()].reduce((sum, reading) => sum + reading.size, 0)
  for (const [key, reading] of readings) {
    if (size <= most || readings.size === 1) return
    readings.delete(key)
    size -= reading.size
  }
}
