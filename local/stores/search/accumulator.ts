import type { JsonObject } from './json.ts'
import type { Condition } from './query.ts'

/** A row of a search, by the places of its columns. */
export type Row = readonly unknown[]

/** Collects the result of an aggregation, row by row. */
export interface Accumulator {
  add(row: Row): void
  result(): JsonObject
}

/** Returns the position of an expression in the rows. */
export type Place = (column: Condition) => number

/** Creates the accumulators of one aggregation: one at the top level, otherwise one for each enclosing bucket. */
export type Maker = () => Accumulator

/** Reads an aggregation of one kind. `within` makes the accumulators of a bucket. */
export type AggregationKind = (body: JsonObject, place: Place, within: Maker) => Maker
