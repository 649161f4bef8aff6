import type { Log } from '../adapters/log/logger.ts'
import { DomainError } from '../core/errors.ts'
import type { CommandReceiver, Ports } from '../core/ports.ts'
import { type ChannelRegistry, channelRegistry } from './calls/channel-registry.ts'
import { domainNames } from './calls/domain-names.ts'
import { type ChannelSources, findChannel } from './calls/find-channel.ts'
import { commandIntake } from './commands/command-intake.ts'
import { type CommandRunner, commandRunner } from './commands/command-runner.ts'
import { slots } from './commands/slots.ts'
import { type EngineAddress, type EngineWorks, type OpenLink, engineWorks } from './engine-works.ts'
import { type EventSide, eventSide } from './events/event-side.ts'
import { type ConnectorHealth, engineHealth } from './health/connector-health.ts'
import { reportStatus } from './health/status-report.ts'
import { type Time, type Timers, pause } from './timers.ts'

/** Calls that ring, and orders that are answered at once: what an engine is given at a time, and what may wait. */
const callLimits = { places: 100, queue: 200 }
const orderLimits = { places: 100, queue: 200 }

/** How long a stopping connector waits for answers of the engine; calls that still ring end as unknown. */
const answersMs = 3_000

/** How long it then takes to store that they did. */
const lastWritesMs = 1_000

/** How long after an engine could not be told what to send it is told again. */
const resubscribeMs = 1_000

/** Channels of all domains. */
const everywhere = { domain: null, presenceId: null }

/** What a connector is made from: the ports that contracts/connector.ts names, and the world. */
export interface ConnectorParts extends Time {
  readonly ports: Pick<Ports, 'commands' | 'events' | 'presence' | 'subscriptions' | 'domains' | 'connectorStatus'>
  readonly receiver: CommandReceiver
  readonly openLink: OpenLink
  readonly engine: EngineAddress
  /** Names this process in claims and reports. */
  readonly connectorId: string
  readonly version: string
  /** A number from 0 up to but not 1. */
  readonly random: () => number
  readonly log: Log
}

/** A connector at work. */
export interface Connector {
  health(): ConnectorHealth
  /**
   * Takes no more commands, hands what it has to the queues, at most for `graceMs`, then lets go of the engine.
   * Answers how many events could not be handed over.
   */
  stop(graceMs: number): Promise<number>
}

/** What a running connector consists of. */
interface Running {
  readonly parts: ConnectorParts
  readonly startedAt: number
  readonly registry: ChannelRegistry
  readonly events: EventSide
  readonly works: EngineWorks
  readonly runner: CommandRunner
}

/** Starts everything: the links, the intake of commands, the relay of events, the reports. */
export function startConnector(parts: ConnectorParts): Connector {
  const { clock, timers } = parts
  const domains = domainNames(parts.ports.domains, clock)
  const registry = channelRegistry(domains)
  const shared = { ...parts, registry, domains }
  const events = eventSide({
    ...shared,
    isUp: (uuid) => isUp({ registry, link: works.engine.commands, engineName: works.engine.name }, uuid),
  })
  const works = engineWorks({
    ...shared,
    address: parts.engine,
    words: events.words(),
    onEvent: (event) => events.accept(event, works.engine.name),
    onEngine: (engine, kind) => events.engineChanged(engine, kind),
  })
  const runner = commandRunner({
    ...shared,
    link: works.engine.commands,
    engineName: works.engine.name,
    jobs: works.jobs,
    channels: works.channels,
    store: parts.ports.commands,
    callSlots: slots({ clock, timers, ...callLimits }),
    orderSlots: slots({ clock, timers, ...orderLimits }),
  })
  const running = { parts, startedAt: clock.now(), registry, events, works, runner }
  const stopping = new AbortController()
  const loops = startLoops(running, stopping.signal)
  return {
    health: () => health(running),
    stop: async (graceMs) => {
      stopping.abort()
      const answered = loops.then(() => runner.settled())
      await within(timers, graceMs, Promise.all([events.flushed(), within(timers, answersMs, answered)]))
      await Promise.all([works.engine.commands.close(), works.engine.events.close()])
      await within(timers, lastWritesMs, Promise.all([events.flushed(), answered]))
      return events.waiting
    },
  }
}

/** Waits for something, but no longer than it may take. */
async function within(timers: Timers, ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  await Promise.race([work, pause(timers, ms, over.signal)])
  over.abort()
}

/** Whether a channel is up, as far as can be told: while the engine cannot be asked, what nobody tells of is not. */
async function isUp(sources: ChannelSources, uuid: string): Promise<boolean> {
  try {
    return (await findChannel(sources, uuid, everywhere, 'when unproven')) !== undefined
  } catch (problem) {
    if (problem instanceof DomainError) throw problem
    return false
  }
}

/** What goes on by itself until the connector stops. */
function startLoops({ parts, startedAt, events, works, runner }: Running, signal: AbortSignal): Promise<unknown> {
  const { log, timers } = parts
  let cancelRetry = () => {}
  const resubscribe = () => {
    works.engine.events.resubscribe(events.words()).catch((problem: unknown) => {
      log.warn('the engine could not be told what to send', { reason: problem instanceof Error ? problem.name : '' })
      cancelRetry()
      cancelRetry = timers.after(resubscribeMs, resubscribe)
    })
  }
  signal.addEventListener('abort', () => cancelRetry())
  return Promise.all([
    events.follow(resubscribe, signal),
    commandIntake({ ...parts, runner }).follow(signal),
    reportStatus(
      {
        ...parts,
        startedAt,
        store: parts.ports.connectorStatus,
        engines: [works.engine],
        queues: () => ({ inFlight: runner.inFlight, waiting: runner.waiting }),
      },
      signal,
    ),
  ])
}

function health({ parts, startedAt, registry, events, works, runner }: Running): ConnectorHealth {
  const engine = engineHealth(works.engine)
  const outcomes = Object.entries(runner.counts).map(([state, count]) => [`commands_${state}`, count] as const)
  return {
    status: engine.commands.state === 'ready' && engine.events.state === 'ready' ? 'OK' : 'error',
    connectorId: parts.connectorId,
    version: parts.version,
    startedAt,
    engines: [engine],
    lagMs: events.lagMs,
    counters: {
      ...events.counters(),
      channels: registry.size,
      channelsEvicted: registry.evicted,
      commandsInFlight: runner.inFlight,
      commandsWaiting: runner.waiting,
      answersLate: works.jobs.late,
      ...Object.fromEntries(outcomes),
    },
  }
}
