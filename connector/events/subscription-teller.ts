import type { Log } from '../../adapters/log/logger.ts'
import type { Engine } from '../runtime/engine.ts'
import type { Timers } from '../../core/concurrency/timers.ts'

/** How long after an engine could not be told what to send it is told again. */
const againMs = 1_000

/** Tells one engine what its event link is to send. */
export interface SubscriptionTeller {
  /** Tells the words of this moment; an engine that cannot be told is told again each second, the words of then. */
  tell(): void
  /** Gives up what is still to be told. */
  stop(): void
}

/** Each engine has one of its own: one that does not listen keeps no other from being told. */
export function subscriptionTeller(
  { name, events }: Pick<Engine, 'name'> & { readonly events: Pick<Engine['events'], 'resubscribe'> },
  words: () => readonly string[],
  { log, timers, onTold }: { readonly log: Log; readonly timers: Timers; readonly onTold?: () => void },
): SubscriptionTeller {
  let cancel = () => {}
  let isStopped = false

  const tell = (): void => {
    cancel()
    events.resubscribe(words()).then(onTold, (problem: unknown) => {
      const reason = problem instanceof Error ? problem.name : ''
      log.warn('an engine could not be told what to send', { engine: name, reason })
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
