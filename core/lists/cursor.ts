import { invalidField } from '../errors.ts'
import type { ListValue } from './list-query.ts'

/** Where a page ended: its last item, and what the list was ordered by there. */
export interface ListPosition {
  readonly id: string
  /** Values of the sort fields, or the item's place in the list's own order. */
  readonly values: readonly ListValue[]
}

/** Characters kept of a text in a cursor, so that a cursor fits into a header whatever a field holds. */
const maxText = 128

/** Writes a position as text that is safe in headers and queries. */
export function writeCursor({ id, values }: ListPosition): string {
  const kept = values.map((value) => (typeof value === 'string' ? value.slice(0, maxText).toWellFormed() : value))
  const bytes = new TextEncoder().encode(JSON.stringify([id, ...kept]))
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
