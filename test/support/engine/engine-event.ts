import type { EngineEvent } from '../../../connector/runtime/engine.ts'

/** The values of an event that a test chooses; all others are the engine's usual ones. */
export interface EventGiven {
  readonly name?: string
  readonly subclass?: string
  readonly uuid?: string
  readonly coreUuid?: string
  readonly sequence?: number | string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The process of the engine that events come from where a test names none. */
export const aCoreUuid = '981a5c5a-d057-447a-be95-4b13f8d004b6'

let lastSequence = 1_000

/** An event as the session hands it over; its sequence rises with each. */
export function anEngineEvent(given: EventGiven = {}): EngineEvent {
  const { name = 'CHANNEL_CREATE', subclass = '', uuid = '', coreUuid = aCoreUuid, body = '' } = given
  lastSequence += 1
  const sequence = `${given.sequence ?? lastSequence}`
  const headers: Record<string, string> = {
    'Event-Name': name,
    'Core-UUID': coreUuid,
    'Event-Sequence': sequence,
    'Event-Date-Timestamp': '1768478400000000',
    ...(subclass === '' ? {} : { 'Event-Subclass': subclass }),
    ...(uuid === '' ? {} : { 'Unique-ID': uuid }),
    ...given.headers,
  }
  return {
    name,
    subclass,
    uuid,
    coreUuid,
    sequence,
    body,
    bytes: 1024 + JSON.stringify(headers).length + body.length,
    header: (header) => (Object.hasOwn(headers, header) ? headers[header] : undefined),
    headers: () => headers,
    jsonWith: () => undefined,
  }
}
