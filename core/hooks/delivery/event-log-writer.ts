import type { LoggedEvent, PlatformEvent } from '../../events/platform-event.ts'
import type { Delivery } from './delivery.ts'

/** Numbers of a domain that belong to their taker alone. Those under which it writes nothing become void. */
export interface TakenNumbers {
  readonly domain: string
  readonly first: number
  readonly count: number
  /** The time at which they were reserved, epoch milliseconds. */
  readonly takenAt: number
  /** The preceding time in which the domain may have had no hook, if the log does not show it yet. */
  readonly unwatched: LoggedEvent['unwatched']
}

/** An event on its way into the log. */
export interface NewEntry {
  readonly event: PlatformEvent
  /** One of the taken numbers. */
  readonly sequence: number
  /** Whether a delivery may carry the event: then it is kept whole, however large it is. */
  readonly isWanted: boolean
  /**
   * Deliveries that are made in the same step. Those whose first run has begun are not listed as due: their writer
   * makes that attempt now, and if it dies, the event comes again.
   */
  readonly deliveries: readonly Delivery[]
}

/** The number of an event after a write. */
export interface GivenNumber {
  readonly sequence: number
  /** Whether this write gave it, and made the deliveries; otherwise an earlier one did. */
  readonly isNew: boolean
}

/** Gives events their numbers. What deliveries carry is kept with them, for 7 days. */
export interface EventLogWriter {
  /**
   * Takes the next numbers of a domain. `watchedSince` is when the oldest hook of the domain was made, epoch
   * milliseconds: if that is later than the last time that numbers were taken, the log reports it with the next event.
   */
  take(domain: string, count: number, watchedSince: number): Promise<TakenNumbers>
  /**
   * Writes events of a domain under taken numbers, with their deliveries: all of them or none. Of an event that has a
   * number already nothing is written; it keeps that number for 23 days. Returns the number of each event by its id,
   * and nothing when the numbers were made void meanwhile, since their writer was taken for dead. Of an event above 200
   * KB the long values are cut in the log. No two of the events may have the same id.
   */
  write(taken: TakenNumbers, entries: readonly NewEntry[]): Promise<ReadonlyMap<string, GivenNumber> | undefined>
}
