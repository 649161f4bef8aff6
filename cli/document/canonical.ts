import { createHash } from 'node:crypto'
import type { Json } from './model.ts'

/** Returns the one text of a value: two values have the same text if they differ at most in the order of names. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (name, inner: unknown) => (name === 'callflow' ? ordered(inner) : sorted(inner))) ?? 'null'
  )
}

/** Returns a digest of a value, 64 hex digits. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex')
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The order of names in a callflow is part of it: steps are written out, so that nothing sorts them. */
function ordered(value: unknown): Json {
  return JSON.stringify(value)
}
