import type { PlatformEvent } from './platform-event.ts'
import type { ServiceEventKind } from './catalogue.ts'

/** The cause from which a service event is made. */
export interface ServiceEventCause {
  readonly kind: ServiceEventKind
  /** Derived from what caused the event, so that a repeat of the cause is the same event. At most 128 characters. */
  readonly id: string
  readonly domain: string
  readonly uuid?: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly requestId?: string | undefined
  /** The event's own fields. The names that every service event has win over them. */
  readonly fields: Readonly<Record<string, string>>
}

/**
 * Returns an event that the platform itself emits: `CUSTOM->svc::<kind>`, with the headers that an engine event of its
 * kind has. `Event-Date-Timestamp` is in microseconds, as the engine's is.
 */
export function serviceEvent(cause: ServiceEventCause): PlatformEvent {
  const subclass = `svc::${cause.kind}`
  return {
    id: cause.id,
    name: `CUSTOM->${subclass}`,
    domain: cause.domain,
    uuid: cause.uuid ?? '',
    occurredAt: cause.occurredAt,
    fields: {
      ...cause.fields,
      'Event-Name': 'CUSTOM',
      'Event-Subclass': subclass,
      'Event-Date-Timestamp': `${cause.occurredAt}000`,
      'Event-Domain': cause.domain,
      ...(cause.uuid === undefined ? {} : { 'Unique-ID': cause.uuid }),
    },
    ...(cause.requestId === undefined ? {} : { requestId: cause.requestId }),
  }
}
