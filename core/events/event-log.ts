import type { LoggedEvent, PlatformEvent } from './platform-event.ts'

/** The latest events of each domain, numbered from 1 without a hole; the newest 5 000 of the last 24 hours are kept. */
export interface EventLog {
  /**
   * Gives an event the next number of its domain and answers it; an event of the same id gets the number that it was
   * given first, for five days. Whoever reads a number reads all below it. Of one above 200 KB the long values are cut. `watchedSince` is when the oldest hook of
   * the domain was made, epoch milliseconds: where that is later than the event before, the log says so. Throws
   * `store_unavailable` when others numbered events of the domain all the time, for several seconds.
   */
  append(event: PlatformEvent, watchedSince?: number): Promise<number>
  /**
   * Kept events with numbers above `since`, in rising order: at most `limit` and about 1 MB, but one at least while
   * there is any. Reads consistently.
   */
  read(domain: string, since: number, limit: number): Promise<LoggedEvent[]>
  /** The `count` newest kept events, in rising order. */
  latest(domain: string, count: number): Promise<LoggedEvent[]>
  /** The highest number that the domain has given; 0 before the first. */
  head(domain: string): Promise<number>
}
