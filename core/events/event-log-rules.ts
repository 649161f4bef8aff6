import type { LoggedEvent } from './platform-event.ts'

/** How many events of a domain its log keeps, from the contract's list of events. */
export const eventLogLimit = 5_000

/**
 * The time in which a domain may have had no hook, between the event before (epoch milliseconds; 0 for none) and an
 * event that finds the oldest hook to have been made at `watchedSince`. None where that hook is the older one: then the
 * domain had it all the time.
 */
export function unwatchedBefore(previousAt: number, watchedSince: number): LoggedEvent['unwatched'] {
  return watchedSince > previousAt ? { from: previousAt, to: watchedSince } : undefined
}
