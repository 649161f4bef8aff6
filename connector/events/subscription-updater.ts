import type { Log } from '../../adapters/log/logger.ts'
import type { Engine } from '../runtime/engine.ts'
import type { Timers } from '../../core/concurrency/timers.ts'

const againMs = 1_000

/** Keeps the subscription of one engine's event link up to date. */
export interface SubscriptionUpdater {
  /** Sends the present words; after a failure it retries every second with the latest ones. */
  tell(): void
  stop(): void
}

/**
 * Makes the updater of one engine's subscription. Each engine has its own, so that one that does not answer delays no
 * other.
 */
export function subscriptionUpdater(
  { name, events }: Pick<Engine, 'name'> & { readonly events: Pick<Engine['events'], 'resubscribe'> },
  words: () => readonly string[],
  { log, timers, onUpdated }: { readonly log: Log; readonly timers: Timers; readonly onUpdated?: () => void },
): SubscriptionUpdater {
  let cancel = () => {}
  let isStopped = false

  const tell = (): void => {
    cancel()
    events.resubscribe(words()).then(onUpdated, (problem: unknown) => {
      const reason = problem instanceof Error ? problem.name : ''
      log.warn('the subscription of an engine could not be updated', { engine: name, reason })
      cancel()
      if (!isStopped) cancel = timers.after(againMs, tell)
    })
  }

  return {
    tell,
    stop: () => {
      isStopped = true
      cancel()
    },
  }
}
