import type { Cdr, CdrPart, CdrRecording, Leg } from './cdr.ts'
import type { SearchAnswer, SearchPlan } from './search-plan.ts'

/** A part that the store will never take, and why. */
export interface RefusedPart {
  readonly part: CdrPart
  readonly reason: string
}

/** Where the CDR of one leg is kept. */
export type CdrPlace = Pick<Cdr, 'uuid' | 'domain_name' | 'created_time'> & { readonly leg: Leg }

/**
 * The CDRs of all domains. An outage is a `DomainError` with `search_unavailable`, a search that takes too long one with
 * `search_timeout`.
 */
export interface CdrStore {
  /**
   * Writes what is told of legs, each merged with what is known of its leg: a repeat changes nothing, and the order of
   * parts does not matter. Answers those that are refused for good; where it throws, all may be sent again.
   */
  index(parts: readonly CdrPart[]): Promise<readonly RefusedPart[]>
  /** Replaces the recordings of a CDR; `false` when it is not there yet. */
  setRecordings(place: CdrPlace, recordings: readonly CdrRecording[]): Promise<boolean>
  /** Finds CDRs; what was written is found within seconds. A span of time without records finds nothing. */
  search(plan: SearchPlan, limitMs: number): Promise<SearchAnswer>
}
