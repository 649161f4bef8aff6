import type { ReadField } from '../core/channels/leg.ts'
import { channelList } from './calls/channel-list.ts'
import { ChannelRegistry } from './calls/channel-registry.ts'
import { type DomainNames, domainNames } from './calls/domain-names.ts'
import { wantedGateways } from './commands/align-gateways.ts'
import { gatewayAligner } from './commands/apply-gateway.ts'
import { CommandRunner } from './commands/command-runner.ts'
import { commandLimits } from './commands/command-slots.ts'
import { lostClaims } from './commands/lost-claims.ts'
import { type EngineListener, EngineRuntime } from './assembly/engine-runtime.ts'
import { EventPipeline } from './assembly/event-pipeline.ts'
import type { ConnectorDeps, Running } from './assembly/running.ts'
import { subscriptions } from './events/subscriptions.ts'
import { GatewayStates } from './gateways/gateway-states.ts'
import { commandTimes, timedBy } from './health/metrics.ts'
import { type ObservationReport, observationReport } from './health/observation-report.ts'
import { Recorder } from './recordings/recorder.ts'
import { EngineClocks } from './runtime/engine-clocks.ts'
import { readingLink } from './runtime/reading-link.ts'

const mostTaken = 20

/** The components of a running connector, with those that only its loops need. */
export interface Composition extends Running {
  readonly observed: ObservationReport
  readonly times: ReturnType<typeof commandTimes>
}

/**
 * Makes the components of a connector, each from those above it, and opens the links to the engines. Nothing is heard
 * of an engine before the event loop turns.
 */
export function composeConnector(parts: ConnectorDeps): Composition {
  const { clock, ports, observing } = parts
  const domains = domainNames(ports.domains, clock, observing?.tenants)
  const clocks = new EngineClocks(clock)
  const registry = new ChannelRegistry(domains, { clocks })
  const wanted = subscriptions({ ...parts, reader: ports.subscriptions })
  const aligner = gatewayAligner({ ...parts, wanted: wantedGateways(ports) })
  const openLink = observing === undefined ? parts.openLink : readingLink(parts.openLink)
  const shared = { ...parts, openLink, isObserving: observing !== undefined, registry, domains, aligner, clocks }

  const words = wanted.engineWords()
  const works = parts.engines.map((address) => new EngineRuntime({ ...shared, address, words }))

  const recorder = new Recorder(parts)
  const observed = observationReport(parts)
  const tally: Running['tally'] = { gapsOfLost: 0, outOfReach: [], taken: [] }
  const events = eventPipeline({ ...shared, wanted, works, recorder, observed, tally })
  const gateways = new GatewayStates({ ...shared, store: ports.gatewayStates })
  const times = commandTimes(parts.random)
  const runner = commandRunner({ ...shared, works, times })
  const lost = lostClaims({ ...parts, store: ports.commands })

  const listener = engineListener({ events, gateways, runner })
  for (const work of works) work.listen(listener)
  const base = { parts, startedAt: clock.now(), registry, wanted, clocks, aligner, works }
  return { ...base, events, recorder, observed, gateways, times, runner, lost, tally }
}

type Shared = ConnectorDeps &
  Pick<Running, 'registry' | 'clocks' | 'works' | 'aligner'> & {
    readonly domains: DomainNames
    readonly isObserving: boolean
  }

function eventPipeline({
  works,
  recorder,
  observed,
  tally,
  ...shared
}: Shared & Pick<Composition, 'recorder' | 'observed' | 'tally' | 'wanted'>): EventPipeline {
  const onTaken = (owner: string) => void (tally.taken = [...tally.taken.slice(1 - mostTaken), owner])
  return new EventPipeline({
    ...shared,
    engines: works.map(({ engine }) => engine),
    spool: shared.spool && { ...shared.spool, onTaken },
    onChannelEvent: (event, domain, channel) => recorder.hear(event, domain, channel),
    ...(shared.isObserving ? { onUnowned: (read: ReadField) => observed.unowned(read) } : {}),
  })
}

function commandRunner({ works, times, ...shared }: Shared & Pick<Composition, 'times'>): CommandRunner {
  const { ports, clock, registry } = shared
  return new CommandRunner({
    ...shared,
    ...timedBy(times, clock),
    engines: works,
    channels: channelList({ engines: works, registry }),
    store: ports.commands,
    accounts: ports.accounts,
    limits: commandLimits,
  })
}

function engineListener({
  events,
  gateways,
  runner,
}: {
  readonly events: EventPipeline
  readonly gateways: GatewayStates
  readonly runner: CommandRunner
}): EngineListener {
  return {
    event: (event, engine) => {
      gateways.hear(event, engine)
      events.accept(event, engine)
    },
    room: () => events.room(),
    unreadable: (engine) => events.unreadable(engine),
    commandLinkUp: (engine) => runner.linkUp(engine),
    changed: (engine, kind) => {
      events.engineChanged(engine, kind)
      if (kind === 'engine_connected') gateways.linkUp(engine)
      else gateways.linkDown(engine.name)
    },
  }
}
