import { Duration } from 'aws-cdk-lib'
import { GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IDomain } from 'aws-cdk-lib/aws-opensearchservice'
import { Construct } from 'constructs'
import { RunbookAlarm } from './runbook-alarm.ts'

/** The watched domain. */
export interface SearchAlarmsProps {
  readonly domain: IDomain
  /** GiB of disk of each node. */
  readonly volumeGb: number
}

/**
 * The free fraction of a disk below which it counts as too full: the service stops writes at 10 % or 20 GiB, whichever
 * is less.
 */
const leastFreePart = 0.25

const everyMinute = { period: Duration.minutes(1) }
const everyFiveMinutes = { period: Duration.minutes(5) }

/** The alarms on the store of CDRs. */
export class SearchAlarms extends Construct {
  constructor(scope: Construct, id: string, { domain, volumeGb }: SearchAlarmsProps) {
    super(scope, id)
    new RunbookAlarm(this, 'Red', {
      article: 'CDRs are missing from searches',
      severity: 'page',
      impact:
        'A part of the store of CDRs is gone: searches show too little or fail, and new CDRs wait in their queue.',
      metric: domain.metricClusterStatusRed(everyMinute),
      periods: 3,
    })
    new RunbookAlarm(this, 'WritesBlocked', {
      article: 'The store of CDRs takes no writes',
      severity: 'ticket',
      impact: 'New CDRs wait in their queue and do not appear in searches; after 14 days they would be lost.',
      metric: domain.metricClusterIndexWritesBlocked(everyMinute),
      periods: 3,
    })
    new RunbookAlarm(this, 'Storage', {
      article: 'The store of CDRs fills up',
      severity: 'ticket',
      impact:
        'Within days no CDR can be written any more: calls do not appear in searches, and CDRs wait in their queue.',
      metric: domain.metricFreeStorageSpace(everyFiveMinutes),
      // The metric counts MiB, of the node that has the least.
      threshold: volumeGb * 1024 * leastFreePart,
      below: true,
      periods: 3,
    })
    new RunbookAlarm(this, 'Memory', {
      article: 'The store of CDRs is short of memory',
      severity: 'ticket',
      impact: 'Searches and exports of CDRs become slow, then fail; a node that ends takes running searches with it.',
      metric: domain.metricJVMMemoryPressure(everyFiveMinutes),
      // Above 95 % the service itself rejects requests.
      threshold: 90,
      periods: 3,
    })
  }
}

/** Returns the dashboard's rows on the store of CDRs. */
export function searchGraphs(domain: IDomain): GraphWidget[][] {
  const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 12 })
  return [
    [
      graph('CDRs: time of searches and of writes, ms', [
        domain.metricSearchLatency(everyMinute),
        domain.metricIndexingLatency(everyMinute),
      ]),
      graph('CDRs: memory and processor of the store, %', [
        domain.metricJVMMemoryPressure(everyMinute),
        domain.metricCPUUtilization(everyMinute),
      ]),
    ],
    [
      graph('CDRs: free storage of the fullest node, MiB', [domain.metricFreeStorageSpace(everyMinute)]),
      graph('CDRs: parts without a copy, parts gone, writes blocked', [
        domain.metricClusterStatusYellow(everyMinute),
        domain.metricClusterStatusRed(everyMinute),
        domain.metricClusterIndexWritesBlocked(everyMinute),
      ]),
    ],
  ]
}
