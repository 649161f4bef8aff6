import { callCheck } from './calls/find-channel.ts'
import { channelList } from './calls/channel-list.ts'
import { ChannelRegistry } from './calls/channel-registry.ts'
import { domainNames } from './calls/domain-names.ts'
import { gatewayAligner } from './commands/apply-gateway.ts'
import { CommandRunner } from './commands/command-runner.ts'
import { lostClaims } from './commands/lost-claims.ts'
import { commandLimits } from './commands/command-slots.ts'
import { wantedGateways } from './commands/align-gateways.ts'
import { engineRuntime } from './assembly/engine-runtime.ts'
import { EventPipeline } from './assembly/event-pipeline.ts'
import { EngineClocks } from './runtime/engine-clocks.ts'
import type { ReadField } from '../core/channels/leg.ts'
import { GatewayStates } from './gateways/gateway-states.ts'
import { type ConnectorHealth, ownStatus, readHealth } from './health/connector-health.ts'
import { commandTimes, metricReporter, readMetrics, timedBy } from './health/metrics.ts'
import { observationReport } from './health/observation-report.ts'
import { readingLink } from './runtime/reading-link.ts'
import { Recorder } from './recordings/recorder.ts'
import { compareGatewaysEachHour } from './recovery/align-engine.ts'
import type { ConnectorDeps } from './assembly/running.ts'
import { startLoops } from './start-loops.ts'
import { stopConnector } from './stop-connector.ts'

/** A connector at work. */
export interface Connector {
  health(): ConnectorHealth
  /**
   * Takes no more commands, hands what it has to the queues, at most for `graceMs`, then lets go of the engines and
   * writes waiting events to disk and reports how it ended, which takes up to 5 s more. Reports and metrics go on
   * meanwhile. Answers how many events are lost.
   */
  stop(graceMs: number): Promise<number>
}

const mostTaken = 20

/** Starts everything: the links, the intake of commands, the relay of events, the reports. */
export function startConnector(parts: ConnectorDeps): Connector {
  const { clock } = parts
  const domains = domainNames(parts.ports.domains, clock, parts.observing?.tenants)
  const clocks = new EngineClocks(clock)
  const registry = new ChannelRegistry(domains, { clocks })
  const isObserving = parts.observing !== undefined
  const openLink = isObserving ? readingLink(parts.openLink) : parts.openLink
  const aligner = gatewayAligner({ ...parts, wanted: wantedGateways(parts.ports) })
  const shared = { ...parts, openLink, isObserving, registry, domains, aligner, clocks }
  const tally = { gapsOfLost: 0, outOfReach: new Array<string>(), taken: new Array<string>() }
  const onTaken = (owner: string) => void (tally.taken = [...tally.taken.slice(1 - mostTaken), owner])
  const engines = () => works.map(({ engine }) => engine)
  const events = new EventPipeline({
    ...shared,
    spool: parts.spool && { ...parts.spool, onTaken },
    engines,
    ...(isObserving ? { onUnowned: (read: ReadField) => observed.unowned(read) } : {}),
    onChannelEvent: (event, domain, channel) => recorder.hear(event, domain, channel),
  })
  const states = parts.ports.gatewayStates
  const gateways = new GatewayStates({ ...shared, store: states })
  const observed = observationReport({ ...parts, counters: () => events.counters() })
  const works = parts.engines.map((address) =>
    engineRuntime({
      ...shared,
      address,
      words: events.words(),
      onEvent: (event, engine) => {
        gateways.hear(event, engine)
        events.accept(event, engine)
      },
      onUnreadable: (engine) => events.unreadable(engine),
      onCommandLink: (engine) => runner.linkUp(engine),
      onEngine: (engine, kind) => {
        events.engineChanged(engine, kind)
        if (kind === 'engine_connected') gateways.linkUp(engine)
        else gateways.linkDown(engine.name)
      },
    }),
  )
  const isUp = callCheck({ ...shared, engines: works })
  const recorder = new Recorder({ ...shared, isUp })
  const times = commandTimes(parts.random)
  const orders = { store: parts.ports.commands, accounts: parts.ports.accounts, limits: commandLimits }
  const runner = new CommandRunner({
    ...shared,
    ...timedBy(times, clock),
    engines: works,
    channels: channelList({ engines: works, registry }),
    ...orders,
  })
  const lost = lostClaims({ ...parts, store: parts.ports.commands })
  const others = { gateways, recorder, lost, clocks, tally }
  const running = { parts, startedAt: clock.now(), registry, events, works, runner, ...others }
  const status = ownStatus(running)
  const [stopping, stopped] = [new AbortController(), new AbortController()]
  const reporter =
    parts.metrics &&
    metricReporter({ ...parts, metrics: parts.metrics, times, read: () => readMetrics(readHealth(running)) })
  const loops = Promise.all([
    startLoops(running, status, stopping.signal),
    isObserving ? observed.follow(stopping.signal) : gateways.follow(stopping.signal),
    isObserving || compareGatewaysEachHour(works, shared, stopping.signal),
  ])
  // Its lines are a sign of life, too, so they go on while it stops.
  void reporter?.follow(stopped.signal)
  return {
    health: () => readHealth(running),
    stop: (graceMs) => {
      stopping.abort()
      return stopConnector(running, status, loops, graceMs).finally(() => {
        stopped.abort()
        reporter?.write()
      })
    },
  }
}
