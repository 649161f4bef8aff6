import type { Log } from '../../adapters/log/logger.ts'
import { type Engine, isReady } from '../runtime/engine.ts'
import { type RetryDeps, retry } from '../../core/concurrency/retry.ts'
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
export function owedDrops({ timers, random, log }: RetryDeps & { readonly log: Log }): OwedDrops {
  const owed = new Map<string, Map<string, PreparedDrop>>()

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
      let done = 0
      for (const [key, drop] of drops) {
        const mayTry = () => isReady(engine.commands) && drops.get(key) === drop
        if ((await retry(() => drop(engine.commands), { timers, random }, { mayTry })) === undefined) continue
        if (drops.get(key) === drop) drops.delete(key)
        done += 1
      }
      if (done > 0)
        log.info('registrations that an engine could not drop before are dropped', { engine: engine.name, drops: done })
    },
  }
}
