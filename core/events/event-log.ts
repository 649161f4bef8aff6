import type { Delivery } from '../hooks/delivery.ts'
import type { LoggedEvent, PlatformEvent } from './platform-event.ts'

/** Numbers of a domain that belong to their taker alone. Those under which it writes nothing become void. */
export interface TakenNumbers {
  readonly domain: string
  readonly first: number
  readonly count: number
  /** When they were taken, epoch milliseconds. */
  readonly takenAt: number
  /** The time before them in which the domain may have had no hook, where the log does not tell it yet. */
  readonly unwatched: LoggedEvent['unwatched']
}

/** An event on its way into the log. */
export interface NewEntry {
  readonly event: PlatformEvent
  /** One of the taken numbers. */
  readonly sequence: number
  /** Whether a delivery may carry the event: then it is kept whole, however large it is. */
  readonly isWanted: boolean
  /** Deliveries that are made in the same step. */
  readonly deliveries: readonly Delivery[]
}

/** The number of an event after a write. */
export interface GivenNumber {
  readonly sequence: number
  /** Whether this write gave it, and made the deliveries; otherwise an earlier one did. */
  readonly isNew: boolean
}

/** A part of a log. */
export interface LogPage {
  /** In rising order. */
  readonly events: readonly LoggedEvent[]
  /** Numbers up to {@link upTo} that belong to no event, and never will. */
  readonly voids: readonly number[]
  /**
   * It is known what became of every number up to here: those after `since` that are in neither list are not kept any more.
   * Equal to `since` if nothing is known of the next one yet.
   */
  readonly upTo: number
}

/** Gives events their numbers. What deliveries carry is kept with them, for 7 days. */
export interface EventLogWriter {
  /**
   * Takes the next numbers of a domain. `watchedSince` is when the oldest hook of the domain was made, epoch milliseconds:
   * if that is later than the last time that numbers were taken, the log reports it with the next event.
   */
  take(domain: string, count: number, watchedSince: number): Promise<TakenNumbers>
  /**
   * Writes events of a domain under taken numbers, with their deliveries: all of them or none. Of an event that has a
   * number already nothing is written; it keeps that number for 23 days. Returns the number of each event by its id, and
   * nothing when the numbers were made void meanwhile, since their writer was taken for dead. Of an event above 200 KB the
   * long values are cut in the log. No two of the events may have the same id.
   */
  write(taken: TakenNumbers, entries: readonly NewEntry[]): Promise<ReadonlyMap<string, GivenNumber> | undefined>
}

/** The latest events of each domain, numbered from 1; the newest 5 000 of the last 24 hours are shown. */
export interface EventLog {
  /**
   * Reads the events after a number: at most `limit` events and about 1 MB, but one at least while there is any. Numbers that
   * were taken half a minute ago and not written are made void by the reading. Whatever is known of a number stays so.
   */
  read(domain: string, since: number, limit: number): Promise<LogPage>
  /** Returns the newest events among the last `count` numbers, in rising order. */
  latest(domain: string, count: number): Promise<LoggedEvent[]>
  /** Returns the highest number that was taken of the domain; 0 before the first. */
  head(domain: string): Promise<number>
}
