import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import { recordingMetrics } from '../../contracts/metrics.ts'
import { connectorMetric } from './connector-metric.ts'
import { RunbookAlarm } from './runbook-alarm.ts'
import { lineSum } from './line-count.ts'

/** The receiver of the alarms. */
export interface ConnectorAlarmsProps {
  readonly onCall: ITopic
}

/** The alarms on the metrics of the connectors. */
export class ConnectorAlarms extends Construct {
  constructor(scope: Construct, id: string, { onCall }: ConnectorAlarmsProps) {
    super(scope, id)
    this.watchEngines({ onCall })
    this.watchEvents({ onCall })
    this.watchRecordings({ onCall })
  }

  private watchEngines({ onCall }: ConnectorAlarmsProps): void {
    new RunbookAlarm(this, 'EngineRefuses', {
      article: 'An engine refuses the connector',
      impact: 'No order reaches this engine and no event of it is seen until a person changes a password or a list.',
      metric: connectorMetric('EnginesRefusing', 'Maximum'),
      threshold: 1,
      periods: 1,
      onCall,
    })
    new RunbookAlarm(this, 'EngineAway', {
      article: 'An engine cannot be reached',
      impact: 'Calls of this engine cannot be placed, held or hung up, and no event of it reaches a hook.',
      metric: connectorMetric('EnginesAway', 'Maximum'),
      threshold: 1,
      periods: 3,
      onCall,
    })
    new RunbookAlarm(this, 'CommandsLost', {
      article: 'Commands end without an answer',
      impact: 'Callers receive outcome_unknown: they cannot know whether a call was placed, held or hung up.',
      metric: connectorMetric('CommandsUnknown', 'Sum'),
      threshold: 5,
      periods: 3,
      onCall,
    })
  }

  private watchRecordings({ onCall }: ConnectorAlarmsProps): void {
    const { group, missing } = recordingMetrics
    new RunbookAlarm(this, 'RecordingsMissing', {
      article: 'Recordings do not arrive',
      impact: 'Calls were recorded, and their recordings cannot be played: their engine has not sent them.',
      metric: lineSum(group, missing),
      threshold: 1,
      periods: 1,
      onCall,
    })
  }

  private watchEvents({ onCall }: ConnectorAlarmsProps): void {
    new RunbookAlarm(this, 'EventsLag', {
      article: 'Events lag behind the engine',
      impact: 'The connector holds events that should be in their queue: hooks fire late.',
      metric: connectorMetric('Lag', 'Maximum'),
      threshold: 10_000,
      periods: 3,
      onCall,
    })
    new RunbookAlarm(this, 'EventsMissed', {
      article: 'Events may have been missed',
      impact: 'For a time no connector listened to an engine: hooks may have missed the events of that time.',
      metric: connectorMetric('Gaps', 'Sum'),
      threshold: 1,
      periods: 1,
      onCall,
    })
    new RunbookAlarm(this, 'EventsDropped', {
      article: 'Events are dropped',
      impact: 'Memory and disk of a connector are full: hooks will never be called for these events.',
      metric: connectorMetric('EventsDropped', 'Sum'),
      threshold: 1,
      periods: 1,
      onCall,
    })
    new RunbookAlarm(this, 'EventsSpooled', {
      article: 'Events pile up on disk',
      impact:
        'The event queue accepts events more slowly than the engines send them: hooks fire late, and in the end events are dropped.',
      metric: connectorMetric('SpoolEvents', 'Maximum'),
      threshold: 10_000,
      periods: 5,
      onCall,
    })
    new RunbookAlarm(this, 'EventsNotOnDisk', {
      article: 'The disk takes no events',
      impact: 'Events wait in memory only: a connector that ends now loses them.',
      metric: connectorMetric('SpoolSkipped', 'Sum'),
      threshold: 1,
      periods: 1,
      onCall,
    })
  }
}
