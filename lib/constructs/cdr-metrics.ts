import { Duration } from 'aws-cdk-lib'
import { GraphWidget, type Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { cdrMetrics } from '../../contracts/metrics.ts'
import { countLines, lineSum } from './line-count.ts'
import { RunbookAlarm } from './runbook-alarm.ts'

const { group, refused, withoutDomain, unprepared } = cdrMetrics
const period = Duration.minutes(1)

/** Counts the log lines about CDRs that could not be indexed. */
export class CdrCounts extends Construct {
  constructor(scope: Construct, id: string, { logGroup }: { readonly logGroup: ILogGroup }) {
    super(scope, id)
    for (const line of [refused, withoutDomain]) countLines(this, logGroup, group, line)
  }
}

/** The alarms on the path of CDRs into their index. */
export class CdrAlarms extends Construct {
  constructor(scope: Construct, id: string, { queue }: { readonly queue: IQueue }) {
    super(scope, id)
    new RunbookAlarm(this, 'Wait', {
      article: 'CDRs wait',
      severity: 'ticket',
      impact: 'Calls that have ended do not appear in searches; none is lost.',
      metric: queue.metricApproximateAgeOfOldestMessage({ period, statistic: 'Maximum' }),
      threshold: 300,
      periods: 3,
    })
    new RunbookAlarm(this, 'Refused', {
      article: 'CDRs are refused',
      severity: 'ticket',
      impact: 'Some ended calls do not appear in searches, and will not by themselves; they are kept.',
      metric: lineSum(group, refused),
    })
    new RunbookAlarm(this, 'Unprepared', {
      article: 'The store of CDRs is not prepared',
      severity: 'ticket',
      impact: 'No call is lost; new CDRs may not be found by fields that are new, or be kept too long, until it is.',
      metric: lineSum(group, unprepared),
    })
  }
}

/** Returns the dashboard's row on CDRs. */
export function cdrGraphs(queue: IQueue): GraphWidget[][] {
  const graph = (title: string, left: Metric[]) => new GraphWidget({ title, left, width: 12 })
  return [
    [
      graph('CDRs: queued and done', [
        queue.metricNumberOfMessagesSent({ period }),
        queue.metricNumberOfMessagesDeleted({ period }),
      ]),
      graph('CDRs: not indexed', [lineSum(group, refused), lineSum(group, withoutDomain)]),
    ],
  ]
}
