import type { Running } from '../assembly/running.ts'
import { clockProblem } from './connector-health.ts'
import { type StatusReporter, statusReporter } from './status-report.ts'

/** Reports a running connector to the platform. */
export function ownStatus({
  parts,
  startedAt,
  events,
  works,
  runner,
  gateways,
  tally,
  clocks,
}: Running): StatusReporter {
  return statusReporter({
    ...parts,
    startedAt,
    store: parts.ports.connectorStatus,
    engines: works.map(({ engine }) => engine),
    channelsOf: (name) => works.find(({ engine }) => engine.name === name)?.held.count,
    clockProblem: (name) => clockProblem(clocks.behindMs(name)),
    hasGatewayTls: (name) => gateways.hasTls(name),
    eventLinks: () => events.links(),
    handedOverTo: () => parts.clock.now() - events.lagMs,
    keptTo: () => parts.clock.now() - events.unkeptMs,
    spool: () => parts.spool && { owner: parts.spool.owner.name, taken: tally.taken },
    queues: () => ({ inFlight: runner.inFlight, waiting: runner.waiting, byDomain: runner.byDomain() }),
  })
}
