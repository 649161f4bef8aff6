/** Stands between the parts of a key, and nowhere else in it. */
const SEPARATOR = '|'

/** The separator, the escape character, and halves of surrogate pairs, which the store could not tell apart. */
const SPECIAL = /[|%]|\p{Cs}/gu

/**
 * One key from several parts. No two different lists of parts give the same key, and keys whose lists start with the
 * same parts start with the same text ({@link keyPrefix}). Parts keep their order as long as they are plain ASCII.
 */
export function joinKey(first: string, ...rest: readonly string[]): string {
  return [first, ...rest].map(escapePart).join(SEPARATOR)
}

/** What every key starts with whose first parts are these and that has further ones. */
export function keyPrefix(first: string, ...rest: readonly string[]): string {
  return joinKey(first, ...rest) + SEPARATOR
}

/** A whole number from 0 to 9 999 999 999 999 999 as a part that sorts by its value. */
export function numberPart(value: number): string {
  return String(value).padStart(16, '0')
}

function escapePart(part: string): string {
  return part.replace(SPECIAL, (char) => `%${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
