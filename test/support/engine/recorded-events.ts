import { type EslEvent, readEvent } from '@callplane/esl'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import { anEvent } from '../records/records.ts'
import type { EslFrame } from '../../../packages/esl/frame.ts'
import { framesOf, recordedBytes, recordedFrames } from './engine-recordings.ts'
import { jsonOfPlain } from './plain-events.ts'

/** The events of a recording in JSON as the platform's own, with all their fields, in one domain. */
export function recordedEvents(recording: string, domain: string): PlatformEvent[] {
  const bytes = recordedBytes(recording)
  return recordedFrames(recording).flatMap(({ off, hlen, blen, event }) => {
    if (event === undefined) return []
    const fields = { ...readEvent('text/event-json', bytes.subarray(off + hlen, off + hlen + blen)).headers() }
    const { 'Core-UUID': core = '', 'Unique-ID': uuid = '' } = fields
    return [anEvent({ domain, id: `${core}:${uuid}:${event}`, name: event, uuid, fields })]
  })
}

/** The events of a recording, those in XML left out. */
export function recordedEslEvents(recording: string): EslEvent[] {
  return framesOf(recordedBytes(recording)).flatMap(eventsOf)
}

/** The event of a recorded frame in JSON, or in the plain format as JSON; none of any other frame. */
export function eventsOf({ contentType, body }: Pick<EslFrame, 'contentType' | 'body'>): EslEvent[] {
  if (contentType === 'text/event-json') return [readEvent(contentType, body)]
  return contentType === 'text/event-plain' ? [readEvent('text/event-json', jsonOfPlain(body))] : []
}
