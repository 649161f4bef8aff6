import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { environment } from '../../contracts/environment.ts'
import type { Environment } from '../functions/function-environment.ts'

/** The options of a connector process. */
export interface ConnectorProcessOptions {
  /** The build folder of its image, which holds `main.mjs`. */
  readonly directory: string
  readonly environment: Environment
  readonly home: string
  readonly log: Writable
  readonly onRestart: (sentence: string) => void
}

/** The most disk space that events take on a laptop while their queue is unreachable. */
const spoolBytes = 64 * 1024 * 1024

/** Young objects get 8 MB a space, as in the main process, also on machines where Node would choose less. */
const semiSpaceMb = 8

const preload = fileURLToPath(new URL('../processes/leave-with-parent.mjs', import.meta.url))

/** Waits between restarts grow from a quarter of a second to ten. */
const firstWaitMs = 250
const maxWaitMs = 10_000
/** A connector that ran this long had a good start: waiting times start from the beginning. */
const steadyMs = 30_000
/** The time for its work when it is asked to end, by which it plans its stop. Short, since its disk stays. */
export const patienceSeconds = 30

/** Keeps one connector process running, as the container service would. */
export class ConnectorProcess {
  readonly #options: ConnectorProcessOptions
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #waitMs = firstWaitMs
  #startedAt = 0
  #stopping = false

  constructor(options: ConnectorProcessOptions) {
    this.#options = options
    mkdirSync(options.home, { recursive: true, mode: 0o700 })
    this.#start()
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Asks it to end, waits, and kills it when it takes too long. */
  async stop(): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#timer)
    const child = this.#child
    if (child === undefined) return
    const ended = once(child, 'exit')
    if (child.connected) child.send('stop')
    const timer = setTimeout(() => child.kill('SIGKILL'), patienceSeconds * 1_000)
    await ended
    clearTimeout(timer)
  }

  #start(): void {
    const { directory, environment: given, home, log } = this.#options
    this.#startedAt = Date.now()
    const child = fork(join(directory, 'main.mjs'), {
      cwd: home,
      env: {
        ...given,
        HOME: home,
        [environment.stopSeconds]: String(patienceSeconds),
        [environment.spoolDir]: join(home, 'spool'),
        [environment.spoolBytes]: String(spoolBytes),
      },
      execArgv: [`--max-semi-space-size=${semiSpaceMb}`, '--import', preload],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C at a terminal is for the platform, which then stops its connector in order.
      detached: true,
    })
    child.stdout?.pipe(log, { end: false })
    child.stderr?.pipe(log, { end: false })
    child.once('exit', (code, signal) => this.#ended(code, signal))
    // An exit follows a failed start as well; without a listener the error would end the platform.
    child.on('error', (error) => log.write(`connector: ${error.message}\n`))
    this.#child = child
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    this.#child = undefined
    if (this.#stopping) return
    if (Date.now() - this.#startedAt > steadyMs) this.#waitMs = firstWaitMs
    this.#options.onRestart(`the connector ended (${signal ?? `code ${code}`}) and starts again in ${this.#waitMs} ms`)
    this.#timer = setTimeout(() => this.#start(), this.#waitMs)
    this.#waitMs = Math.min(this.#waitMs * 2, maxWaitMs)
  }
}
