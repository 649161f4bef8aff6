import type { LoggedEvent } from './platform-event.ts'

/** The number of a domain's latest events that its log shows, from the contract's list of events. */
export const eventLogLimit = 5_000

/** The most deliveries that are made in the same step as the entries of a batch: DynamoDB writes 100 items together. */
export const deliveriesTogether = 80

/** The most events that are written in one step: as many as a function gets from the queue at once. */
export const entriesTogether = 10

/**
 * Numbers that were taken so long ago and not written are those of a dead writer: the functions that write have 30 s. A
 * writer that is later all the same finds its numbers void, and takes others.
 */
export const deadWriterMs = 30_000

/**
 * Returns the time in which a domain may have had no hook, before an event at which its oldest hook was created at
 * `watchedSince`. It begins with the event before (epoch milliseconds; 0 for none). Returns none if the hook is older
 * than that event, since the domain then had a hook all the time.
 */
export function unwatchedBefore(previousAt: number, watchedSince: number): LoggedEvent['unwatched'] {
  return watchedSince > previousAt ? { from: previousAt, to: watchedSince } : undefined
}
