import type { Log } from '../../adapters/log/logger.ts'
import { type Engine, isReady } from '../engine.ts'
import { type Timers, backoffMs, pause } from '../../core/concurrency/timers.ts'
import type { PreparedDrop } from './drop-registrations.ts'

/** Drops that are kept for one engine; of more the oldest is forgotten. */
const mostOwed = 1_000

/** An engine that drops are owed to. */
export type OwedEngine = Pick<Engine, 'name'> & { readonly commands: Pick<Engine['commands'], 'api' | 'state'> }

/**
 * Drops of accounts' registrations that an engine could not be given, or may not have received. No command repeats them,
 * because the account is gone. They are kept in memory, so they end with the process.
 */
export interface OwedDrops {
  /** Keeps a drop for an engine. `key` names what is dropped; what is owed already is owed once. */
  owe(engine: string, key: string, drop: PreparedDrop): void
  /**
   * Gives an engine whose command link came up what it is owed, until nothing is left or the link is lost; what fails is
   * tried again with growing waits. Never rejects.
   */
  settle(engine: OwedEngine): Promise<void>
}

/** Owes nothing yet. */
export function owedDrops(parts: {
  readonly timers: Timers
  readonly random: () => number
  readonly log: Log
}): OwedDrops {
  const { timers, random, log } = parts
  const owed = new Map<string, Map<string, PreparedDrop>>()

  const attempt = async ({ commands }: OwedEngine, drop: PreparedDrop): Promise<boolean> => {
    try {
      await drop(commands)
      return true
    } catch {
      return false
    }
  }

  return {
    owe: (engine, key, drop) => {
      const drops = owed.get(engine) ?? new Map<string, PreparedDrop>()
      owed.set(engine, drops)
      drops.delete(key)
      drops.set(key, drop)
      const [oldest] = drops.size > mostOwed ? drops.keys() : []
      if (oldest !== undefined) drops.delete(oldest)
    },
    settle: async (engine) => {
      const drops = owed.get(engine.name) ?? new Map<string, PreparedDrop>()
      let [done, failures] = [0, 0]
      for (let [next] = drops; next !== undefined && isReady(engine.commands); [next] = drops) {
        const [key, drop] = next
        if (await attempt(engine, drop)) {
          if (drops.get(key) === drop) drops.delete(key)
          done += 1
          failures = 0
        } else {
          failures += 1
          await pause(timers, backoffMs(failures, random))
        }
      }
      if (done > 0)
        log.info('registrations that an engine could not drop before are dropped', { engine: engine.name, drops: done })
    },
  }
}
