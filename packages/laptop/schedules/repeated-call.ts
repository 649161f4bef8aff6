/** How something is called again and again. */
export interface RepeatedCallOptions {
  readonly everyMs: number
  readonly call: () => Promise<unknown>
  readonly onError: (error: unknown) => void
}

/** Calls something at each interval, the first time when one has passed; never twice at one time. */
export class RepeatedCall {
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> | undefined

  constructor({ everyMs, call, onError }: RepeatedCallOptions) {
    const run = async () => {
      try {
        await call()
      } catch (error) {
        onError(error)
      } finally {
        this.#running = undefined
      }
    }
    this.#timer = setInterval(() => {
      this.#running ??= run()
    }, everyMs)
  }

  /** Calls no more; settles when a call under way is over. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }
}
