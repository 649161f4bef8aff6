import { type EslEvent, readEvent } from '../../../connector/esl/event.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import { anEvent } from '../records/records.ts'
import { framesOf, recordedBytes, recordedFrames } from './engine-recordings.ts'

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

/** The events of a recording in the formats that a connector reads: plain and JSON. */
export function recordedEslEvents(recording: string): EslEvent[] {
  return framesOf(recordedBytes(recording))
    .filter(({ contentType }) => contentType === 'text/event-plain' || contentType === 'text/event-json')
    .map(({ contentType, body }) => readEvent(contentType, body))
}
