import type { KnownCall } from './known-call.ts'

/** Names a leg: its domain and its uuid. */
export type LegKey = Pick<KnownCall, 'domain' | 'uuid'>

/** The legs that were known to be up. If one ends while no connector listens, the next connector publishes its end. */
export interface KnownCallStore {
  /** Stores legs; stored ones are replaced. If it fails, an unknown part of them is stored. */
  put(calls: readonly KnownCall[]): Promise<void>
  read(domain: string, uuid: string): Promise<KnownCall | undefined>
  /** Reads up to 100 legs and returns those that are stored, in no order. */
  readEach(legs: readonly LegKey[]): Promise<KnownCall[]>
  /** Lists every stored leg of an engine, in no order; changes of the last second may be missing. */
  list(engine: string): Promise<KnownCall[]>
  /** Removes legs. Missing ones count as removed. */
  remove(legs: readonly LegKey[]): Promise<void>
}
