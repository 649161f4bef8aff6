import { type Metrics, maxValues } from '../../adapters/metrics/emf-metrics.ts'
import {
  type CountMetric,
  type LevelMetric,
  type TimeMetric,
  countMetrics,
  lineMetric,
  metricSeconds,
  timeMetrics,
} from '../../contracts/metrics.ts'
import { type Timers, pause } from '../../core/concurrency/timers.ts'
import type { EslDownReason } from '@callplane/esl'
import type { ConnectorHealth, EngineHealth, LinkHealth } from './connector-health.ts'
import type { CommandMessage } from '../../contracts/messages/command.ts'
import type { Clock } from '../../core/time.ts'
import type { RunnerDeps } from '../commands/command-runner.ts'

/**
 * Lines in which a level is written as 0 after a start, and after it has become 0: ten minutes, twice the longest time
 * that an alarm looks at. CloudWatch evaluates an alarm by earlier values, also those of the process before, while the
 * latest are missing.
 */
const zeroLines = 600 / metricSeconds

export interface MetricDeps {
  readonly metrics: Metrics
  readonly read: () => MetricReading
  readonly times: Readonly<Record<TimeMetric, Times>>
  readonly timers: Timers
}

/** Writes the metrics of one process. */
export interface MetricReporter {
  /** Writes a line every 30 s until aborted. */
  follow(signal: AbortSignal): Promise<void>
  /** Writes what has happened since the last line. The last one of a process is written when all else is over. */
  write(): void
}

/**
 * Makes a reporter. Totals are counted from 0 at the start of the process, so that each line counts what came since the
 * one before, and the first one all of it: nothing is counted twice, nor left out. A count of 0 is not written, nor is
 * a level that has been 0 for ten minutes, since CloudWatch charges each metric for each hour in which it gets a value,
 * and alarms treat a missing value as 0. `lineMetric` is in each line. What a killed process had counted since its last
 * line, 30 s at most, is lost.
 */
export function metricReporter({ metrics, read, times, timers }: MetricDeps): MetricReporter {
  let reported: Partial<Record<CountMetric, number>> = {}
  const zerosLeft = new Map<string, number>()
  const isWritten = ([name, level]: readonly [string, number]) => {
    const left = level === 0 ? (zerosLeft.get(name) ?? zeroLines) : zeroLines + 1
    zerosLeft.set(name, Math.max(0, left - 1))
    return left > 0 || name === lineMetric
  }
  const write = () => {
    const { totals, levels } = read()
    const counts = countMetrics
      .map((name) => [name, totals[name] - (reported[name] ?? 0)] as const)
      .filter(([, count]) => count > 0)
    const taken = timeMetrics.map((name) => [name, times[name].take()] as const)
    reported = { ...totals }
    const kept = Object.entries(levels).filter(isWritten)
    metrics.put(Object.fromEntries([...counts, ...taken, ...kept]))
  }
  return {
    write,
    follow: async (signal) => {
      while (!signal.aborted) {
        await pause(timers, metricSeconds * 1_000, signal)
        if (!signal.aborted) write()
      }
    },
  }
}

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
      // Each process is one start.
      Starts: 1,
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

/** Values of which a fair sample is kept, so that many of them take no more room than few. */
export interface Times {
  /** Notes how long something took, in milliseconds; another host's clock never makes it negative. */
  note(ms: number): void
  /** Returns the values since the last call, in no order. */
  take(): readonly number[]
}

/** Keeps up to `limit` values; of more, each has the same chance. `random` gives 0 up to but not 1. */
export function times(limit: number, random: () => number): Times {
  let kept: number[] = []
  let seen = 0
  return {
    note: (ms) => {
      seen += 1
      const value = Math.max(0, ms)
      if (kept.length < limit) kept.push(value)
      else {
        const place = Math.floor(random() * seen)
        if (place < limit) kept[place] = value
      }
    },
    take: () => {
      const taken = kept
      kept = []
      seen = 0
      return taken
    },
  }
}
