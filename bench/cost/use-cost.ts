import type { CostItem } from './idle-cost.ts'
import { originateCall } from '../../contracts/routes/channels.ts'
import { prices } from './prices.ts'

/** The events whose cost is computed. */
export interface EventLoad {
  readonly millions: number
  /** Events of one domain in a batch of dispatch: 1 when events come one at a time, 10 when a queue is full. */
  readonly batch: number
  /** Connectors: each sends every event, and the queue keeps one copy. */
  readonly connectors: number
}

/**
 * The event of this computation: 5 KB of JSON, wanted by one hook whose receiver answers in 50 ms; ten events and two
 * legs for each call.
 */
export const typicalEvent = { kb: 5, hooks: 1, receiverMs: 50, legs: 0.2 }

/**
 * Per function call: estimated seconds of work besides waiting, and the memory in GB that lib/constructs sets. Neither
 * Lambda nor a function writes a line about a call that succeeds.
 */
export const call = { seconds: 0.06, gb: 0.5 }

/**
 * KB of an event's item besides the event, a sixth of whose JSON it holds: keys, times and names of attributes (140
 * bytes).
 */
export const entryKb = 0.15
/**
 * A write fills its last unit by half, on average: so computed, recorded events come within 0.1 units of their items.
 */
const startedUnit = 0.5
const packedKb = (kb: number) => kb / 6

/** Returns the write units of the item of an event with so many KB of JSON, on average. */
export function unitsOfEntry(kb: number): number {
  return packedKb(kb) + entryKb + startedUnit
}

/** Days for which events and deliveries are kept. */
const keptDays = 7
const keptMonths = keptDays / 30.4

/**
 * Write units of a batch of `n` events, divided by `n`: the table of docs/design/deliveries.md, first attempts by
 * dispatch.
 */
export function writeUnitsOfEvent(n: number): number {
  const { kb, hooks } = typicalEvent
  const head = 1 / n
  const event = unitsOfEntry(kb) + 1 / n
  const record = 2 + 2 / n
  // Written in a transaction, and its result in another one, unless it is the only one of its batch.
  const delivery = n * hooks === 1 ? 2 + 1 : 2 + 2
  return head + event + record + delivery * hooks
}

/** Write units of the legs of an event: four for the connector that is first, and two for each other one. */
const unitsOfLegs = (connectors: number) => (4 + 2 * (connectors - 1)) * typicalEvent.legs

/** Returns the costs of a month's events, by item, in addition to an idle month. */
export function eventCosts({ millions, batch, connectors }: EventLoad): CostItem[] {
  const { kb, receiverMs, legs } = typicalEvent
  // Sent, received and deleted; a request of up to 64 KB is one.
  const requests = (1 + legs) * ((connectors + 2) / batch)
  const calls = (1 + legs) / batch
  // Only those for hooks wait for a receiver.
  const seconds = calls * call.seconds + receiverMs / 1000 / batch
  // The event, compressed, its records and its delivery.
  const storedGb = (packedKb(kb) + 1) / 1000
  const perMillion: CostItem[] = [
    {
      name: 'write units of tables',
      month: (writeUnitsOfEvent(batch) + unitsOfLegs(connectors)) * prices.writeUnitMillion,
    },
    { name: 'requests of queues', month: requests * prices.fifoQueueMillion },
    {
      name: 'functions',
      month: 1_000_000 * seconds * call.gb * prices.functionGbSecond + calls * prices.functionMillion,
    },
    { name: 'bytes to receivers', month: kb * prices.transferGb },
    // One of two connectors is in another zone than the engine.
    { name: 'bytes between zones', month: kb * prices.zoneGb * (connectors - 1) },
    {
      name: 'stored events, and their backup',
      month: 1000 * storedGb * keptMonths * (prices.tableGbMonth + prices.tableBackupGbMonth),
    },
  ]
  return perMillion.map(({ name, month }) => ({ name, month: month * millions }))
}

/** Returns the dollars for a million requests of the API that wait for so many seconds in addition to their work. */
export function requestCost(request: RequestLoad): number {
  const { waitSeconds = 0, gb = call.gb, writes, reads } = request
  const seconds = call.seconds + waitSeconds
  return (
    prices.gatewayMillion +
    prices.functionMillion +
    1_000_000 * seconds * gb * prices.functionGbSecond +
    writes * prices.writeUnitMillion +
    reads * prices.readUnitMillion +
    (request.queueRequests ?? 0) * prices.fifoQueueMillion +
    accessLogKb * prices.logGb
  )
}

/** What a request does to stores and queues. */
export interface RequestLoad {
  readonly waitSeconds?: number
  /** Memory of its function. */
  readonly gb?: number
  readonly writes: number
  readonly reads: number
  readonly queueRequests?: number
}

const accessLogKb = 0.4

/** The token's and the domain's allowance are each counted by a write; token, account, domain and role are read. */
const usual = { writes: 2, reads: 4 }
/** A command: its record, claim and outcome, with an index; sent, received, deleted. Its call is known by two more. */
const placed = { writes: usual.writes + 6, reads: usual.reads, queueRequests: 3 }
const { memoryMb } = originateCall
const gb = memoryMb / 1024

/** The requests whose prices docs/cost.md states. */
export const requests = {
  'a usual request': usual,
  'a directory question of an engine': { writes: 0, reads: 4 },
  'a call that is placed with `wait` `none`': placed,
  'a call that is placed and answered after 10 s': { ...placed, gb, waitSeconds: 10 },
  'a call that is placed and not answered within 20 s': { ...placed, gb, waitSeconds: 20 },
} as const satisfies Record<string, RequestLoad>
