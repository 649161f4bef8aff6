/** The keys that were pressed on a channel and that no application has taken yet. */
export class PressedKeys {
  #waiting = ''
  readonly #listeners = new Set<() => void>()

  get areWaiting(): boolean {
    return this.#waiting !== ''
  }

  press(keys: string): void {
    this.#waiting += keys
    for (const listener of this.#listeners) listener()
  }

  take(): string | undefined {
    const [key, ...rest] = this.#waiting
    this.#waiting = rest.join('')
    return key
  }

  /** Calls `run` at each press until it is released. */
  onKey(run: () => void): () => void {
    this.#listeners.add(run)
    return () => this.#listeners.delete(run)
  }
}
