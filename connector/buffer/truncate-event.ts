import { EVENT_BYTES, fitted } from '../../adapters/events/fitted-event.ts'
import type { EngineEvent } from '../runtime/engine.ts'

/**
 * Returns an event as it may wait: itself, or without its large values where it is larger than what the queue takes,
 * since all of it would be held for as long as it waits.
 */
export function truncateEvent(event: EngineEvent): EngineEvent {
  return event.bytes > EVENT_BYTES ? new TruncatedEvent(event) : event
}

/** An event that was cut as the queue would have it, with the fields that say so. */
class TruncatedEvent implements EngineEvent {
  readonly name: string
  readonly subclass: string
  readonly uuid: string
  readonly coreUuid: string
  readonly sequence: string
  readonly body: string
  readonly bytes: number
  readonly #headers: Readonly<Record<string, string>>

  constructor(event: EngineEvent) {
    const { _body: body = '', ...headers } = cutFields(event)
    Object.setPrototypeOf(headers, null)
    this.#headers = headers
    this.name = headers['Event-Name'] ?? ''
    this.subclass = headers['Event-Subclass'] ?? ''
    this.uuid = headers['Unique-ID'] ?? ''
    this.coreUuid = headers['Core-UUID'] ?? ''
    this.sequence = headers['Event-Sequence'] ?? ''
    this.body = body
    this.bytes = bytesOf({ ...headers, body })
  }

  header(name: string): string | undefined {
    return this.#headers[name]
  }

  headers(): Readonly<Record<string, string>> {
    return this.#headers
  }

  jsonWith(): undefined {
    return undefined
  }
}

function cutFields(event: EngineEvent): Readonly<Record<string, string>> {
  const fields: Record<string, string> = { ...event.headers() }
  if (event.body !== '') fields['_body'] = event.body
  return fitted({ id: '', name: '', domain: '', uuid: '', occurredAt: 0, fields }).fields
}

/** Two bytes for each unit of text, and what strings and their places in an object take besides. */
function bytesOf(fields: Readonly<Record<string, string>>): number {
  return Object.entries(fields).reduce((sum, [name, value]) => sum + 80 + 2 * (name.length + value.length), 0)
}
