import { isRecord } from '../assembly/record.ts'

/** The most bytes of JSON that Lambda takes from a function: 6 MiB and 100. */
const mostBytes = 6 * 1024 * 1024 + 100

/** The most bytes that a character of a text has in JSON: `\u0000`. */
const mostPerCharacter = 6

/** Room for the rest of an answer; headers have 10 KB at most. */
const restOfAnswer = 64 * 1024

/**
 * Returns whether Lambda would refuse a function's result. Only a large body is counted completely, since this runs for
 * every call.
 */
export function isTooLargeAnswer(value: unknown): boolean {
  if (value === undefined) return false
  const body = isRecord(value) ? value['body'] : undefined
  if (typeof body === 'string' && body.length * mostPerCharacter + restOfAnswer <= mostBytes) return false
  return Buffer.byteLength(JSON.stringify(value)) > mostBytes
}
