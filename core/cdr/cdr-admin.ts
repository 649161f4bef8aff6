/** What a preparation has come to. */
export interface CdrPreparation {
  /** `by-store`: the store itself removes what has been kept long enough. `none`: it cannot, and CDRs stay. */
  readonly retention: 'by-store' | 'none'
}

/** Looks after the store of CDRs as a whole. An outage is a `DomainError` with `search_unavailable`. */
export interface CdrAdmin {
  /**
   * Makes the store ready for CDRs of this version, or leaves it as it is when it is ready: how fields are kept, under
   * which names indices are found, how long they are kept. Any number of calls come to the same, also beside each other.
   */
  prepare(): Promise<CdrPreparation>
}
