import type { CdrPart } from './cdr.ts'
import { type EndedLeg, cdrOfEnd } from './cdr-of-end.ts'
import { reported } from './end-fields.ts'

/**
 * Returns the CDR fields of an end-of-call event (`CHANNEL_HANGUP_COMPLETE`). A synthetic event (`Synthetic: true`) has
 * fewer fields and lower precedence. `undefined` if the event has no usable time.
 */
export function cdrFromEvent(event: EndedLeg): CdrPart | undefined {
  const cdr = cdrOfEnd(event)
  const source = reported(event.fields, 'Synthetic') === 'true' ? 'made' : 'event'
  return cdr === undefined ? undefined : { source, cdr }
}
