import type { DatabaseSync } from 'node:sqlite'
import { valuesIn } from './field.ts'
import { matchesWildcard } from './wildcard.ts'

/** The time of a search is over. */
export class TimeOver extends Error {
  override readonly name = 'TimeOver'
}

/** The functions that queries call for each row. */
export interface Functions {
  /** Makes work on rows throw {@link TimeOver} after this moment of `performance.now()`. */
  setDeadline(at: number): void
  tick(): void
}

/**
 * Makes the functions known to SQL: `tick(row)`, which is true, and for patterns and for fields with several values
 * `wild(text, pattern)`, `list_wild(list, pattern)`, `list_range(list, json)`, `list_end(list, json)`.
 */
export function addFunctions(sqlite: DatabaseSync): Functions {
  let deadline = Infinity
  const tick = (): void => {
    if (performance.now() > deadline) throw new TimeOver('the time of the search is over')
  }
  const plain = { deterministic: true }
  sqlite.function('tick', (_row) => {
    tick()
    return 1
  })
  sqlite.function('wild', plain, (text, pattern) =>
    text === null ? null : Number(matchesWildcard(String(pattern), String(text))),
  )
  sqlite.function('list_wild', plain, (list, pattern) =>
    Number(valuesIn(String(list)).some((value) => matchesWildcard(String(pattern), value))),
  )
  sqlite.function('list_range', plain, (list, range) => {
    const { numeric, ...edges }: ListRange = JSON.parse(String(range))
    return Number(valuesIn(String(list)).some((value) => isInRange(numeric ? Number(value) : value, edges)))
  })
  sqlite.function('list_end', plain, (list, which) => {
    const { numeric, order }: ListEnd = JSON.parse(String(which))
    const values = valuesIn(String(list)).map((value) => (numeric ? Number(value) : value))
    return values.sort((a, b) => (order === 'asc' ? compareValues(a, b) : compareValues(b, a)))[0] ?? null
  })
  return {
    tick,
    setDeadline(at) {
      deadline = at
    },
  }
}

type Value = string | number

/** Edges of a range, as a query names them. */
export interface Edges {
  readonly gt?: Value
  readonly gte?: Value
  readonly lt?: Value
  readonly lte?: Value
}

type ListRange = Edges & { readonly numeric: boolean }

interface ListEnd {
  readonly numeric: boolean
  readonly order: 'asc' | 'desc'
}

function isInRange(value: Value, { gt, gte, lt, lte }: Edges): boolean {
  return (
    (gt === undefined || compareValues(value, gt) > 0) &&
    (gte === undefined || compareValues(value, gte) >= 0) &&
    (lt === undefined || compareValues(value, lt) < 0) &&
    (lte === undefined || compareValues(value, lte) <= 0)
  )
}

/** Returns the order of values: numbers by size, texts by their bytes in UTF-8. */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
}
