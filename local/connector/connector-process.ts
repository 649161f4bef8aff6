import { fork } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { environment } from '../../contracts/environment.ts'
import { type Environment, type Run, Supervised, type SupervisedOptions, endOf, signalGroup } from '@callplane/laptop'

/** The options of a connector process. */
export interface ConnectorProcessOptions extends Pick<SupervisedOptions<Run>, 'ask' | 'logFile'> {
  /** The build folder of its image, which holds `main.mjs`. */
  readonly directory: string
  readonly environment: Environment
  readonly home: string
  readonly log: Writable
}

/** The most disk space that events take on a laptop while their queue is unreachable. */
const spoolBytes = 64 * 1024 * 1024

/** Young objects get 8 MB a space, as in the main process, also on machines where Node would choose less. */
const semiSpaceMb = 8

const preload = fileURLToPath(new URL('../processes/leave-with-parent.mjs', import.meta.url))

/** The time for its work when it is asked to end, by which it plans its stop. Short, since its disk stays. */
export const patienceSeconds = 30

interface ConnectorRun extends Run {
  readonly pid: number | undefined
  askToStop(): void
}

/** Keeps one connector process running, as the container service would. */
export class ConnectorProcess {
  readonly #supervised: Supervised<ConnectorRun>

  constructor(options: ConnectorProcessOptions) {
    mkdirSync(options.home, { recursive: true, mode: 0o700 })
    this.#supervised = new Supervised({ ...options, name: 'the connector', start: () => start(options) })
  }

  get pid(): number | undefined {
    return this.#supervised.run?.pid
  }

  /** Asks it to end, waits, and kills it when it takes too long. */
  async stop(): Promise<void> {
    const run = this.#supervised.release()
    if (run === undefined) return
    run.askToStop()
    const timer = setTimeout(() => run.signal('SIGKILL'), patienceSeconds * 1_000)
    await run.ended
    clearTimeout(timer)
  }
}

function start({ directory, environment: given, home, log }: ConnectorProcessOptions): ConnectorRun {
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
  return {
    pid: child.pid,
    ended: endOf(child),
    signal: (name) => signalGroup(child, name),
    askToStop: () => {
      if (child.connected) child.send('stop')
    },
  }
}
