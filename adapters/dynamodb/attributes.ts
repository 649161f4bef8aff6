/** Records as DynamoDB writes them: each value under the letter of its type. */
import { DomainError } from '../../core/errors.ts'

/** A record: names to texts, numbers, booleans, null, bytes, lists and records. */
export type Item = Readonly<Record<string, unknown>>

/** A record in DynamoDB's own writing. */
export type RawItem = Readonly<Record<string, unknown>>

/** Writes a record. Fields without a value are left out. */
export function toRaw(item: Item): RawItem {
  const given = Object.entries(item).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, toAttribute(value)]))
}

/** Reads a record. */
export function fromRaw(raw: RawItem): Item {
  return Object.fromEntries(Object.entries(raw).map(([name, attribute]) => [name, fromAttribute(attribute)]))
}

function toAttribute(value: unknown): object {
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number' && Number.isFinite(value)) return { N: String(value) }
  if (typeof value === 'boolean') return { BOOL: value }
  if (value === null) return { NULL: true }
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return { L: value.map(toAttribute) }
  if (isRecord(value)) return { M: toRaw(value) }
  throw new DomainError('internal_error', `a ${typeof value} cannot be stored`)
}

function fromAttribute(attribute: unknown): unknown {
  const [[type, value] = []] = isRecord(attribute) ? Object.entries(attribute) : []
  if (type === 'S' || type === 'BOOL') return value
  if (type === 'N') return Number(value)
  if (type === 'NULL') return null
  if (type === 'B') return new Uint8Array(Buffer.from(String(value), 'base64'))
  if (type === 'L' && Array.isArray(value)) return value.map(fromAttribute)
  if (type === 'M' && isRecord(value)) return fromRaw(value)
  throw new DomainError('internal_error', 'the store answered with a value of another form')
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
