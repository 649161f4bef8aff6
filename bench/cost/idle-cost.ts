import type { ConnectorMetric } from '../../contracts/metrics.ts'
import { schedules } from '../../contracts/schedules.ts'
import { workers } from '../../contracts/workers.ts'
import { queues } from '../../contracts/resources.ts'
import { reportMs } from '../../connector/health/status-report.ts'
import { prices } from './prices.ts'

/** A cost of a month. */
export interface CostItem {
  readonly name: string
  readonly month: number
}

type Properties = Readonly<Record<string, unknown>>

/** The resources of a synthesized deployment, by type; a part of the assembly that tests read. */
export interface Templates {
  ofType(type: string): readonly { readonly Properties: Properties }[]
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
export function busyMetricsCost(): CostItem {
  const month = (busyMetrics.length - idleMetrics.length) * prices.metricMonth
  return { name: 'metrics of calls', month }
}

/** Returns the costs of a month without calls, by item. */
export function idleCosts(templates: Templates): CostItem[] {
  const tasks = sum(templates, 'AWS::ECS::Service', ({ DesiredCount }) => Number(DesiredCount))
  return [
    {
      name: 'search nodes and their disks',
      month: sum(templates, 'AWS::OpenSearchService::Domain', searchCost),
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
    { name: 'connectors', month: tasks * sum(templates, 'AWS::ECS::TaskDefinition', taskCost) },
    { name: 'alarms, metrics, dashboard', month: monitoringCost(templates) },
    {
      name: 'secrets and keys',
      month:
        templates.ofType('AWS::SecretsManager::Secret').length * prices.secretMonth +
        templates.ofType('AWS::KMS::Key').length * prices.keyMonth,
    },
    { name: 'pollers and schedules', month: pollingCost(tasks) },
    // A report has less than 2 KB.
    {
      name: 'reports of connectors',
      month: (tasks * 2 * secondsPerMonth * 1000 * prices.writeUnitMillion) / reportMs / million,
    },
    { name: 'logs', month: idleEstimates.logGb * prices.logGb },
  ]
}

function searchCost({ ClusterConfig, EBSOptions }: Properties): number {
  const { InstanceCount, InstanceType, DedicatedMasterCount = 0 } = fieldsOf(ClusterConfig)
  const volumeGb = Number(fieldsOf(EBSOptions)['VolumeSize'])
  return costOfStore(String(InstanceType), {
    nodes: Number(InstanceCount),
    managers: Number(DedicatedMasterCount),
    volumeGb,
  })
}

/** Returns what the nodes of a search domain and their disks cost in a month. */
export function costOfStore(
  instanceType: string,
  { nodes, managers, volumeGb }: { readonly nodes: number; readonly managers: number; readonly volumeGb: number },
): number {
  const hour = prices.searchNodeHour[instanceType]
  if (hour === undefined) throw new Error(`bench/cost/prices.ts has no price of ${instanceType}`)
  return (nodes + managers) * hour * prices.hoursPerMonth + nodes * volumeGb * prices.searchDiskGbMonth
}

function publicAddresses({ DesiredCount, NetworkConfiguration }: Properties): number {
  const { AssignPublicIp } = fieldsOf(fieldsOf(NetworkConfiguration)['AwsvpcConfiguration'])
  return AssignPublicIp === 'ENABLED' ? Number(DesiredCount) : 0
}

function taskCost({ Cpu, Memory }: Properties): number {
  const { fargateArmCpuHour, fargateArmGbHour, hoursPerMonth } = prices
  return hoursPerMonth * ((Number(Cpu) / 1024) * fargateArmCpuHour + (Number(Memory) / 1024) * fargateArmGbHour)
}

/** An alarm on an expression costs as much as one on each metric in it. */
function monitoringCost(templates: Templates): number {
  const watched = sum(templates, 'AWS::CloudWatch::Alarm', ({ Metrics }) =>
    Math.max(1, listOf(Metrics).filter((metric) => 'MetricStat' in fieldsOf(metric)).length),
  )
  return (
    watched * prices.alarmMonth +
    idleMetrics.length * prices.metricMonth +
    templates.ofType('AWS::CloudWatch::Dashboard').length * prices.dashboardMonth +
    templates.ofType('AWS::CloudWatch::InsightRule').length * prices.insightRuleMonth
  )
}

function pollingCost(tasks: number): number {
  const { pollers: idlePollers, longPollSeconds, run: idleRun } = idleEstimates
  const polls = (pollers: number) => (pollers * secondsPerMonth) / longPollSeconds / million
  const ofWorkers = workers.map(({ queue }) => polls(idlePollers) * queuePrice(queue))
  const runs = schedules.map(({ everyMinutes }) => secondsPerMonth / 60 / everyMinutes)
  const run = idleRun.seconds * idleRun.gb * prices.functionGbSecond + prices.functionMillion / million
  return (
    ofWorkers.reduce((all, cost) => all + cost, 0) +
    polls(tasks) * queuePrice('commands') +
    runs.reduce((all, count) => all + count * run, 0)
  )
}

function queuePrice(queue: keyof typeof queues): number {
  return queues[queue].fifo ? prices.fifoQueueMillion : prices.standardQueueMillion
}

function sum(templates: Templates, type: string, cost: (properties: Properties) => number): number {
  return templates.ofType(type).reduce((all, { Properties }) => all + cost(Properties), 0)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}
