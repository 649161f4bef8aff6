import type { KnownCall, PlacedCall } from './known-call.ts'

/** Names a leg: its domain and its uuid. */
export type LegKey = Pick<KnownCall, 'domain' | 'uuid'>

/**
 * The live legs of every domain, each once: those that engines have reported, and those that the API has placed. If one
 * ends while no connector listens, the next connector publishes its end.
 */
export interface KnownCallStore {
  /** Stores a leg unless a later change of it is stored. An ended one is not stored anew after its removal. */
  put(call: KnownCall): Promise<void>
  read(domain: string, uuid: string): Promise<KnownCall | undefined>
  /** Lists every stored leg of an engine, in no order; changes of the last second may be missing. */
  list(engine: string): Promise<KnownCall[]>
  /** Lists the legs of a domain that engines have reported, in no order. */
  listOf(domain: string): Promise<KnownCall[]>
  /** Removes legs. Missing ones count as removed. */
  remove(legs: readonly LegKey[]): Promise<void>
  /** Notes that the API places a call. One that was placed before keeps its `placedAt`. */
  place(call: Omit<PlacedCall, 'isUp'>): Promise<void>
  /** A placed call shows by then, epoch milliseconds. One that has ended and is stored no more is not stored again. */
  answered(leg: LegKey, showsBy: number): Promise<void>
  /** Lists the calls of a domain that the API has placed and that have not ended, in no order. */
  listPlaced(domain: string): Promise<PlacedCall[]>
  /** A placed call counts no more: it is forgotten unless an engine has reported it. */
  unplace(leg: LegKey): Promise<void>
}
