import { cdrDays } from '../../contracts/settings/platform.ts'
import { maxEngines } from '../../contracts/settings/engine-sockets.ts'
import { cdrIndex, hookDispatch } from '../../contracts/workers.ts'
import { lanes } from '../../core/events/lanes.ts'
import type { Settings } from '../../lib/settings.ts'
import { call, typicalEvent, writeUnitsOfEvent } from './use-cost.ts'

/** The load whose limits are computed. */
export const scenario = { callsADay: 1_000_000, phones: 200_000 }

/** Estimates about calls, which no code holds; docs/scale.md explains them. */
const estimates = {
  busiestHour: 0.125,
  seconds: 180,
  largestTenant: 0.1,
  ofEngine: 1000,
  answerSeconds: 20,
  requests: 5,
}

/**
 * Bytes of a leg that are planned on the disk of one node: twice those of a merged index, which
 * test/full/opensearch.test.ts measures.
 */
export const legBytes = 3300

const gib = 1024 ** 3 / 1e9

/** Quotas and properties of services; docs/scale.md lists the page of each. */
const service = {
  concurrentFunctions: 1000,
  tableUnits: 40_000,
  partitionUnits: 1000,
  /** Calls a second of a FIFO queue of high throughput, in the regions that have the fewest. */
  queueCalls: 2400,
  shardGb: 30 * gib,
  /** The part of a disk for data, at worst: 5 % are of the operating system, and of the rest 20 % of the service. */
  usableDisk: 0.95 * 0.8,
}

/** Events a second that a connector is planned to carry with a whole processor; the benchmark `esl` shows more. */
const connectorEvents = 15_000

/** Write units of a delivery in the partition of its hook. */
const deliveryUnits = 4

const eventsOfCall = 2 / typicalEvent.legs

/** Returns the events a second of as many engines as a deployment may have, each with the calls that it carries. */
export function eventsOfMostEngines(): number {
  return ((maxEngines * estimates.ofEngine) / estimates.seconds) * eventsOfCall
}

/** The load of a limit in the busiest hour, or for what is kept, in all, and the most that is possible. */
export type ScaleLimit = readonly [load: number, most: number]

/** Returns the calls a day at which a limit is met; loads are proportional to calls. */
export function callsAt([load, most]: ScaleLimit): number {
  return (scenario.callsADay * most) / load
}

/** Loads a second in the busiest hour. */
const calls = (scenario.callsADay * estimates.busiestHour) / 3600
const events = calls * eventsOfCall
const legs = calls * 2
const ofLargest = events * estimates.largestTenant
const dispatchSeconds = call.seconds + typicalEvent.receiverMs / 1000

/** CDRs that are removed take room until their part of the index is merged: a month's at most. */
const unmergedDays = 32

/** Returns the GB of CDRs that are kept for so many days, with a copy, at the load of the scenario. */
export function storedGb(keptDays = Number(cdrDays.fallback)): number {
  return (scenario.callsADay * 2 * (keptDays + unmergedDays) * 2 * legBytes) / 1e9
}

/** Returns the seconds in which every phone of the scenario registers, when all do so at once. */
export function registrationSeconds({ engineConcurrency }: Settings): number {
  return (scenario.phones * call.seconds) / engineConcurrency
}

/** Returns every limit of a stage with two search nodes or more that grows with calls. */
export function scaleLimits(settings: Settings) {
  const { search, environment, connectorCpu, connectorTasks, requestsPerSecond, engineConcurrency } = settings
  return {
    disks: [storedGb(), search.instances * search.volumeGb * gib * service.usableDisk],
    shard: [(scenario.callsADay * 31 * legBytes) / Number(environment['CDR_SHARDS'] ?? 1) / 1e9, service.shardGb],
    index: [legs, (cdrIndex.maxConcurrency * cdrIndex.batchSize) / call.seconds],
    writes: [events * writeUnitsOfEvent(1), service.tableUnits],
    single: [events, hookDispatch.maxConcurrency / dispatchSeconds],
    batched: [events, (hookDispatch.maxConcurrency * hookDispatch.batchSize) / dispatchSeconds],
    queue: [events * connectorTasks, service.queueCalls],
    functions: [events * dispatchSeconds + 2 * legs * call.seconds, service.concurrentFunctions],
    placed: [calls * estimates.answerSeconds, service.concurrentFunctions],
    connector: [events, connectorEvents * (connectorCpu / 1024)],
    posted: [legs, requestsPerSecond],
    posting: [legs * call.seconds, engineConcurrency],
    requests: [calls * estimates.requests, requestsPerSecond],
    engines: [calls * estimates.seconds, maxEngines * estimates.ofEngine],
    lanes: [ofLargest, (lanes * hookDispatch.batchSize) / dispatchSeconds],
    tenant: [ofLargest, Number(environment['EVENTS_PER_SECOND'] ?? 500)],
    hook: [ofLargest, service.partitionUnits / deliveryUnits],
  } as const satisfies Record<string, ScaleLimit>
}
