import type { CountMetric, LevelMetric } from '../../contracts/metrics.ts'
import type { EslDownReason } from '../esl/errors.ts'
import type { ConnectorHealth, EngineHealth, LinkHealth } from './connector-health.ts'

/** The measured values of a connector's health: totals since its start, and how much there is now. */
export interface MetricReading {
  readonly totals: Readonly<Record<CountMetric, number>>
  readonly levels: Readonly<Record<LevelMetric, number>>
}

const refusals: ReadonlySet<EslDownReason | undefined> = new Set(['auth-refused', 'access-rejected'])

/** Reads every metric off a connector's health, so that the two can never tell different stories. */
export function readMetrics({ engines, lagMs, counters }: ConnectorHealth): MetricReading {
  const links = engines.flatMap(({ commands, events }) => [commands, events])
  const of = (name: string) => counters[name] ?? 0
  const sum = (count: (link: LinkHealth) => number) => links.reduce((all, link) => all + count(link), 0)
  const unwell = engines.filter(({ status }) => status !== 'OK')
  return {
    totals: {
      EventsRead: of('eventsRead'),
      EventsRelayed: of('eventsRelayed'),
      EventsPublished: of('eventsPublished'),
      EventsRepeated: of('eventsRepeated'),
      EventsRecovered: of('eventsRecovered'),
      CdrsRelayed: of('cdrsRelayed'),
      EventsDropped: of('eventsDropped'),
      EventsDroppedTerminal: of('eventsDroppedTerminal'),
      EventsDroppedCall: of('eventsDroppedCall'),
      EventsDroppedOther: of('eventsDroppedOther'),
      EventsUnreadable: of('eventsUnreadable') + sum(({ unreadableEvents }) => unreadableEvents),
      EventsWithoutDomain: of('eventsWithoutDomain'),
      ContactsRefused: of('contactsRefused'),
      Gaps: of('gaps') + of('gapsOfLostConnectors'),
      GapsLost: of('gapsLost'),
      Reconnects: sum(({ connections }) => Math.max(0, connections - 1)),
      CommandsDone: of('commands_done'),
      CommandsRefused: of('commands_refused'),
      CommandsAbsent: of('commands_absent'),
      CommandsUnsent: of('commands_unsent'),
      CommandsUnknown: of('commands_unknown') + of('commandsOfLostConnectors'),
      CommandsRepeated: of('commands_repeated'),
      CommandsUnreadable: of('commands_unreadable'),
      AnswersLate: of('answersLate') + sum(({ lateReplies }) => lateReplies),
      AnswersStray: sum(({ strayReplies }) => strayReplies),
      SpoolSkipped: of('spoolSkipped'),
      SpoolDamaged: of('spoolDamaged'),
      SpoolFailures: of('spoolFailures'),
      ChannelsEvicted: of('channelsEvicted'),
      RecordingFailures: of('recordingFailures'),
      RecordingsDropped: of('recordingsDropped'),
    },
    levels: {
      Lag: lagMs,
      EventsWaiting: of('eventsWaiting'),
      EventsHeld: of('eventsHeld'),
      EventMemory: of('memoryBytes'),
      SpoolEvents: of('spoolEvents'),
      SpoolBytes: of('spoolBytes'),
      GapsWaiting: of('gapsWaiting'),
      CommandsInFlight: of('commandsInFlight'),
      CommandsWaiting: of('commandsWaiting'),
      Channels: of('channels'),
      EnginesAway: unwell.filter((engine) => !isRefusing(engine)).length,
      EnginesRefusing: unwell.filter(isRefusing).length,
      EnginesOutOfReach: of('enginesOutOfReach'),
    },
  }
}

function isRefusing({ commands, events }: EngineHealth): boolean {
  return refusals.has(commands.reason) || refusals.has(events.reason)
}
