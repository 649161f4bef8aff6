import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib'
import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import {
  CfnInsightRule,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  type Metric,
} from 'aws-cdk-lib/aws-cloudwatch'
import type { FargateService } from 'aws-cdk-lib/aws-ecs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { accessMetrics } from '../../contracts/metrics.ts'
import { failedDelivery } from '../../contracts/workers.ts'
import { AccountAlarms } from '../constructs/account-alarms.ts'
import { Canary } from '../constructs/canary.ts'
import { connectorLines, leastLines } from '../constructs/connector-metric.ts'
import { CdrAlarms, cdrGraphs } from '../constructs/cdr-metrics.ts'
import { ConnectorAlarms } from '../constructs/connector-alarms.ts'
import { connectorGraphs } from '../constructs/connector-graphs.ts'
import { countLines, lineSum } from '../constructs/line-count.ts'
import { type Resources, constructId } from '../constructs/resources.ts'
import { RunbookAlarm } from '../constructs/runbook-alarm.ts'
import { SearchAlarms, searchGraphs } from '../constructs/search-alarms.ts'
import { logGroupName, staged } from '../constructs/stage.ts'
import type { SearchSize } from '../settings.ts'
import type { WorkersStack } from './workers-stack.ts'

/** The watched resources. */
export interface MonitoringStackProps extends StackProps {
  readonly api: IHttpApi
  /** The functions' defaults and the platform's address, if a canary is wanted. */
  readonly canary: ConstructorParameters<typeof Canary>[2] | undefined
  readonly connector: FargateService
  /** How many functions the account may run at once. */
  readonly concurrencyQuota: number
  readonly connectorTasks: number
  readonly workers: Pick<WorkersStack, 'scheduled' | 'attemptLogs'>
  readonly queues: Resources['queues']
  readonly searchDomains: Resources['searchDomains']
  readonly search: SearchSize
}

const minute = Duration.minutes(1)

/** The alarms that belong to no single queue, and the dashboard to look at first. */
export class MonitoringStack extends Stack {
  constructor(scope: Construct, id: string, props: MonitoringStackProps) {
    super(scope, id, props)
    this.watchApi(props)
    this.watchLatency(props)
    this.watchRefusals(props)
    this.watchQueues(props)
    this.watchConnector(props)
    this.watchSchedules(props)
    this.countFailedDeliveries(props)
    new AccountAlarms(this, 'Account', props)
    new ConnectorAlarms(this, 'Connector', props)
    new CdrAlarms(this, 'Cdrs', { queue: props.queues.cdrs.queue })
    new SearchAlarms(this, 'Search', {
      domain: props.searchDomains.cdr,
      volumeGb: props.search.volumeGb,
    })
    this.drawDashboard(props)
    this.nameForRunbook(props)
    if (props.canary !== undefined) new Canary(this, 'Canary', props.canary)
  }

  private watchApi({ api }: MonitoringStackProps): void {
    new RunbookAlarm(this, 'ApiErrors', {
      article: 'The API answers with errors',
      severity: 'page',
      impact:
        'More than one request in twenty fails with a 5xx: tenants cannot log in, place calls or change settings.',
      // A single failure in a quiet night is no reason to wake anyone.
      metric: percentOf(api, 'errors', { least: 20, part: api.metricServerError({ statistic: 'Sum' }) }),
      threshold: 5,
      periods: 2,
    })
  }

  private watchLatency({ api }: MonitoringStackProps): void {
    new RunbookAlarm(this, 'ApiLatency', {
      article: 'The API is slow',
      severity: 'ticket',
      impact: 'Every second request takes three seconds or more: consoles feel broken, and clients give up.',
      metric: new MathExpression({
        expression: 'IF(requests >= 100, latency, 0)',
        usingMetrics: {
          requests: api.metricCount({ period: Duration.minutes(5) }),
          // Not a higher percentile: a call that is placed waits up to 20 s until it is answered.
          latency: api.metricLatency({ period: Duration.minutes(5), statistic: 'p50' }),
        },
        period: Duration.minutes(5),
        label: 'median of the latency, ms',
      }),
      threshold: 3000,
      periods: 3,
    })
  }

  private watchRefusals({ api }: MonitoringStackProps): void {
    const { group, tooMany } = accessMetrics
    countLines(this, LogGroup.fromLogGroupName(this, 'Access', logGroupName(this, 'access')), group, tooMany)
    new RunbookAlarm(this, 'ApiRefusals', {
      article: 'Requests are refused with 429',
      severity: 'ticket',
      impact: 'One request in twenty is refused for its rate: a tenant, or the whole API, is at its limit.',
      metric: percentOf(api, 'refused', { least: 100, part: lineSum(group, tooMany) }),
      threshold: 5,
      periods: 3,
    })
  }

  private watchQueues({ queues }: MonitoringStackProps): void {
    new RunbookAlarm(this, 'CommandsWait', {
      article: 'Commands are not taken',
      severity: 'page',
      impact: 'No connector takes orders to the engine: calls are not placed, held or hung up, and callers get a 503.',
      metric: oldestMessage(queues.commands.queue),
      threshold: 15,
      periods: 2,
    })
    new RunbookAlarm(this, 'EventsWait', {
      article: 'Events wait',
      severity: 'page',
      impact: 'Hooks fire minutes late: receivers learn of calls long after they happened.',
      metric: oldestMessage(queues.events.queue),
      threshold: 120,
      periods: 3,
    })
    new RunbookAlarm(this, 'DeliveriesWait', {
      article: 'Deliveries wait',
      severity: 'ticket',
      impact: 'Hooks fire late: receivers learn of calls a quarter of an hour after they happened, or later.',
      metric: oldestMessage(queues.deliveries.queue),
      // A retry may wait in the queue for 900 s before it is due.
      threshold: 1800,
      periods: 3,
    })
  }

  private watchConnector({ connectorTasks }: MonitoringStackProps): void {
    new RunbookAlarm(this, 'ConnectorsMissing', {
      article: 'A connector is missing',
      severity: 'page',
      impact: 'One connector is left, or none: with none, no call is placed through the API and no event is seen.',
      metric: connectorLines(),
      threshold: leastLines(connectorTasks),
      below: true,
      alarmOnSilence: true,
    })
  }

  private watchSchedules({ workers }: MonitoringStackProps): void {
    for (const { schedule, function: called } of workers.scheduled) {
      new RunbookAlarm(this, `${constructId(schedule.name)}Fails`, {
        ...schedule.failing,
        severity: 'ticket',
        // About three failed calls in a row: a single failure is repaired by the next call.
        metric: called.metricErrors({ period: Duration.minutes(5 * schedule.everyMinutes), statistic: 'Sum' }),
        threshold: 3,
        periods: 1,
      })
    }
  }

  /** Counts the dead letters of hooks by tenant: the 500 with the most, without a metric for each of them. */
  private countFailedDeliveries({ workers }: MonitoringStackProps): void {
    new CfnInsightRule(this, 'FailedDeliveries', {
      ruleName: `${staged(this, 'Callplane', '-')}-failed-deliveries-by-domain`,
      ruleState: 'ENABLED',
      ruleBody: Stack.of(this).toJsonString({
        Schema: { Name: 'CloudWatchLogRule', Version: 1 },
        LogGroupNames: workers.attemptLogs.map(({ logGroupName }) => logGroupName),
        LogFormat: 'JSON',
        Contribution: { Keys: ['$.domain'], Filters: [{ Match: '$.message', In: [failedDelivery] }] },
        AggregateOn: 'Count',
      }),
    })
  }

  /** Outputs that the commands of docs/runbook.md read: what has a generated name. */
  private nameForRunbook({ queues, searchDomains }: MonitoringStackProps): void {
    new CfnOutput(this, 'CdrDomain', { value: searchDomains.cdr.domainName, description: 'The search domain of CDRs' })
    for (const [name, { deadLetters }] of Object.entries(queues)) {
      const description = `The dead letters of the queue of ${name}`
      new CfnOutput(this, `${constructId(name)}DeadLetters`, { value: deadLetters.queueUrl, description })
    }
  }

  private drawDashboard({ api, connector, queues, searchDomains }: MonitoringStackProps): void {
    const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 12 })
    const period = minute
    const all = Object.values(queues)
    new Dashboard(this, 'Dashboard', {
      widgets: [
        [
          graph('API: requests and failures', [api.metricCount({ period }), api.metricServerError({ period })]),
          graph('API: latency, ms', [
            api.metricLatency({ period, statistic: 'p50' }),
            api.metricLatency({ period, statistic: 'p99' }),
          ]),
        ],
        [
          graph(
            'Queues: oldest message, s',
            all.map(({ queue }) => oldestMessage(queue)),
          ),
          graph(
            'Dead letters',
            all.map((work) => work.deadLetters.metricApproximateNumberOfMessagesVisible({ period })),
          ),
        ],
        [
          graph('Connectors: lines of metrics in five minutes, ten of each', [connectorLines()]),
          graph('Connector: processor and memory, %', [
            connector.metricCpuUtilization({ period }),
            connector.metricMemoryUtilization({ period }),
          ]),
        ],
        ...connectorGraphs(),
        ...cdrGraphs(queues.cdrs.queue),
        ...searchGraphs(searchDomains.cdr),
      ],
    })
  }
}

function oldestMessage(queue: Resources['queues']['commands']['queue']): Metric {
  return queue.metricApproximateAgeOfOldestMessage({ period: minute, statistic: 'Maximum' })
}

/** Returns which part of the requests of five minutes counts, in percent; 0 below the least requests. */
function percentOf(
  api: IHttpApi,
  name: string,
  { least, part }: { readonly least: number; readonly part: Metric },
): MathExpression {
  const period = Duration.minutes(5)
  return new MathExpression({
    expression: `IF(requests >= ${least}, 100 * ${name} / requests, 0)`,
    usingMetrics: { requests: api.metricCount({ period }), [name]: part.with({ period }) },
    period,
    label: `${name}, percent of the requests`,
  })
}
