import type { Log } from '../adapters/log/logger.ts'
import { DomainError } from '../core/errors.ts'
import type { CommandReceiver, Ports } from '../core/ports.ts'
import { channelList } from './calls/channel-list.ts'
import { type ChannelRegistry, channelRegistry } from './calls/channel-registry.ts'
import { domainNames } from './calls/domain-names.ts'
import { type ChannelSources, findChannel } from './calls/find-channel.ts'
import { heedOthers } from './calls/others-word.ts'
import { commandIntake } from './commands/command-intake.ts'
import { fitnessJudge } from './commands/fitness.ts'
import { type LostClaims, lostClaims } from './commands/lost-claims.ts'
import { type CommandRunner, commandRunner } from './commands/command-runner.ts'
import type { EngineAddress } from './engine.ts'
import { type EngineWorks, type OpenLink, engineWorks } from './engine-works.ts'
import { type EventSide, eventSide } from './events/event-side.ts'
import { subscriptionTeller } from './events/subscription-teller.ts'
import { type ConnectorHealth, engineHealth } from './health/connector-health.ts'
import { reportStatus } from './health/status-report.ts'
import { buryConnectors } from './reconcile/undertaker.ts'
import type { SpoolPlace } from './spool/spool.ts'
import { type Time, type Timers, pause } from './timers.ts'

/** Calls that ring, and orders that are answered at once: what each engine is given at a time, and what may wait. */
const commandLimits = { calls: { places: 100, queue: 200 }, orders: { places: 100, queue: 200 } }

/**
 * Messages in hand: all that may wait, of each engine and of those that have yet to be found, and as many again, since
 * the queue hands out a second time what waits for longer than 10 s.
 */
const maxInHand = (engines: number) => 2 * (engines + 1) * (commandLimits.calls.queue + commandLimits.orders.queue)

/** How long a stopping connector waits for answers of the engines; calls that still ring end as unknown. */
const answersMs = 3_000

/** How long it then waits for the goodbyes of all engines together. */
const goodbyeMs = 1_500

/** How long it then takes to store that they did. */
const lastWritesMs = 1_000

/** How long putting on disk what could not be handed over may take at the very end. */
const spoolMs = 2_000

/** Channels of all domains. */
const everywhere = { domain: null, presenceId: null }

/** What a connector is made from: the ports that contracts/connector.ts names, and the world. */
export interface ConnectorParts extends Time {
  readonly ports: Pick<
    Ports,
    'commands' | 'events' | 'presence' | 'subscriptions' | 'domains' | 'connectorStatus' | 'gaps'
  >
  readonly receiver: CommandReceiver
  readonly openLink: OpenLink
  /** One at least, no two of one name. */
  readonly engines: readonly EngineAddress[]
  /** Names this process in claims and reports. */
  readonly connectorId: string
  readonly version: string
  /** Where events wait while the queue is away; in memory only where there is none. */
  readonly spool?: SpoolPlace | undefined
  /** A number from 0 up to but not 1. */
  readonly random: () => number
  readonly log: Log
}

/** A connector at work. */
export interface Connector {
  health(): ConnectorHealth
  /**
   * Takes no more commands, hands what it has to the queues, at most for `graceMs`, then lets go of the engines and
   * puts on disk what waits, which takes up to 4.5 s more. Answers how many events are lost.
   */
  stop(graceMs: number): Promise<number>
}

/** What a running connector consists of. */
interface Running {
  readonly parts: ConnectorParts
  readonly startedAt: number
  readonly registry: ChannelRegistry
  readonly events: EventSide
  readonly works: readonly EngineWorks[]
  readonly runner: CommandRunner
  readonly lost: LostClaims
}

/** Starts everything: the links, the intake of commands, the relay of events, the reports. */
export function startConnector(parts: ConnectorParts): Connector {
  const { clock } = parts
  const domains = domainNames(parts.ports.domains, clock)
  const registry = channelRegistry(domains)
  const shared = { ...parts, registry, domains }
  const events = eventSide({
    ...shared,
    engines: () => works.map(({ engine }) => engine),
    isUp: (uuid) => isUp({ registry, engines: works }, uuid),
  })
  const works = parts.engines.map((address) =>
    engineWorks({
      ...shared,
      address,
      words: events.words(),
      onEvent: (event, engine) => events.accept(event, engine),
      onUnreadable: (engine) => events.unreadable(engine),
      onEngine: (engine, kind) => events.engineChanged(engine, kind),
    }),
  )
  const runner = commandRunner({
    ...shared,
    engines: works,
    channels: channelList({ engines: works, registry }),
    store: parts.ports.commands,
    limits: commandLimits,
  })
  const lost = lostClaims({ ...parts, store: parts.ports.commands })
  const running = { parts, startedAt: clock.now(), registry, events, works, runner, lost }
  const stopping = new AbortController()
  const loops = startLoops(running, stopping.signal)
  return {
    health: () => health(running),
    stop: (graceMs) => {
      stopping.abort()
      return stop(running, loops, graceMs)
    },
  }
}

/**
 * No command is taken any more. While all engines are still there, their answers are waited for and events handed over;
 * then all are let go of at once, which ends what is open as unknown; then what that brought is written.
 */
async function stop({ parts, events, works, runner }: Running, loops: Promise<unknown>, graceMs: number) {
  const { timers } = parts
  const answered = loops.then(() => runner.settled())
  await within(timers, graceMs, Promise.all([events.flushed(), within(timers, answersMs, answered)]))
  const goodbyes = works.flatMap(({ engine }) => [engine.commands.close(), engine.events.close()])
  await within(timers, goodbyeMs, Promise.all(goodbyes))
  await within(timers, lastWritesMs, Promise.all([events.flushed(), answered]))
  let lost = events.waiting
  await within(
    timers,
    spoolMs,
    events.close().then((count) => (lost = count)),
  )
  return lost
}

/** Waits for something, but no longer than it may take. */
async function within(timers: Timers, ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  await Promise.race([work, pause(timers, ms, over.signal)])
  over.abort()
}

/** Whether a channel is up; `undefined` while its engine cannot be asked. */
async function isUp(sources: ChannelSources, uuid: string): Promise<boolean | undefined> {
  try {
    return (await findChannel(sources, uuid, everywhere, 'when unproven')) !== undefined
  } catch (problem) {
    if (problem instanceof DomainError) throw problem
    return undefined
  }
}

/** What goes on by itself until the connector stops. */
function startLoops({ parts, startedAt, events, works, runner, lost }: Running, signal: AbortSignal): Promise<unknown> {
  const fitness = fitnessJudge({
    ...parts,
    engines: works.map(({ engine }) => engine),
    store: parts.ports.connectorStatus,
  })
  const tellings = works.map(({ engine }) => subscriptionTeller(engine, () => events.words(), parts))
  const resubscribe = () => {
    for (const telling of tellings) telling.tell()
  }
  signal.addEventListener('abort', () => {
    for (const telling of tellings) telling.stop()
  })
  return Promise.all([
    events.follow(resubscribe, signal),
    commandIntake({ ...parts, runner, fitness, maxInHand: maxInHand(works.length) }).follow(signal),
    heedOthers({ ...parts, store: parts.ports.connectorStatus, works }, signal),
    buryConnectors(
      {
        ...parts,
        store: parts.ports.connectorStatus,
        gaps: parts.ports.gaps,
        links: () => events.links(),
        onDeadConnector: (connectorId) => lost.end(connectorId),
      },
      signal,
    ),
    reportStatus(
      {
        ...parts,
        startedAt,
        store: parts.ports.connectorStatus,
        engines: works.map(({ engine }) => engine),
        channelsOf: (name) => works.find(({ engine }) => engine.name === name)?.held.count,
        eventLinks: () => events.links(),
        queues: () => ({ inFlight: runner.inFlight, waiting: runner.waiting }),
      },
      signal,
    ),
  ])
}

function health({ parts, startedAt, registry, events, works, runner, lost }: Running): ConnectorHealth {
  const engines = works.map(({ engine }) => engineHealth(engine))
  const outcomes = Object.entries(runner.counts).map(([state, count]) => [`commands_${state}`, count] as const)
  return {
    status: engines.every(({ status }) => status === 'OK') ? 'OK' : 'error',
    connectorId: parts.connectorId,
    version: parts.version,
    startedAt,
    engines,
    lagMs: events.lagMs,
    counters: {
      ...events.counters(),
      channels: registry.size,
      channelsEvicted: registry.evicted,
      commandsInFlight: runner.inFlight,
      commandsWaiting: runner.waiting,
      commandsOfLostConnectors: lost.ended,
      answersLate: works.reduce((sum, { jobs }) => sum + jobs.late, 0),
      ...Object.fromEntries(outcomes),
    },
  }
}
