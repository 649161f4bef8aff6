import type { LoggedEvent } from './platform-event.ts'

/** A part of a log. */
export interface LogPage {
  /** In rising order. */
  readonly events: readonly LoggedEvent[]
  /** Numbers up to {@link upTo} that belong to no event, and never will. */
  readonly voids: readonly number[]
  /**
   * The result of every number up to here is known: numbers after `since` that are in neither list are no longer kept.
   * Equal to `since` if nothing is known of the next one yet.
   */
  readonly upTo: number
}

/** The latest events of each domain, numbered from 1; the newest 5 000 of the last 24 hours are shown. */
export interface EventLog {
  /**
   * Reads the events after a number: at most `limit` events and about 1 MB, but one at least while there is any.
   * Numbers that were taken half a minute ago and not written are made void by the reading. Whatever is known of a
   * number stays so.
   */
  read(domain: string, since: number, limit: number): Promise<LogPage>
  /** Returns the newest events among the last `count` numbers, in rising order. */
  latest(domain: string, count: number): Promise<LoggedEvent[]>
  /** Returns the highest number that was taken of the domain; 0 before the first. */
  head(domain: string): Promise<number>
}
