import type { CostItem } from './idle-cost.ts'
import type { PriceList } from './price-list.ts'

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
 * Per function call: estimated seconds of work besides waiting for the receiver, the memory in GB that lib/constructs
 * sets, and KB of the three lines that Lambda writes itself (265 bytes in its text format), with the 26 bytes that
 * CloudWatch adds to each line. Functions log a success only where a request caused the event.
 */
export const call = { seconds: 0.06, gb: 0.5, logKb: 0.35 }

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
export const keptDays = 7
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
export function eventCosts({ millions, batch, connectors }: EventLoad, prices: PriceList): CostItem[] {
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
    { name: 'logs of functions', month: calls * call.logKb * prices.logGb },
    {
      name: 'stored events, and their backup',
      month: 1000 * storedGb * keptMonths * (prices.tableGbMonth + prices.tableBackupGbMonth),
    },
  ]
  return perMillion.map(({ name, month }) => ({ name, month: month * millions }))
}

/**
 * Returns the cost of one KB more in each of a million events: a sixth of it is stored, in one more write unit for each
 * started KB.
 */
export function costOfKb({ writeUnitMillion, transferGb, tableGbMonth, tableBackupGbMonth }: PriceList): number {
  return packedKb(1) * writeUnitMillion + transferGb + packedKb(1) * keptMonths * (tableGbMonth + tableBackupGbMonth)
}
