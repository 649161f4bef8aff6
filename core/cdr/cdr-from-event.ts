import type { CdrPart } from './cdr.ts'
import { type EndedLeg, cdrOfEnd } from './cdr-of-end.ts'
import { told } from './end-fields.ts'

/**
 * What an end-of-call event (`CHANNEL_HANGUP_COMPLETE`) tells of its leg. One that the connector made in the place of a
 * missed one (`Synthetic: true`) tells less and is worth less. `undefined` when it tells no usable time.
 */
export function cdrFromEvent(event: EndedLeg): CdrPart | undefined {
  const cdr = cdrOfEnd(event)
  const source = told(event.fields, 'Synthetic') === 'true' ? 'made' : 'event'
  return cdr === undefined ? undefined : { source, cdr }
}
