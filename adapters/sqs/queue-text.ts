import { createHash } from 'node:crypto'

/** What SQS takes as a group or deduplication id: up to 128 letters, digits and punctuation marks. */
const ID = /^[!-~]{1,128}$/

/** A name as a group or deduplication id: itself where the queue takes it, its hash where it does not. */
export function queueId(name: string): string {
  return ID.test(name) ? name : createHash('sha256').update(name).digest('hex')
}

/** A message's body. SQS refuses two characters that JSON lets stand: they are escaped. */
export function queueBody(message: object): string {
  return JSON.stringify(message).replace(/[\uFFFE\uFFFF]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`)
}
