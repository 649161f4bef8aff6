import type { Place, Row } from './accumulator.ts'
import { type Field, fieldOf, valuesIn } from './field.ts'
import { type JsonObject, textIn } from './json.ts'
import { isNumber } from './query.ts'
import { badRequest } from './refusal.ts'

/** Reads the values of a field in a row. */
export type ValuesIn = (row: Row) => readonly (string | number)[]

/** Returns the field that an aggregation names, and what reads its values; no values where no document can have it. */
export function aggregatedField(body: JsonObject, place: Place): { field: Field | undefined; valuesIn: ValuesIn } {
  const field = fieldOf(textIn(body, 'field'))
  if (field === undefined) return { field, valuesIn: () => [] }
  const at = place({ sql: field.column, values: [] })
  const read = (value: string | number): string | number => (isNumber(field) ? Number(value) : value)
  if (field.isList) return { field, valuesIn: (row) => valuesIn(String(row[at])).map(read) }
  return {
    field,
    valuesIn: (row) => {
      const value = row[at]
      return typeof value === 'string' || typeof value === 'number' ? [value] : []
    },
  }
}

/** Returns the field that an aggregation names and a reader of its numbers. Refuses a text field as OpenSearch does. */
export function numericField(body: JsonObject, place: Place, kind: string) {
  const { field, valuesIn } = aggregatedField(body, place)
  if (field !== undefined && !isNumber(field)) {
    throw badRequest(
      `Field [${field.name}] of type [keyword] is not supported for aggregation [${kind}]`,
      'illegal_argument_exception',
    )
  }
  return { field, numbersIn: (row: Row): readonly number[] => valuesIn(row).map(Number) }
}

/** Returns a time as the format `strict_date_time` writes it. `offsetMs`: what local clocks are ahead of UTC. */
export function timeText(at: number, offsetMs = 0): string {
  const local = new Date(at + offsetMs).toISOString()
  if (offsetMs === 0) return local
  const minutes = Math.round(Math.abs(offsetMs) / 60_000)
  const two = (value: number): string => String(value).padStart(2, '0')
  const offset = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
  return `${local.slice(0, -1)}${offsetMs < 0 ? '-' : '+'}${offset}`
}
