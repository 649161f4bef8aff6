import { createHash } from 'node:crypto'

/** What SQS takes as a group or deduplication id: up to 128 letters, digits and punctuation marks. */
const ID = /^[!-~]{1,128}$/

/** A name as a group or deduplication id: itself where the queue takes it, its hash where it does not. */
export function queueId(name: string): string {
  return ID.test(name) ? name : createHash('sha256').update(name).digest('hex')
}

/**
 * A message's body. JSON lets characters stand that SQS refuses (U+FFFE, U+FFFF); they are escaped, and with them what
 * lies beyond the basic plane, which stand-ins for SQS refuse as well.
 */
export function queueBody(message: object | string): string {
  return JSON.stringify(message).replace(
    /[\uD800-\uDFFF\uFFFE\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
