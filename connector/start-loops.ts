import { writeBehind } from '../core/concurrency/write-behind.ts'
import { readPeerReports } from './calls/peer-reports.ts'
import { commandIntake, fitnessJudge } from './commands/command-intake.ts'
import { commandLimits } from './commands/command-slots.ts'
import type { StatusReporter } from './health/status-report.ts'
import type { Gap } from '../core/events/gap.ts'
import { compareGatewaysEachHour } from './recovery/align-engine.ts'
import { recordDeadConnectors } from './recovery/dead-connectors.ts'
import type { Running } from './assembly/running.ts'
import type { Composition } from './compose.ts'

/**
 * Messages in hand: all that may wait, of each engine and of those that have yet to be found, lists, and as many again,
 * since the queue hands out a second time what waits for longer than 10 s.
 */
export function maxInHand(engines: number): number {
  const { calls, orders, lists } = commandLimits
  return 2 * ((engines + 1) * (calls.queue + orders.queue) + lists.queue)
}

/** Starts the loops that run until the connector stops. */
export function startLoops(running: Composition, status: StatusReporter, signal: AbortSignal): Promise<unknown> {
  const { parts, startedAt, events, works, runner, recorder, tally, aligner, gateways, observed } = running
  const store = parts.ports.connectorStatus
  const engines = works.map(({ engine }) => engine)
  const fitness = fitnessJudge({ ...parts, engines, store })
  const onOutOfReach = (names: readonly string[]) => void (tally.outOfReach = names)
  return Promise.all([
    followSubscriptions(running, signal),
    recorder.follow(signal),
    commandIntake({ ...parts, runner, fitness, maxInHand: maxInHand(works.length) }).follow(signal),
    readPeerReports({ ...parts, store, works, startedAt, onOutOfReach }, signal),
    followDeadConnectors(running, signal),
    status.follow(signal),
    parts.observing === undefined
      ? Promise.all([gateways.follow(signal), compareGatewaysEachHour(works, { ...parts, aligner }, signal)])
      : observed.follow(() => events.counters(), signal),
  ])
}

function followSubscriptions({ parts, events, works, wanted }: Running, signal: AbortSignal): Promise<void> {
  // Each engine has its own, so that one that does not answer delays no other. A link that is down begins with words.
  const updaters = works.map(({ engine: { name, events: link } }) =>
    writeBehind({
      ...parts,
      write: async () => {
        await link.resubscribe(wanted.engineWords())
        events.subscribed(name)
        return false
      },
      onFailure: (problem) => {
        const reason = problem instanceof Error ? problem.name : ''
        parts.log.warn('the subscription of an engine could not be updated', { engine: name, reason })
      },
    }),
  )
  const resubscribe = () => {
    for (const updater of updaters) updater.wake()
  }
  return events.follow(resubscribe, signal)
}

function followDeadConnectors(
  { parts, events, gateways, runner, lost, tally }: Running,
  signal: AbortSignal,
): Promise<void> {
  const { connectorStatus: store, gaps } = parts.ports
  const record = async (gap: Gap) => {
    const isOwn = await gaps.record(gap)
    if (isOwn) tally.gapsOfLost += 1
    return isOwn
  }
  const onDeadConnector = (connectorId: string) => {
    events.othersGone()
    gateways.storeAll()
    runner.othersGone()
    return lost.end(connectorId)
  }
  return recordDeadConnectors({ ...parts, store, gaps: { record }, onDeadConnector }, signal)
}
