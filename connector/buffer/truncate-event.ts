import { EVENT_BYTES, fitted } from '../../adapters/events/fitted-event.ts'
import { readEvent } from '../esl/event.ts'
import type { EngineEvent } from '../runtime/engine.ts'

/**
 * Returns an event as it may wait: itself, or without its large values where it is larger than what the queue takes,
 * with the fields that say so, since all of it would be held for as long as it waits.
 */
export function truncateEvent(event: EngineEvent): EngineEvent {
  if (event.bytes <= EVENT_BYTES) return event
  const fields = event.body === '' ? event.headers() : { ...event.headers(), _body: event.body }
  const cut = fitted({ id: '', name: '', domain: '', uuid: '', occurredAt: 0, fields }).fields
  return cut === fields ? event : readEvent('text/event-json', Buffer.from(JSON.stringify(cut)))
}
