import { readPeerReports } from './calls/peer-reports.ts'
import { commandIntake } from './commands/command-intake.ts'
import { fitnessJudge } from './commands/fitness.ts'
import { commandLimits } from './commands/places.ts'
import { subscriptionUpdater } from './events/subscription-updater.ts'
import type { StatusReporter } from './health/status-report.ts'
import { recordDeadConnectors } from './reconcile/dead-connectors.ts'
import type { Running } from './assembly/running.ts'

/**
 * Messages in hand: all that may wait, of each engine and of those that have yet to be found, lists, and as many again,
 * since the queue hands out a second time what waits for longer than 10 s.
 */
export function maxInHand(engines: number): number {
  const { calls, orders, lists } = commandLimits
  return 2 * ((engines + 1) * (calls.queue + orders.queue) + lists.queue)
}

/** Starts the loops that run until the connector stops. */
export function startLoops(
  { parts, startedAt, events, works, runner, recorder, lost, gateways, tally }: Running,
  status: StatusReporter,
  signal: AbortSignal,
): Promise<unknown> {
  const fitness = fitnessJudge({
    ...parts,
    engines: works.map(({ engine }) => engine),
    store: parts.ports.connectorStatus,
  })
  const tellings = works.map(({ engine }) =>
    subscriptionUpdater(engine, () => events.words(), { ...parts, onUpdated: () => events.subscribed(engine.name) }),
  )
  const resubscribe = () => {
    for (const telling of tellings) telling.tell()
  }
  signal.addEventListener('abort', () => {
    for (const telling of tellings) telling.stop()
  })
  return Promise.all([
    events.follow(resubscribe, signal),
    recorder.follow(signal),
    commandIntake({ ...parts, runner, fitness, maxInHand: maxInHand(works.length) }).follow(signal),
    readPeerReports(
      {
        ...parts,
        store: parts.ports.connectorStatus,
        works,
        startedAt,
        onOutOfReach: (engines) => void (tally.outOfReach = engines),
      },
      signal,
    ),
    recordDeadConnectors(
      {
        ...parts,
        store: parts.ports.connectorStatus,
        gaps: {
          record: async (gap) => {
            const isOwn = await parts.ports.gaps.record(gap)
            if (isOwn) tally.gapsOfLost += 1
            return isOwn
          },
        },
        onDeadConnector: (connectorId) => {
          events.othersGone()
          gateways.storeAll()
          runner.othersGone()
          return lost.end(connectorId)
        },
      },
      signal,
    ),
    status.follow(signal),
  ])
}
