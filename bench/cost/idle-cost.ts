import type { ConnectorMetric } from '../../contracts/metrics.ts'
import { schedules } from '../../contracts/schedules.ts'
import { workers } from '../../contracts/workers.ts'
import { queues } from '../../contracts/resources.ts'
import { reportMs } from '../../connector/health/status-report.ts'
import type { PriceList } from './price-list.ts'

/** A cost of a month. */
export interface CostItem {
  readonly name: string
  readonly month: number
}

/** The resources of a synthesized deployment, by type; a part of the assembly that tests read. */
export interface Templates {
  ofType(type: string): readonly { readonly Properties: Readonly<Record<string, unknown>> }[]
}

const million = 1_000_000
const secondsPerMonth = 730 * 3600

/** Estimates of an idle month, which no template holds. */
export const idleEstimates = {
  /** Pollers that Lambda runs for the queue of an idle function, each with a long poll. */
  pollers: 5,
  longPollSeconds: 20,
  /** A scheduled function that finds nothing to do: its time in seconds, and its memory in GB. */
  run: { seconds: 0.5, gb: 0.5 },
  /** Logs: lines of metrics, flow logs of the network, scheduled functions. */
  logGb: 0.6,
}

/**
 * The metric that connectors write while nothing happens: levels that stay 0 are not written
 * (connector/health/metrics.ts).
 */
export const idleMetrics: readonly ConnectorMetric[] = ['Lag']

/** The metrics that usual calls move: a month with calls in every hour pays for each of them. */
export const busyMetrics: readonly ConnectorMetric[] = [
  ...idleMetrics,
  'EventsRead',
  'EventsRelayed',
  'EventsPublished',
  'CdrsRelayed',
  'EventsWaiting',
  'EventsHeld',
  'EventMemory',
  'Channels',
  'CommandsDone',
  'CommandsRefused',
  'CommandsAbsent',
  'CommandsInFlight',
  'CommandsWaiting',
  'CommandDelay',
  'OrderTime',
]

/** Returns what the metrics of connectors cost in a month with calls in every hour, in addition to an idle month. */
export function busyMetricsCost(prices: PriceList): CostItem {
  const month = (busyMetrics.length - idleMetrics.length) * prices.metricMonth
  return { name: 'metrics of calls', month }
}

/** The metrics of Container Insights for a cluster with one service and one task definition. */
const insightMetrics = 29

/** Returns the costs of a month without calls, by item. */
export function idleCosts(templates: Templates, prices: PriceList): CostItem[] {
  const tasks = sum(templates, 'AWS::ECS::Service', ({ DesiredCount }) => Number(DesiredCount))
  return [
    {
      name: 'search nodes and their disks',
      month: sum(templates, 'AWS::OpenSearchService::Domain', searchCost(prices)),
    },
    {
      name: 'private endpoints',
      month: sum(templates, 'AWS::EC2::VPCEndpoint', ({ VpcEndpointType, SubnetIds }) =>
        VpcEndpointType === 'Interface' ? listOf(SubnetIds).length * prices.endpointHour * prices.hoursPerMonth : 0,
      ),
    },
    {
      name: 'public addresses',
      month: sum(templates, 'AWS::ECS::Service', publicAddresses) * prices.publicAddressHour * prices.hoursPerMonth,
    },
    { name: 'connectors', month: tasks * sum(templates, 'AWS::ECS::TaskDefinition', taskCost(prices)) },
    { name: 'alarms, metrics, dashboard', month: monitoringCost(templates, prices) },
    {
      name: 'secrets and keys',
      month:
        templates.ofType('AWS::SecretsManager::Secret').length * prices.secretMonth +
        templates.ofType('AWS::KMS::Key').length * prices.keyMonth,
    },
    { name: 'pollers and schedules', month: pollingCost(tasks, prices) },
    // A report has less than 2 KB.
    {
      name: 'reports of connectors',
      month: (tasks * 2 * secondsPerMonth * 1000 * prices.writeUnitMillion) / reportMs / million,
    },
    { name: 'logs', month: idleEstimates.logGb * prices.logGb },
  ]
}

function searchCost(prices: PriceList) {
  return ({ ClusterConfig, EBSOptions }: Readonly<Record<string, unknown>>): number => {
    const { InstanceCount, InstanceType, DedicatedMasterCount = 0 } = fieldsOf(ClusterConfig)
    const hour = prices.searchNodeHour[String(InstanceType)]
    if (hour === undefined) throw new Error(`prices.json has no price of ${String(InstanceType)}`)
    const nodes = Number(InstanceCount)
    const disks = nodes * Number(fieldsOf(EBSOptions)['VolumeSize']) * prices.searchDiskGbMonth
    return (nodes + Number(DedicatedMasterCount)) * hour * prices.hoursPerMonth + disks
  }
}

function publicAddresses({ DesiredCount, NetworkConfiguration }: Readonly<Record<string, unknown>>): number {
  const { AssignPublicIp } = fieldsOf(fieldsOf(NetworkConfiguration)['AwsvpcConfiguration'])
  return AssignPublicIp === 'ENABLED' ? Number(DesiredCount) : 0
}

function taskCost({ fargateArmCpuHour, fargateArmGbHour, hoursPerMonth }: PriceList) {
  return ({ Cpu, Memory }: Readonly<Record<string, unknown>>): number =>
    hoursPerMonth * ((Number(Cpu) / 1024) * fargateArmCpuHour + (Number(Memory) / 1024) * fargateArmGbHour)
}

/** An alarm on an expression costs as much as one on each metric in it. */
function monitoringCost(templates: Templates, prices: PriceList): number {
  const clusters = sum(
    templates,
    'AWS::ECS::Cluster',
    ({ ClusterSettings }) =>
      listOf(ClusterSettings).filter((setting) => fieldsOf(setting)['Value'] === 'enabled').length,
  )
  const watched = sum(templates, 'AWS::CloudWatch::Alarm', ({ Metrics }) =>
    Math.max(1, listOf(Metrics).filter((metric) => 'MetricStat' in fieldsOf(metric)).length),
  )
  return (
    watched * prices.alarmMonth +
    (idleMetrics.length + clusters * insightMetrics) * prices.metricMonth +
    templates.ofType('AWS::CloudWatch::Dashboard').length * prices.dashboardMonth +
    templates.ofType('AWS::CloudWatch::InsightRule').length * prices.insightRuleMonth
  )
}

function pollingCost(tasks: number, prices: PriceList): number {
  const { pollers: idlePollers, longPollSeconds, run: idleRun } = idleEstimates
  const polls = (pollers: number) => (pollers * secondsPerMonth) / longPollSeconds / million
  const ofWorkers = workers.map(({ queue }) => polls(idlePollers) * queuePrice(queue, prices))
  const runs = schedules.map(({ everyMinutes }) => secondsPerMonth / 60 / everyMinutes)
  const run = idleRun.seconds * idleRun.gb * prices.functionGbSecond + prices.functionMillion / million
  return (
    ofWorkers.reduce((all, cost) => all + cost, 0) +
    polls(tasks) * queuePrice('commands', prices) +
    runs.reduce((all, count) => all + count * run, 0)
  )
}

function queuePrice(queue: keyof typeof queues, prices: PriceList): number {
  return queues[queue].fifo ? prices.fifoQueueMillion : prices.standardQueueMillion
}

function sum(
  templates: Templates,
  type: string,
  cost: (properties: Readonly<Record<string, unknown>>) => number,
): number {
  return templates.ofType(type).reduce((all, { Properties }) => all + cost(Properties), 0)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}
