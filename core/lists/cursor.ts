import { invalidField } from '../errors.ts'
import type { ListValue } from './list-query.ts'

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
  const parts = decode(text)
  if (!Array.isArray(parts) || parts.length < 2 || !parts.every(isListValue)) throw malformed()
  const [id, ...values] = parts
  if (typeof id !== 'string') throw malformed()
  return { id, values }
}

function decode(text: string): unknown {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (char) => char.codePointAt(0) ?? 0)
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw malformed()
  }
}

function isListValue(value: unknown): value is ListValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

const malformed = () => invalidField('cursor', 'must be an X-Next-Cursor of this list')
