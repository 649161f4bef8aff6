import { invalidField } from '../errors.ts'
import { didYouMean } from './nearest.ts'

/** A single value that lists sort and filter by. */
export type ListValue = string | number | boolean | null

/** The query parameters of a list, as its route's schema lets them through. */
export interface ListQuery {
  readonly limit?: number | undefined
  readonly page?: number | undefined
  readonly cursor?: string | undefined
  /** Comma-separated names, or a JSON object whose keys are names. */
  readonly columns?: string | undefined
  /** JSON object: field to 1 (ascending) or -1. */
  readonly sort?: string | undefined
  /** JSON object: field to value. */
  readonly filter?: string | undefined
}

/** The meaning of the three written parameters of a list. */
export interface ListWishes {
  /** Names of the fields to show; absent shows all. */
  readonly columns: readonly string[] | undefined
  readonly sort: readonly { readonly field: string; readonly direction: 1 | -1 }[]
  readonly filter: readonly { readonly field: string; readonly value: ListValue }[]
}

/** Reads `columns`, `sort` and `filter`. Throws `invalid_field` for malformed text and for unknown fields. */
export function readWishes(query: ListQuery, fields: readonly string[]): ListWishes {
  return {
    columns: query.columns === undefined ? undefined : readColumns(query.columns, fields),
    sort: readObject('sort', query.sort, fields).map(([field, direction]) => {
      if (direction !== 1 && direction !== -1) throw invalidField('sort', `${field} must be 1 or -1`)
      return { field, direction }
    }),
    filter: readObject('filter', query.filter, fields).map(([field, value]) => {
      if (!isListValue(value)) throw invalidField('filter', `${field} must be text, a number, true, false or null`)
      return { field, value }
    }),
  }
}

function readColumns(text: string, fields: readonly string[]): string[] {
  if (text.startsWith('{')) return readObject('columns', text, fields).map(([name]) => name)
  const names = text.split(',').map((name) => name.trim())
  return names.map((name) => known('columns', name, fields))
}

function readObject(parameter: string, text: string | undefined, fields: readonly string[]): [string, unknown][] {
  if (text === undefined) return []
  const value = parse(parameter, text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidField(parameter, 'must be a JSON object')
  }
  return Object.entries(value).map(([name, member]) => [known(parameter, name, fields), member])
}

function parse(parameter: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidField(parameter, 'must be a JSON object')
  }
}

function known(parameter: string, name: string, fields: readonly string[]): string {
  if (fields.includes(name)) return name
  throw invalidField(parameter, `must name fields of ${fields.join(', ')}${didYouMean(name, fields)}`)
}

function isListValue(value: unknown): value is ListValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** The end of a page: its last item, and the item's sort values. */
export interface ListPosition {
  readonly id: string
  /** Values of the sort fields, or the item's position in the list's own order. */
  readonly values: readonly ListValue[]
}

/**
 * The length up to which text is ordered, and which a cursor contains: it fits into a header whatever a field contains,
 * and identifies the position of its item exactly.
 */
const maxText = 128

/** Returns a value in the form by which lists are sorted. */
export function orderedBy(value: ListValue): ListValue {
  return typeof value === 'string' ? value.slice(0, maxText).toWellFormed() : value
}

/** Writes a position, whose values are such as {@link orderedBy} gives, as text that is safe in headers and queries. */
export function writeCursor({ id, values }: ListPosition): string {
  const bytes = new TextEncoder().encode(JSON.stringify([id, ...values]))
  const text = btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Reads what {@link writeCursor} wrote. Throws `invalid_field` for any other text. */
export function readCursor(text: string): ListPosition {
  const parts = decodeCursor(text)
  if (!Array.isArray(parts) || parts.length < 2 || !parts.every(isListValue)) throw malformedCursor()
  const [id, ...values] = parts
  if (typeof id !== 'string') throw malformedCursor()
  return { id, values }
}

function decodeCursor(text: string): unknown {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (char) => char.codePointAt(0) ?? 0)
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw malformedCursor()
  }
}

const malformedCursor = () => invalidField('cursor', 'must be an X-Next-Cursor of this list')
