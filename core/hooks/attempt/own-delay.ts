import type { Time } from '../../concurrency/timers.ts'

/** How often the process looks how late it is, while it waits for an answer. */
const lookMs = 5

/**
 * So many turns of the event loop pass between an answer and its end here: the connection, its encryption, the head and
 * the body. Each can be as late as the longest turn.
 */
const turns = 4

/**
 * Measures how much of a wait for a response may be this process's own delay. A process that is busy, or gets no
 * processor, reads a response late, and a quick receiver seems slow. It runs only while a request waits.
 */
export class OwnDelay {
  readonly #time: Time
  readonly #waits = new Set<{ longestMs: number; readonly since: number }>()
  #lookedAt = 0
  #stop = () => {}

  constructor(time: Time) {
    this.#time = time
  }

  /** Begins a wait. Both functions return the milliseconds of it, so far, that may be this process's own. */
  begin(): { readonly soFar: () => number; readonly end: () => number } {
    const wait = { longestMs: 0, since: this.#time.clock.now() }
    this.#waits.add(wait)
    if (this.#waits.size === 1) this.#lookAgain()
    const soFar = () => {
      this.#look()
      return turns * wait.longestMs
    }
    const end = () => {
      const ownMs = soFar()
      this.#waits.delete(wait)
      if (this.#waits.size === 0) this.#stop()
      return ownMs
    }
    return { soFar, end }
  }

  #lookAgain(): void {
    this.#lookedAt = this.#time.clock.now()
    this.#stop = this.#time.timers.after(lookMs, () => {
      this.#look()
      this.#lookAgain()
    })
  }

  #look(): void {
    const now = this.#time.clock.now()
    for (const wait of this.#waits) {
      const lateMs = now - Math.max(this.#lookedAt, wait.since) - lookMs
      wait.longestMs = Math.max(wait.longestMs, lateMs)
    }
  }
}
