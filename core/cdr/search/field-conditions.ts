import { type FieldType, fieldTypeOf } from '../cdr-fields.ts'
import { type Bound, type Clause, type FieldValue, anyField } from '../search-plan.ts'
import { type TimeZone, utc } from '../time-zone.ts'
import { type GivenRange, dateEquals, dateRange } from './date-conditions.ts'
import { refused } from './refusal.ts'

/** A field of a search; no CDR has an `unknown` one. */
export interface SearchField {
  readonly name: string
  readonly type: FieldType | 'unknown'
}

/** The context in which conditions are read. */
export interface ConditionContext {
  /** Epoch milliseconds. */
  readonly now: number
  /** The zone of dates that name none; UTC where absent. */
  readonly zone?: TimeZone | undefined
  /** Numbers of dates are seconds. */
  readonly isInSeconds?: boolean | undefined
}

const maxName = 160

/**
 * Returns the field of a name: `*` is every field, `_id` the uuid, `recordings` the names of recordings. Throws
 * `query_refused` for the search store's own names, which begin with `_`, and for patterns.
 */
export function fieldOf(name: string, at: string): SearchField {
  if (name === '*') return { name: anyField, type: 'text' }
  if (name === '_id') return { name: 'uuid', type: 'text' }
  if (name === 'recordings') return { name: 'recordings.name', type: 'text' }
  if (name.startsWith('_')) throw refused(at, 'fields that begin with _ are not offered, but for _id')
  if (name === '' || name.length > maxName) throw refused(at, `a field has a name of 1 to ${maxName} characters`)
  if (/[*?]/.test(name)) throw refused(at, 'a field must be named in full; * alone stands for every field')
  if (name === 'variables') throw refused(at, 'name a variable: variables.<name>')
  return { name, type: fieldTypeOf(name) ?? 'unknown' }
}

/** Returns the condition that the field has one of the values. */
export function equalsOf(
  field: SearchField,
  values: readonly unknown[],
  at: string,
  context: ConditionContext,
): Clause {
  if (field.type === 'unknown') return { kind: 'none' }
  if (field.type === 'date') {
    return anyOf(values.map((value) => dateEquals(field.name, value, at, momentContext(context))))
  }
  const read = field.type === 'text' ? textOf : numberOf
  const possible = values.map((value) => read(value, at)).filter((value) => isPossible(field, value))
  return possible.length === 0 ? { kind: 'none' } : { kind: 'equals', field: field.name, values: possible }
}

/** Returns the condition that the field lies between two ends. */
export function rangeOf(field: SearchField, given: GivenRange, at: string, context: ConditionContext): Clause {
  if (field.type === 'unknown') return { kind: 'none' }
  if (field.name === anyField) throw refused(at, 'a range needs a field: write field:[from TO to] or field:>value')
  if (field.type === 'date') return dateRange(field.name, given, at, momentContext(context))
  const read = field.type === 'text' ? textOf : numberOf
  const bound = (value: unknown, isInclusive: boolean): Bound | undefined =>
    value === undefined || value === null ? undefined : { value: read(value, at), isInclusive }
  const from = bound(given.from, given.isFromIncluded)
  const to = bound(given.to, given.isToIncluded)
  return { kind: 'range', field: field.name, from: reachable(field, from, true), to: reachable(field, to, false) }
}

/** Returns the condition that the text of the field begins with a text. */
export function prefixOf(field: SearchField, text: string, at: string): Clause {
  checkPattern(field, at)
  return field.type === 'unknown' ? { kind: 'none' } : { kind: 'prefix', field: field.name, text: wellFormed(text, at) }
}

/** Returns the condition that the text of the field matches a pattern. */
export function wildcardOf(field: SearchField, pattern: string, at: string): Clause {
  if (/^\*+$/.test(pattern)) return existsOf(field)
  checkPattern(field, at)
  if (field.type === 'unknown') return { kind: 'none' }
  return { kind: 'wildcard', field: field.name, pattern: wellFormed(pattern, at) }
}

/** Returns the condition that the field exists; every CDR has some field. */
export function existsOf(field: SearchField): Clause {
  if (field.name === anyField) return { kind: 'all' }
  return field.type === 'unknown' ? { kind: 'none' } : { kind: 'exists', field: field.name }
}

/** Returns the condition that at least one of the given conditions holds. */
export function anyOf(clauses: readonly Clause[]): Clause {
  const possible = clauses.filter(({ kind }) => kind !== 'none')
  const [only] = possible
  if (only === undefined) return { kind: 'none' }
  if (possible.length === 1) return only
  return { kind: 'bool', must: [], mustNot: [], should: possible, leastShould: 1 }
}

/** Returns the condition that all of the given conditions hold. */
export function allOf(clauses: readonly Clause[]): Clause {
  const needed = clauses.filter(({ kind }) => kind !== 'all')
  const [only] = needed
  if (only === undefined) return { kind: 'all' }
  if (needed.length === 1) return only
  return { kind: 'bool', must: needed, mustNot: [], should: [], leastShould: 0 }
}

function momentContext({ now, zone = utc, isInSeconds = false }: ConditionContext) {
  return { now, zone, isInSeconds }
}

function checkPattern({ name, type }: SearchField, at: string): void {
  if (type === 'text' || type === 'unknown') return
  throw refused(at, `${name} is no text: ask for a value or a range of it`)
}

function textOf(value: unknown, at: string): string {
  if (typeof value === 'string') return wellFormed(value, at)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw refused(at, 'must be text or a number')
}

function wellFormed(text: string, at: string): string {
  if (text.isWellFormed()) return text
  throw refused(at, 'must be well-formed Unicode')
}

function numberOf(value: unknown, at: string): number {
  const number = typeof value === 'string' && /^[+-]?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isFinite(number)) return number
  throw refused(at, 'must be a number')
}

/** The range of the search store's whole numbers. */
const greatest = 2 ** 31 - 1

function isPossible({ type }: SearchField, value: FieldValue): boolean {
  return type !== 'integer' || (Number.isInteger(value) && Math.abs(Number(value)) <= greatest)
}

/** Moves an end beyond every whole number to the nearest one, which has the same meaning. */
function reachable({ type }: SearchField, bound: Bound | undefined, isFrom: boolean): Bound | undefined {
  if (bound === undefined || type !== 'integer' || Math.abs(Number(bound.value)) <= greatest) return bound
  const isAbove = Number(bound.value) > 0
  return { value: isAbove ? greatest : -greatest, isInclusive: isAbove !== isFrom }
}
