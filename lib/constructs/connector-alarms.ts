import { Duration } from 'aws-cdk-lib'
import { Construct } from 'constructs'
import { recordingMetrics } from '../../contracts/metrics.ts'
import { connectorMetric } from './connector-metric.ts'
import { RunbookAlarm } from './runbook-alarm.ts'
import { lineSum } from './line-count.ts'

/** The number of connectors. */
export interface ConnectorAlarmsProps {
  readonly connectorTasks: number
}

/** The alarms on the metrics of the connectors. */
export class ConnectorAlarms extends Construct {
  constructor(scope: Construct, id: string, { connectorTasks }: ConnectorAlarmsProps) {
    super(scope, id)
    new RunbookAlarm(this, 'Restarts', {
      article: 'A connector restarts again and again',
      severity: 'page',
      impact: 'A connector ends and is started again: each time its orders under way are lost, and events come late.',
      metric: connectorMetric('Starts', 'Sum').with({ period: Duration.minutes(15) }),
      // A deployment starts each connector once, and one that is taken back starts it twice.
      threshold: 2 * connectorTasks + 2,
    })
    this.watchEngines()
    this.watchEvents()
    this.watchRecordings()
  }

  private watchEngines(): void {
    new RunbookAlarm(this, 'EngineRefuses', {
      article: 'An engine refuses the connector',
      severity: 'page',
      impact: 'No order reaches this engine and no event of it is seen until a person changes a password or a list.',
      metric: connectorMetric('EnginesRefusing', 'Maximum'),
    })
    new RunbookAlarm(this, 'EngineAway', {
      article: 'An engine cannot be reached',
      severity: 'page',
      impact: 'Calls of this engine cannot be placed, held or hung up, and no event of it reaches a hook.',
      metric: connectorMetric('EnginesAway', 'Maximum'),
      periods: 3,
    })
    new RunbookAlarm(this, 'CommandsLost', {
      article: 'Commands end without an answer',
      severity: 'page',
      impact: 'Callers receive outcome_unknown: they cannot know whether a call was placed, held or hung up.',
      metric: connectorMetric('CommandsUnknown', 'Sum'),
      threshold: 5,
      periods: 3,
    })
  }

  private watchRecordings(): void {
    const { group, missing } = recordingMetrics
    new RunbookAlarm(this, 'RecordingsMissing', {
      article: 'Recordings do not arrive',
      severity: 'ticket',
      impact: 'Calls were recorded, and their recordings cannot be played: their engine has not sent them.',
      metric: lineSum(group, missing),
    })
  }

  private watchEvents(): void {
    new RunbookAlarm(this, 'EventsLag', {
      article: 'Events lag behind the engine',
      severity: 'page',
      impact: 'The connector holds events that should be in their queue: hooks fire late.',
      metric: connectorMetric('Lag', 'Maximum'),
      threshold: 10_000,
      periods: 3,
    })
    new RunbookAlarm(this, 'EventsMissed', {
      article: 'Events may have been missed',
      severity: 'ticket',
      impact: 'For a time no connector listened to an engine: hooks may have missed the events of that time.',
      metric: connectorMetric('Gaps', 'Sum'),
    })
    new RunbookAlarm(this, 'EventsDropped', {
      article: 'Events are dropped',
      severity: 'page',
      impact: 'Memory and disk of a connector are full: hooks will never be called for these events.',
      metric: connectorMetric('EventsDropped', 'Sum'),
    })
    new RunbookAlarm(this, 'EventsSpooled', {
      article: 'Events pile up on disk',
      severity: 'page',
      impact:
        'The event queue accepts events more slowly than the engines send them: hooks fire late, and in the end events are dropped.',
      metric: connectorMetric('SpoolEvents', 'Maximum'),
      threshold: 10_000,
      periods: 5,
    })
    new RunbookAlarm(this, 'EventsNotOnDisk', {
      article: 'The disk takes no events',
      severity: 'ticket',
      impact: 'Events wait in memory only: a connector that ends now loses them.',
      metric: connectorMetric('SpoolSkipped', 'Sum'),
    })
  }
}
