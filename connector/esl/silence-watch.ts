import type { EslTimers } from './timers.ts'

/** The times and callbacks of a watch. */
export interface SilenceWatchOptions {
  readonly timers: EslTimers
  readonly silenceMs: number
  /** Called after half of it: a silent peer may have nothing to say unless asked. */
  readonly onQuiet: () => void
  /** Called once, after all of it; nothing is watched any more. */
  readonly onSilent: () => void
}

/** Notices that nothing comes any more, from when it was made. */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions
  #heardAt: number
  #cancel = () => {}

  constructor(options: SilenceWatchOptions) {
    this.#options = options
    this.#heardAt = options.timers.now()
    this.#look()
  }

  heard(): number {
    this.#heardAt = this.#options.timers.now()
    return this.#heardAt
  }

  stop(): void {
    this.#cancel()
  }

  /** One timer that is set anew only when it fires, not with every chunk. */
  #look(): void {
    const { timers, silenceMs, onQuiet, onSilent } = this.#options
    const silentMs = timers.now() - this.#heardAt
    if (silentMs >= silenceMs) return onSilent()
    const quietMs = silenceMs / 2
    if (silentMs >= quietMs) onQuiet()
    const nextMs = (silentMs < quietMs ? quietMs : silenceMs) - silentMs
    this.#cancel = timers.after(nextMs, () => this.#look())
  }
}
