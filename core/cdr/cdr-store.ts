import type { Cdr, CdrPart, CdrRecording, Leg } from './cdr.ts'
import type { SearchResponse, SearchPlan } from './search-plan.ts'

/** A part that the store will never accept, and the reason. */
export interface RefusedPart {
  readonly part: CdrPart
  readonly reason: string
}

/** The identity of a leg's CDR in the store. */
export type CdrKey = Pick<Cdr, 'uuid' | 'domain_name' | 'created_time'> & { readonly leg: Leg }

/** The CDRs that a removal finds: what a search of the plan would find. */
export type RemovalPlan = Pick<SearchPlan, 'domain' | 'legs' | 'from' | 'to' | 'query'>

/**
 * The CDRs of all domains. An outage is a `DomainError` with `search_unavailable`; a search that takes too long is one
 * with `search_timeout`.
 */
export interface CdrStore {
  /**
   * Writes parts of CDRs, each merged with the stored record of its leg: a repetition changes nothing, and the order of
   * parts does not matter. Returns the parts that are refused for good; if it throws, all may be sent again.
   */
  index(parts: readonly CdrPart[]): Promise<readonly RefusedPart[]>
  /** Replaces the recordings of a CDR; returns `false` if it does not exist yet. */
  setRecordings(place: CdrKey, recordings: readonly CdrRecording[]): Promise<boolean>
  /** Finds CDRs; a written CDR is found within seconds. A span of time without records finds nothing. */
  search(plan: SearchPlan, limitMs: number): Promise<SearchResponse>
  /**
   * Removes up to `most` CDRs, 1 to 10 000, and returns their number; fewer than `most`: none is left. No search finds
   * a removed CDR any more. With a plan that reaches into the last day, CDRs written a moment ago are removed, too.
   */
  remove(plan: RemovalPlan, most: number): Promise<number>
}
