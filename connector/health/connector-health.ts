import type { Engine, EngineLink } from '../runtime/engine.ts'
import type { EslDownReason } from '@callplane/esl'
import type { Running } from '../assembly/running.ts'
import { type StatusReporter, statusReporter } from './status-report.ts'

/** Where one link stands. */
export interface LinkHealth {
  readonly state: 'connecting' | 'ready' | 'down'
  readonly reason?: EslDownReason
  /** Epoch milliseconds of the last byte; 0 before the first. */
  readonly heardAt: number
  readonly connections: number
  readonly unreadableEvents: number
  readonly lateReplies: number
  /** Replies that no waiting command had asked for: of one that was passed over by a later one's reply, say. */
  readonly strayReplies: number
}

/** Where one engine and its links stand. */
export interface EngineHealth {
  readonly name: string
  readonly status: 'OK' | 'error'
  /** The problem in plain words; absent while there is none, and before anything is known. */
  readonly problem?: string
  /**
   * How many milliseconds its clock is behind the platform's, less than 0 if it is ahead; absent before its first
   * event.
   */
  readonly clockBehindMs?: number
  /** Empty when unknown. */
  readonly coreUuid: string
  readonly commands: LinkHealth
  readonly events: LinkHealth
}

/** The answer of the private health endpoint: numbers and states, no name of a tenant and no value of an event. */
export interface ConnectorHealth {
  /** `OK` while both links of every engine are up. */
  readonly status: 'OK' | 'error'
  readonly connectorId: string
  readonly version: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly engines: readonly EngineHealth[]
  readonly lagMs: number
  readonly counters: Readonly<Record<string, number>>
}

const problems: Readonly<Record<EslDownReason, string>> = {
  unreachable: 'engine unreachable',
  'no-greeting': 'engine accepts connections and does not greet',
  'not-an-engine': 'no event socket at this address',
  'auth-refused': 'engine refuses the password',
  'subscription-refused': 'engine refuses the subscription',
  'access-rejected': "engine's access list does not hold this address",
  disconnected: 'engine closed the connection',
  overflow: 'engine dropped the link, which was read too slowly',
  closed: 'connection to the engine was lost',
  silent: 'engine is silent',
  'reply-overdue': 'engine does not answer',
  'framing-lost': 'the bytes of the engine cannot be read',
  stopped: 'links were closed on this side',
}

/** Returns an engine's health, as its links tell it. */
function engineHealth({ name, coreUuid, commands, events, reasons }: Engine, clockBehindMs?: number): EngineHealth {
  const reason = reasons.commands ?? reasons.events
  const problem = reason === undefined ? clockProblem(clockBehindMs) : problems[reason]
  return {
    name,
    status: commands.state.kind === 'ready' && events.state.kind === 'ready' ? 'OK' : 'error',
    ...(problem === undefined ? {} : { problem }),
    ...(clockBehindMs === undefined ? {} : { clockBehindMs }),
    coreUuid,
    commands: linkHealth(commands, reasons.commands),
    events: linkHealth(events, reasons.events),
  }
}

/** A clock that is off by less matters to nobody. */
const toleratedMs = 5_000

/** Returns what is wrong with an engine's clock; `undefined` if nothing is. */
function clockProblem(behindMs = 0): string | undefined {
  if (Math.abs(behindMs) <= toleratedMs) return undefined
  return `the engine's clock is ${Math.round(Math.abs(behindMs) / 1_000)} s ${behindMs > 0 ? 'behind' : 'ahead'}`
}

function linkHealth(
  { state, heardAt, counts }: Pick<EngineLink, 'state' | 'heardAt' | 'counts'>,
  reason: EslDownReason | undefined,
): LinkHealth {
  return {
    state: state.kind,
    heardAt: Math.floor(heardAt),
    connections: counts.connections,
    unreadableEvents: counts.unreadableEvents,
    lateReplies: counts.lateReplies,
    strayReplies: counts.strayReplies,
    ...(reason === undefined ? {} : { reason }),
  }
}

/** Returns the health of a running connector: its engines, its lag, and its counters. */
export function readHealth(running: Running): ConnectorHealth {
  const { parts, startedAt, registry, events, works, runner, recorder, lost, tally, clocks } = running
  const engines = works.map(({ engine }) => engineHealth(engine, clocks.behindMs(engine.name)))
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
      ...recorder.counters(),
      channels: registry.size,
      channelsEvicted: registry.evicted,
      commandsInFlight: runner.inFlight,
      commandsWaiting: runner.waiting,
      commandsOfLostConnectors: lost.ended,
      gapsOfLostConnectors: tally.gapsOfLost,
      enginesOutOfReach: tally.outOfReach.length,
      answersLate: works.reduce((sum, { jobs }) => sum + jobs.late, 0),
      ...Object.fromEntries(outcomes),
    },
  }
}

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
