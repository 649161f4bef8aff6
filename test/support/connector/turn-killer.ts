import type { ConnectorPair } from './connector-pair.ts'

/** Kills the connectors of a pair in turn, each time while the other one is whole. */
export interface TurnKiller {
  /** An event was sent: now may be the moment. */
  tick(): void
  readonly kills: number
  /** Lets what is under way end, and kills no more. */
  stop(): void
}

/** How often the platform is asked whether both are whole, after one was killed. */
const lookMs = 200

/**
 * A connector is killed, `most` times in all and without warning, a number of events after both were whole that
 * `random` (0 to 1) chooses, up to `within`. Whether both are whole is read from their own reports, so a reader of
 * these can kill by them.
 */
export function turnKiller(
  pair: ConnectorPair,
  random: () => number,
  { within, most }: { readonly within: number; readonly most: number },
): TurnKiller {
  let victim: 0 | 1 = 0
  let kills = 0
  /** Events until the next kill, while both are whole. */
  let left: number | undefined
  const over = new AbortController()

  const untilWhole = async () => {
    while (!over.signal.aborted && pair.engine.listeners < 2) await pause()
    // A connector speaks for another one that was heard a second after its own link came up: clocks may differ by that.
    const since = Date.now() + 1_000
    while (!over.signal.aborted && !(await pair.isWhole(since))) await pause()
    if (!over.signal.aborted) left = 1 + Math.floor(random() * within)
  }
  const pause = () => new Promise((resolve) => setTimeout(resolve, lookMs))

  const kill = () => {
    const { pid } = pair.connectors[victim]
    if (pid === undefined) return
    left = undefined
    kills += 1
    victim = victim === 0 ? 1 : 0
    const { engine } = pair
    engine.onListeners = () => {
      engine.onListeners = () => {}
      void untilWhole()
    }
    process.kill(pid, 'SIGKILL')
  }

  void untilWhole()
  return {
    tick: () => {
      if (left === undefined || kills === most || over.signal.aborted) return
      left -= 1
      if (left <= 0) kill()
    },
    get kills() {
      return kills
    },
    stop: () => {
      over.abort()
    },
  }
}
