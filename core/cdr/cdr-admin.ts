/** Manages the store of CDRs as a whole. An outage is a `DomainError` with `search_unavailable`. */
export interface CdrAdmin {
  /**
   * Prepares the store for CDRs of this version, or leaves it unchanged when it is ready: the mapping of fields and
   * the names of indices. It is idempotent, also when called concurrently.
   */
  prepare(): Promise<void>
  /**
   * Removes the indices of months that ended before a moment (epoch milliseconds) and have no CDR any more, nor one
   * that was just written. To be called with a moment before which no call began that is still to be reported.
   */
  removeEmpty(before: number): Promise<void>
}
