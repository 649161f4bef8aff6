import { channelEvents, eventNames } from './catalogue.ts'
import { sampleEvent } from './sample-event.ts'

/** An event that hooks can name, and the JSON Schema (2020-12) of its fields. */
export interface EventType {
  readonly event: string
  readonly schema: EventSchema
}

/** The schema of an event: all its fields are texts, and the engine may send others than these. */
export interface EventSchema {
  readonly title: string
  readonly type: 'object'
  readonly properties: Readonly<Record<string, FieldSchema>>
  readonly required: readonly string[]
  readonly additionalProperties: { readonly type: 'string' }
}

interface FieldSchema {
  readonly type: 'string'
  readonly const?: string
  readonly pattern?: string
  readonly description?: string
  readonly examples?: readonly string[]
}

/** The fields that every event of a call has, made-up ones included (docs/hooks.md). */
const ofEveryCall = ['Unique-ID', 'Channel-State', 'Channel-Call-State', 'Call-Direction']

const described: Readonly<Record<string, Omit<FieldSchema, 'type'>>> = {
  'Core-UUID': { description: 'The engine: it changes when the engine starts.' },
  'Event-Date-Timestamp': { description: 'The time of the event, epoch microseconds.', pattern: '^[0-9]+$' },
  'Event-Domain': { description: 'The domain of the event.' },
  'Event-Sequence': {
    description: "The engine's own count. Only deliveries have the number of the event in its domain.",
  },
  Gateway: { description: 'The name of the gateway in its domain.' },
  'Ping-Status': { description: 'Whether calls may go to the gateway: `UP` or `DOWN`.' },
  State: { description: 'The state of the registration (docs/gateways.md).' },
  Synthetic: { description: '`true` for an event that was missed, and made up from what is known of its call.' },
  'Unique-ID': { description: 'The call.' },
}

const channelNames: ReadonlySet<string> = new Set(channelEvents)

/** Returns the known events, with the fields that they have. Other subclasses have their module's fields. */
export function eventTypes(): readonly EventType[] {
  return eventNames().map((event) => ({ event, schema: schemaOf(event) }))
}

function schemaOf(name: string): EventSchema {
  const { fields } = sampleEvent(name, 'example.com', { id: 'sample', now: Date.UTC(2026, 0, 1) })
  const isOfChannel = channelNames.has(name)
  const optional = isOfChannel ? { Synthetic: 'true' } : {}
  const properties = Object.entries({ ...fields, ...optional }).map(([field, value]) => [field, fieldOf(field, value)])
  return {
    title: name,
    type: 'object',
    properties: Object.fromEntries(properties),
    required: [
      'Event-Name',
      ...(name.startsWith('CUSTOM->') ? ['Event-Subclass'] : []),
      'Event-Date-Timestamp',
      'Event-Domain',
      ...(isOfChannel ? ofEveryCall : []),
    ],
    additionalProperties: { type: 'string' },
  }
}

function fieldOf(field: string, value: string): FieldSchema {
  if (field === 'Event-Name' || field === 'Event-Subclass') return { type: 'string', const: value }
  return { type: 'string', ...described[field], examples: [value] }
}
