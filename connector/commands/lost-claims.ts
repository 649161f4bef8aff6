import type { Log } from '../../adapters/log/logger.ts'
import type { CommandStore } from '../../core/commands/command-store.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'

/**
 * The caller of a command waits 20 s for its outcome. Commands that were claimed since then may belong to a living
 * connector whose reports were lost: a caller that still waits must not get a false loss.
 */
export const waitedMs = 20_000

/** Calls of the store for one connector: 20 000 commands, far more than one has open. */
const maxPages = 200

/** The index lags a moment after a write. */
const indexMs = 1_000

/** Ends what dead connectors left open. */
export interface LostClaims {
  /**
   * Ends every command that a connector claimed and left without an outcome as unknown. May be called again, by any
   * number of connectors, also of one that only was silent: the first outcome of each command stays. Rejects when the
   * store is gone, or when more is left than one connector can have open: then it is to be called again.
   */
  end(connectorId: string): Promise<void>
  readonly ended: number
}

/** Makes one. */
export function lostClaims({
  store,
  clock,
  timers,
  log,
}: Time & { readonly store: Pick<CommandStore, 'endClaimsOf'>; readonly log: Log }): LostClaims {
  let total = 0
  return {
    end: async (connectorId) => {
      let commands = 0
      for (let page = 0; page < maxPages; page += 1) {
        const { ended, more } = await store.endClaimsOf(connectorId, clock.now() - waitedMs)
        commands += ended
        total += ended
        if (!more) {
          if (commands > 0) log.warn('a lost connector left commands open', { lostConnector: connectorId, commands })
          return
        }
        if (ended === 0) await pause(timers, indexMs)
      }
      throw new Error('a lost connector has left more commands open than can be')
    },
    get ended() {
      return total
    },
  }
}
