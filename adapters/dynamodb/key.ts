import { createHash } from 'node:crypto'

/** Stands between the parts of a key, and nowhere else in it. */
const SEPARATOR = '|'

/** The separator, the escape character, and halves of surrogate pairs, which the store could not distinguish. */
const SPECIAL = /[|%]|\p{Cs}/gu

/** The store refuses empty keys. No escape has this form. */
const EMPTY = '%-'

/** Bytes of a part that the key has unchanged. The store allows 2048 in a partition key and 1024 in a sort key. */
const PART_BYTES = 256

/**
 * Joins parts into one key. Different lists of parts give different keys, and keys whose lists start with the same
 * parts start with the same text ({@link keyPrefix}). Parts may be any text: an overlong part is replaced by its hash.
 * Plain ASCII parts keep their order.
 */
export function joinKey(first: string, ...rest: readonly string[]): string {
  return [first, ...rest].map(escapePart).join(SEPARATOR)
}

/** Returns the common prefix of all longer keys that start with these parts. */
export function keyPrefix(first: string, ...rest: readonly string[]): string {
  return joinKey(first, ...rest) + SEPARATOR
}

/** Returns a whole number from 0 to 9 999 999 999 999 999 as a part that sorts by its value. */
export function numberPart(value: number): string {
  return String(value).padStart(16, '0')
}

/** Returns the parts of a key, as given to {@link joinKey}. An overlong part is returned as its hash. */
export function splitKey(key: string): [string, ...string[]] {
  const [first = '', ...rest] = key.split(SEPARATOR).map(unescapePart)
  return [first, ...rest]
}

function unescapePart(part: string): string {
  if (part === EMPTY) return ''
  return part.replace(/%([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

function escapePart(part: string): string {
  if (part === '') return EMPTY
  const escaped = part.replace(SPECIAL, (char) => `%${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  if (Buffer.byteLength(escaped) <= PART_BYTES) return escaped
  return `%sha256-${createHash('sha256').update(escaped).digest('hex')}`
}

/**
 * The number of partitions that share the load of one hot partition: DynamoDB accepts a thousand writes a second for
 * each. It must never change, as stored items depend on it.
 */
const SHARDS = 8

/** The names of all shards. */
export const shards: readonly string[] = Array.from({ length: SHARDS }, (_, index) => String(index))

/** Returns the shard of an id: always the same, and evenly spread. */
export function shardOf(id: string): string {
  return String(createHash('sha256').update(id).digest().readUInt32BE(0) % SHARDS)
}
