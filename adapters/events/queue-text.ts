import { createHash } from 'node:crypto'

/** The accepted group and deduplication ids of SQS: up to 128 letters, digits and punctuation marks. */
const ID = /^[!-~]{1,128}$/

/** Returns a name as a group or deduplication id: unchanged if the queue accepts it, otherwise its hash. */
export function queueId(name: string): string {
  return ID.test(name) ? name : createHash('sha256').update(name).digest('hex')
}

/** Returns a message's body, in the form of {@link queueText}. */
export function queueBody(message: object | string): string {
  return queueText(JSON.stringify(message))
}

/**
 * Returns JSON as a queue takes it. JSON permits characters that SQS refuses (U+FFFE, U+FFFF); they are escaped,
 * together with characters beyond the basic plane, which emulators of SQS refuse as well.
 */
export function queueText(json: string): string {
  return json.replace(
    /[\uD800-\uDFFF\uFFFE\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
