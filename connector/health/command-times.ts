import { maxValues } from '../../adapters/metrics/emf-metrics.ts'
import type { CommandMessage } from '../../contracts/messages/command.ts'
import type { TimeMetric } from '../../contracts/metrics.ts'
import type { Clock } from '../../core/time.ts'
import type { RunnerDeps } from '../commands/command-runner.ts'
import { type Times, times } from '../runtime/times.ts'

/** Orders to a call: what an engine does at once. A list, and whatever rings a phone, take as long as they take. */
const orders: ReadonlySet<CommandMessage['command']['kind']> = new Set(['hold', 'unhold', 'hangup'])

/**
 * Makes samples of command times, each as large as one line of metrics can hold. `random` returns 0 up to but not 1.
 */
export function commandTimes(random: () => number): Readonly<Record<TimeMetric, Times>> {
  return { CommandDelay: times(maxValues, random), OrderTime: times(maxValues, random) }
}

/** Returns the callbacks of a runner that note the times of commands. */
export function timedBy(
  kept: Readonly<Record<TimeMetric, Times>>,
  clock: Clock,
): Required<Pick<RunnerDeps, 'onSent' | 'onEnded'>> {
  const since = ({ createdAt }: CommandMessage) => clock.now() - createdAt
  return {
    onSent: (message) => kept.CommandDelay.note(since(message)),
    onEnded: (message) => {
      if (orders.has(message.command.kind)) kept.OrderTime.note(since(message))
    },
  }
}
