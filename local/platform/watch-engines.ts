import { RepeatedCall } from '@callplane/laptop'
import { type EngineState, readEngines } from './read-engines.ts'

const everyMs = 1000

/** Prints a line when an engine goes offline, with the reason, and when it is online again. */
export class EngineWatch {
  readonly #offline = new Map<string, string>()
  readonly #healthUrl: string
  readonly #notice: (line: string) => void
  #repeated: RepeatedCall | undefined

  constructor(healthUrl: string, notice: (line: string) => void) {
    this.#healthUrl = healthUrl
    this.#notice = notice
  }

  async start(): Promise<void> {
    await this.#look()
    this.#repeated = new RepeatedCall({ everyMs, call: () => this.#look(), onError: () => {} })
  }

  async stop(): Promise<void> {
    await this.#repeated?.stop()
  }

  async #look(): Promise<void> {
    for (const engine of (await readEngines(this.#healthUrl)) ?? []) this.see(engine)
  }

  /** Records the state of one engine; an unknown state changes nothing. */
  see({ name, online, problem }: EngineState): void {
    if (online && this.#offline.delete(name)) this.#notice(`engine ${name} is online`)
    if (online || problem === undefined || this.#offline.get(name) === problem) return
    this.#offline.set(name, problem)
    this.#notice(`engine ${name} is offline (${problem}); /health answers 503 until it is online`)
  }
}
