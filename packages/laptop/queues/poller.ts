import { setTimeout as delay } from 'node:timers/promises'
import { untilAborted } from '../processes/until-aborted.ts'
import type { ReceivedMessage } from './received-message.ts'

/** The queue operations of a poller. */
export interface PolledQueue {
  /** Waits a moment for messages, at most a second, so that a poller can stop soon without losing sight of any. */
  receive(maxMessages: number): Promise<readonly ReceivedMessage[]>
  remove(messages: readonly ReceivedMessage[]): Promise<void>
}

/** Messages of so many batches are taken together while many wait, so that those that belong together fill a batch. */
const together = 4

/** How a poller works. */
export interface PollerOptions {
  readonly queue: PolledQueue
  readonly batchSize: number
  /**
   * How many batches are worked on at one time. One that takes longer than {@link holdMs} waits for others, and is not
   * counted.
   */
  readonly concurrency: number
  /** How many there are at one time with those that wait; as many as are worked on, where not given. */
  readonly most?: number
  /** Calls the function; answers the messages that are done with. A rejection means that none is. */
  readonly handle: (messages: readonly ReceivedMessage[]) => Promise<readonly ReceivedMessage[]>
  readonly onError: (error: unknown) => void
  /** Divides a batch into those that the function is called with; by default it is one. */
  readonly divide?: (messages: readonly ReceivedMessage[], most: number) => readonly (readonly ReceivedMessage[])[]
  /** How long a poller rests after its queue refused it; a second where not given. */
  readonly restMs?: number
}

/**
 * How long a batch is counted as work: what it waits for outside must not hold up the batches of others.
 */
export const holdMs = 1_000

/**
 * An event-source mapping: takes batches from a queue, calls the function, and deletes finished messages. Unfinished
 * ones become visible again after their visibility timeout, and go to the dead-letter queue in time: both are the
 * queue's own work.
 */
export class Poller {
  readonly #options: PollerOptions
  readonly #stopping = new AbortController()
  #patience: AbortSignal | undefined
  readonly #working = new Set<Promise<void>>()
  readonly #places = new Set<Promise<void>>()
  readonly #loop: Promise<void>

  constructor(options: PollerOptions) {
    this.#options = options
    this.#loop = this.#run()
  }

  /**
   * Works on until the queue is empty, then takes no more; settles when the batches under way are done. When `patience`
   * ends, it settles at once and calls the function no more. What is left is the queue's.
   */
  async stop(patience?: AbortSignal): Promise<void> {
    this.#patience = patience
    this.#stopping.abort()
    const ended = this.#loop.then(() => Promise.all(this.#working))
    await (patience === undefined ? ended : untilAborted(ended, patience))
  }

  async #run(): Promise<void> {
    const { queue, batchSize, concurrency, onError, divide = (all) => [all], restMs = 1000 } = this.#options
    const { most = concurrency } = this.#options
    const { signal } = this.#stopping
    for (;;) {
      try {
        while (this.#places.size >= concurrency) await Promise.race(this.#places)
        while (this.#working.size >= most) await Promise.race(this.#working)
        if (this.#isOver()) return
        const messages = await queue.receive(batchSize * Math.min(together, Math.ceil(concurrency / 5)))
        if (this.#isOver()) return
        if (messages.length > 0) for (const part of divide(messages, batchSize)) this.#begin(part)
        else if (signal.aborted) return
      } catch (error) {
        if (signal.aborted) return
        onError(error)
        await delay(restMs, undefined, { signal }).catch(() => {})
      }
    }
  }

  #isOver(): boolean {
    return this.#patience?.aborted === true
  }

  #begin(messages: readonly ReceivedMessage[]): void {
    const { promise: isFree, resolve: leave } = Promise.withResolvers<void>()
    const timer = setTimeout(leave, holdMs)
    const place = isFree.then(() => void this.#places.delete(place))
    this.#places.add(place)
    const work = this.#handle(messages).finally(() => {
      clearTimeout(timer)
      leave()
      this.#working.delete(work)
    })
    this.#working.add(work)
  }

  async #handle(messages: readonly ReceivedMessage[]): Promise<void> {
    try {
      const done = await this.#options.handle(messages)
      if (done.length > 0) await this.#options.queue.remove(done)
    } catch (error) {
      this.#options.onError(error)
    }
  }
}
