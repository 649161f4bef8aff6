import { cdrDays } from '../../contracts/settings/platform.ts'
import { maxEngines } from '../../contracts/settings/engine-sockets.ts'
import { cdrIndex, hookDispatch } from '../../contracts/workers.ts'
import type { Settings } from '../../lib/settings.ts'
import { call, typicalEvent, writeUnitsOfEvent } from './event-cost.ts'

/** The load whose limits are computed. */
export const scenario = { tenants: 10_000, callsADay: 1_000_000, hooks: 10_000 }

/** Estimates about calls, which no code holds. */
export const callEstimates = {
  /** The part of a day's calls that begins in its busiest hour. */
  busiestHour: 0.125,
  seconds: 180,
  /** The part of all calls that the largest tenant has. */
  largestTenant: 0.1,
  /** Calls that one engine carries at once. */
  ofEngine: 1000,
}

/**
 * Bytes of a leg that are planned on the disk of one node: twice those of a merged index, which
 * test/full/opensearch.test.ts measures.
 */
export const legBytes = 3300

/** Bytes of a GiB in GB, in which loads are counted. */
const gib = 1024 ** 3 / 1e9

/** Quotas and properties of services, as the page of each states them; docs/scale.md lists the pages. */
const service = {
  /** Usual concurrent executions of an account. */
  concurrentFunctions: 1000,
  /** Usual write units a second of a table on demand. */
  tableUnits: 40_000,
  partitionUnits: 1000,
  /** Calls a second of a FIFO queue of high throughput, in the regions that have the fewest. */
  queueCalls: 2400,
  /** A shard for searches should stay below 30 GiB. */
  shardGb: 30 * gib,
  /** The part of a disk for data, at worst: 5 % are of the operating system, and of the rest 20 % of the service. */
  usableDisk: 0.95 * 0.8,
}

/** The pages that state the quotas and properties of services. */
export const servicePages = {
  'concurrent functions of an account': 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html',
  'write units of a table': 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html',
  'write units of a partition, and of a new table':
    'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html',
  'calls of a queue': 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html',
  'size of a shard': 'https://docs.aws.amazon.com/opensearch-service/latest/developerguide/bp-sharding.html',
  'usable part of a disk': 'https://docs.aws.amazon.com/opensearch-service/latest/developerguide/bp-storage.html',
}

/** Events a second that a connector is planned to carry with a whole processor; the benchmark `esl` shows more. */
const connectorEvents = 15_000

/** Write units of a delivery in the partition of its hook. */
const deliveryUnits = 4

/** Returns the events a second of as many engines as a deployment may have, each with the calls that it carries. */
export function eventsOfMostEngines(): number {
  return ((maxEngines * callEstimates.ofEngine) / callEstimates.seconds) * (2 / typicalEvent.legs)
}

/** One limit at the load of the scenario. */
export interface ScaleLimit {
  readonly what: string
  readonly unit: string
  /** The load in the busiest hour, or for what is kept, in all. It is proportional to the calls. */
  readonly load: number
  readonly most: number
  /** The setting that moves the limit, or what has to be done instead. */
  readonly moves: string
}

/** The settings of a stage that limits depend on. */
export type ScaledSettings = Pick<
  Settings,
  'search' | 'connectorCpu' | 'connectorTasks' | 'requestsPerSecond' | 'engineConcurrency' | 'environment'
>

/** Returns the calls a day at which a limit is met. */
export function callsAt({ load, most }: ScaleLimit): number {
  return (scenario.callsADay * most) / load
}

/** Returns every limit of a stage that grows with calls, the one that is met first at the head. */
export function scaleLimits(settings: ScaledSettings): ScaleLimit[] {
  const limits = [
    ...storeLimits(settings),
    ...pipelineLimits(settings),
    ...engineLimits(settings),
    ...tenantLimits(settings),
  ]
  return limits.toSorted((a, b) => callsAt(a) - callsAt(b))
}

/** Loads a second in the busiest hour. A call has as many events and legs as the page on costs says. */
const calls = (scenario.callsADay * callEstimates.busiestHour) / 3600
const events = calls * (2 / typicalEvent.legs)
const legs = calls * 2
const dispatchSeconds = call.seconds + typicalEvent.receiverMs / 1000

function storeLimits({ search, environment }: ScaledSettings): ScaleLimit[] {
  const days = Number(environment[cdrDays.variable] ?? cdrDays.fallback) + unmergedDays
  const copies = search.instances > 1 ? 2 : 1
  const legsADay = scenario.callsADay * 2
  const shards = Number(environment['CDR_SHARDS'] ?? 1)
  return [
    {
      what: `CDRs of ${days} days, with ${copies === 1 ? 'no copy' : 'a copy'}, on the disks of the search nodes`,
      unit: 'GB',
      load: (legsADay * days * copies * legBytes) / 1e9,
      most: search.instances * search.volumeGb * gib * service.usableDisk,
      moves: '`searchVolumeGb`, `searchInstances`, `searchInstanceType`',
    },
    {
      what: 'a shard of the CDRs of a month',
      unit: 'GB',
      load: ((legsADay / 2) * 31 * legBytes) / shards / 1e9,
      most: service.shardGb,
      moves: '`searchInstances`',
    },
    {
      what: 'legs that are written to the search nodes by `cdrIndex`',
      unit: 'a second',
      load: legs,
      most: (cdrIndex.maxConcurrency * cdrIndex.batchSize) / call.seconds,
      moves: '`maxConcurrency` in `contracts/workers.ts`',
    },
    {
      what: 'write units of events and deliveries, as if of one table',
      unit: 'a second',
      load: events * writeUnitsOfEvent(1),
      most: service.tableUnits,
      moves: 'the quota of the account',
    },
  ]
}

/** CDRs that are removed take room until their part of the index is merged: a month's at most. */
const unmergedDays = 32

function pipelineLimits({ connectorTasks }: ScaledSettings): ScaleLimit[] {
  return [
    {
      what: 'events that `hookDispatch` takes one at a time; more wait and come in batches of ten',
      unit: 'a second',
      load: events,
      most: hookDispatch.maxConcurrency / dispatchSeconds,
      moves: 'nothing: batches fill by themselves',
    },
    {
      what: 'events that `hookDispatch` takes in full batches',
      unit: 'a second',
      load: events,
      most: (hookDispatch.maxConcurrency * hookDispatch.batchSize) / dispatchSeconds,
      moves: '`maxConcurrency` in `contracts/workers.ts`',
    },
    {
      what: 'messages that all connectors send to the queue of events, one in a call',
      unit: 'a second',
      load: events * connectorTasks,
      most: service.queueCalls,
      moves: 'nothing: connectors send up to ten in a call; then the quota of the queue',
    },
    {
      what: 'functions that run at once for events, CDRs and engines',
      unit: 'functions',
      load: events * dispatchSeconds + 2 * legs * call.seconds,
      most: service.concurrentFunctions,
      moves: 'the quota of the account',
    },
  ]
}

function engineLimits({ connectorCpu, requestsPerSecond, engineConcurrency }: ScaledSettings): ScaleLimit[] {
  return [
    {
      what: 'events of all engines, which each connector reads',
      unit: 'a second',
      load: events,
      most: connectorEvents * (connectorCpu / 1024),
      moves: '`connectorCpu`',
    },
    {
      what: 'CDRs that engines post',
      unit: 'a second',
      load: legs,
      most: requestsPerSecond,
      moves: '`requestsPerSecond`',
    },
    ...(engineConcurrency === 0
      ? []
      : [
          {
            what: 'posts of CDRs that run at once',
            unit: 'functions',
            load: legs * call.seconds,
            most: engineConcurrency,
            moves: '`engineConcurrency`',
          },
        ]),
    {
      what: `calls at once on ${maxEngines} engines, the most of a deployment`,
      unit: 'calls',
      load: calls * callEstimates.seconds,
      most: maxEngines * callEstimates.ofEngine,
      moves: 'a second deployment, with other tenants',
    },
  ]
}

function tenantLimits({ environment }: ScaledSettings): ScaleLimit[] {
  return [
    {
      what: 'events of the largest tenant',
      unit: 'a second',
      load: events * callEstimates.largestTenant,
      most: Number(environment['EVENTS_PER_SECOND'] ?? 500),
      moves: '`eventsPerSecond`',
    },
    {
      what: 'deliveries of one hook of the largest tenant, in one partition',
      unit: 'a second',
      load: events * callEstimates.largestTenant,
      most: service.partitionUnits / deliveryUnits,
      moves: 'several hooks, each for some of the events',
    },
  ]
}
