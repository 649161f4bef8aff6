/**
 * The connector's metrics, as data: it writes these, and alarms and graphs read them. None carries the name of a
 * tenant, a number or an engine; all connectors write under one dimension, so that their numbers add up.
 */

/** The groups of metrics, each with a namespace of its own. */
export type MetricGroup = 'Connector' | 'Cdr' | 'Gateway' | 'Recording' | 'Access'

/** Returns the namespace of a group of metrics in CloudWatch; a laptop has no stage. */
export function metricNamespace(group: MetricGroup, stage: string): string {
  return stage === '' ? `Callplane/${group}` : `Callplane/${stage}/${group}`
}

/** The connector's metrics in CloudWatch. */
export const connectorMetrics = {
  group: 'Connector',
  dimension: 'service',
  service: 'connector',
} as const

/** The metrics of CDRs in CloudWatch; each counts the log lines that have its message. */
export const cdrMetrics = {
  group: 'Cdr',
  /** A leg whose reported values cannot be indexed. */
  refused: { name: 'CdrsRefused', message: 'CDR refused' },
  /** A leg that ended belongs to no tenant, or to one that was deleted since. */
  withoutDomain: { name: 'CdrsWithoutDomain', message: 'CDR without domain' },
  /** The store could not be told how CDRs are kept. */
  unprepared: { name: 'PreparationsFailed', message: 'preparation failed' },
} as const

/** The metrics of the access log in CloudWatch; each counts the lines whose field has the value. */
export const accessMetrics = {
  group: 'Access',
  tooMany: { name: 'RequestsRefused', field: 'status', message: '429' },
} as const

/** The metrics of recordings in CloudWatch; each counts the log lines that have its message. */
export const recordingMetrics = {
  group: 'Recording',
  /** Recordings whose file did not come in time. */
  missing: { name: 'RecordingsMissing', message: 'recordings never came' },
} as const

/** The metrics of calls from gateways in CloudWatch; each counts the log lines that have its message. */
export const gatewayMetrics = {
  group: 'Gateway',
  /** A source that gateways of several domains have, so only age decides; a process logs it once in ten minutes. */
  ambiguous: {
    name: 'AmbiguousSources',
    message: 'gateways of several domains have the source of a call: the oldest has got it',
  },
} as const

/** Counts since the previous line; their sum over a time is the count of that time. */
export const countMetrics = [
  /** Starts of processes: also those after a crash, which a task survives. */
  'Starts',
  /** Events read from event links; of these, the events that some hook wants, and those that the queue accepted. */
  'EventsRead',
  'EventsRelayed',
  'EventsPublished',
  /** Events that were sent again, and synthetic events. */
  'EventsRepeated',
  'EventsRecovered',
  /** Ends of legs that were handed over for the index of CDRs; they also count as published. */
  'CdrsRelayed',
  /** Events dropped for lack of room: all, and by class (ends of calls, other events of calls, the rest). */
  'EventsDropped',
  'EventsDroppedTerminal',
  'EventsDroppedCall',
  'EventsDroppedOther',
  /** Events that could not be parsed, and wanted events without a domain. */
  'EventsUnreadable',
  'EventsWithoutDomain',
  /** Registrations whose contact is not rung, since its text could lead a call elsewhere. */
  'ContactsRefused',
  /** Times in which events may have been missed, including those recorded for a dead connector. */
  'Gaps',
  /** Gaps that were dropped before they could be stored, because too many waited. */
  'GapsLost',
  /** Links to engines that were established again. */
  'Reconnects',
  /** Commands by their outcome, duplicate messages, and messages that could not be parsed. */
  'CommandsDone',
  'CommandsRefused',
  'CommandsAbsent',
  'CommandsUnsent',
  'CommandsUnknown',
  'CommandsRepeated',
  'CommandsUnreadable',
  /** Answers of engines after their deadline, and answers without a question. */
  'AnswersLate',
  'AnswersStray',
  /** Events that should have been on disk and were not, lines that could not be read, and failed writes. */
  'SpoolSkipped',
  'SpoolDamaged',
  'SpoolFailures',
  'ChannelsEvicted',
  /** Failed attempts to write a recording's record, which are repeated, and recordings dropped for lack of room. */
  'RecordingFailures',
  'RecordingsDropped',
] as const

/** Levels at the moment of the line. */
export const levelMetrics = {
  /** The age of the event that has been waiting longest for the queue. */
  Lag: 'Milliseconds',
  EventsWaiting: 'Count',
  EventsHeld: 'Count',
  EventMemory: 'Bytes',
  SpoolEvents: 'Count',
  SpoolBytes: 'Bytes',
  GapsWaiting: 'Count',
  CommandsInFlight: 'Count',
  CommandsWaiting: 'Count',
  Channels: 'Count',
  /** Engines that lack a link for another reason than a refusal, and engines that refuse this connector. */
  EnginesAway: 'Count',
  EnginesRefusing: 'Count',
  /** Engines that this connector has never reached, although another connector heard them when this one started. */
  EnginesOutOfReach: 'Count',
} as const

/** The level that is in every line, also while it is 0, so that its samples count the lines. */
export const lineMetric = 'Lag'

/** Durations in milliseconds, each measured from the request. */
export const timeMetrics = [
  /** Until the command was written to the engine. */
  'CommandDelay',
  /**
   * Until the outcome of an order to a call was known. An originate is not measured, since it depends on how long a
   * phone rings.
   */
  'OrderTime',
] as const

/** See {@link countMetrics}. */
export type CountMetric = (typeof countMetrics)[number]

/** See {@link levelMetrics}. */
export type LevelMetric = keyof typeof levelMetrics

/** See {@link timeMetrics}. */
export type TimeMetric = (typeof timeMetrics)[number]

/** Every metric. */
export type ConnectorMetric = CountMetric | LevelMetric | TimeMetric

/** A line is written this often. */
export const metricSeconds = 30
