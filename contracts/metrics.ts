/**
 * What the connector measures, as data: it writes these, and alarms and graphs read them. None carries the name of a
 * tenant, a number or an engine; all connectors write under one dimension, so that their numbers add up.
 */

/** Where the connector's metrics stand in CloudWatch. */
export const connectorMetrics = {
  namespace: 'Callplane/Connector',
  dimension: 'service',
  service: 'connector',
} as const

/** Where the metrics of CDRs stand in CloudWatch; each counts the lines of the log that have its message. */
export const cdrMetrics = {
  namespace: 'Callplane/Cdr',
  /** What a leg told cannot be indexed, as it is. */
  refused: { name: 'CdrsRefused', message: 'CDR refused' },
  /** A leg that ended belongs to no tenant, or to one that was deleted since. */
  ofNobody: { name: 'CdrsOfNobody', message: 'CDR of nobody' },
} as const

/** What happened since the last line; its sum over a time is what happened then. */
export const countMetrics = [
  /** Events that came on event links, and of these what some hook wants, and what the queue took. */
  'EventsRead',
  'EventsRelayed',
  'EventsPublished',
  /** Events that were sent once more, and those made in the place of missed ones. */
  'EventsRepeated',
  'EventsRecovered',
  /** Ends of legs that were handed over for the index of CDRs; they are among the published, too. */
  'CdrsRelayed',
  /** Events given up for want of room: all, and by class (ends of calls, other events of calls, the rest). */
  'EventsDropped',
  'EventsDroppedTerminal',
  'EventsDroppedCall',
  'EventsDroppedOther',
  /** Events that could not be read, and wanted ones of no domain. */
  'EventsUnreadable',
  'EventsWithoutDomain',
  /** Times in which events may have been missed, those found in the place of a dead connector included. */
  'Gaps',
  /** Gaps that could not be stored before too many waited. */
  'GapsLost',
  /** Links to engines that were made once more. */
  'Reconnects',
  /** Commands by what became of them, and messages that were no news or no command. */
  'CommandsDone',
  'CommandsRefused',
  'CommandsAbsent',
  'CommandsUnsent',
  'CommandsUnknown',
  'CommandsRepeated',
  'CommandsUnreadable',
  /** Answers of engines after their time, and those that nobody had asked for. */
  'AnswersLate',
  'AnswersStray',
  /** Events that should have been on disk and were not, lines that could not be read, and refusals of the disk. */
  'SpoolSkipped',
  'SpoolDamaged',
  'SpoolFailures',
  'ChannelsEvicted',
  /** Recordings that came into the object store, and their bytes. */
  'RecordingsStored',
  'RecordingBytes',
  /** Attempts to store one that failed and are made again. */
  'RecordingFailures',
  /** Files that may not be uploaded, files that never came, and recordings that there was no room to remember. */
  'RecordingsRefused',
  'RecordingsGivenUp',
  'RecordingsDropped',
  /** Times that the folder of the recordings could not be used. */
  'RecordingNoteFailures',
] as const

/** How much there is at the moment of the line. */
export const levelMetrics = {
  /** How long the event that waits longest has been waiting to be queued. */
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
  /** Engines without both links for another reason than a refusal, and engines that refuse this connector. */
  EnginesAway: 'Count',
  EnginesRefusing: 'Count',
  /** Recordings that have ended and are not stored, and how long ago the oldest of them ended. */
  RecordingsWaiting: 'Count',
  RecordingLag: 'Milliseconds',
} as const

/** How long things took, in milliseconds, each since the request was made. */
export const timeMetrics = [
  /** Until a command was written to the engine. */
  'CommandDelay',
  /** Until the outcome of an order to a call was known; how long a phone rings tells nothing. */
  'OrderTime',
] as const

/** The log line of a delivery that failed for good; its `domain` is counted by. */
export const failedDelivery = 'delivery failed'

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
