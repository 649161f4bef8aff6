import type { JsonObject } from './json.ts'
import type { Condition } from './query.ts'

/** A row of a search, by the places of its columns. */
export type Row = readonly unknown[]

/** Collects what an aggregation comes to, row by row. */
export interface Accumulator {
  add(row: Row): void
  result(): JsonObject
}

/** Gives an expression a place in the rows. */
export type Place = (column: Condition) => number

/** Makes the accumulators of one aggregation: one where it stands alone, one for each bucket that it stands in. */
export type Maker = () => Accumulator

/** Reads an aggregation of one kind. `within` makes the accumulators of a bucket. */
export type AggregationKind = (body: JsonObject, place: Place, within: Maker) => Maker
