import type { EventType } from '../../core/events/event-types.ts'

const info = {
  title: 'Callplane events',
  version: 'v2',
  description: [
    'The requests that a hook sends to its URL. A body without a template is the event: an object of texts.',
    'Each event arrives at least once; `webhook-id` is the same for every copy, and `webhook-sequence` is the number of the event in its domain.',
  ].join(' '),
} as const

const text = (description: string) => ({ type: 'string', description })

const headers = {
  type: 'object',
  properties: {
    'webhook-id': text('The delivery: the same for every copy and attempt of one event for one hook.'),
    'webhook-timestamp': text('The time of this attempt, epoch seconds.'),
    'webhook-signature': text(
      '`v1,` and the base64 of HMAC-SHA256 over `<id>.<timestamp>.<body>`; several are separated by spaces.',
    ),
    'webhook-sequence': text('The number of the event in its domain.'),
  },
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'webhook-sequence'],
} as const

/** Returns the AsyncAPI 3 document of these events. */
export function asyncApiDocument(types: readonly EventType[]) {
  const keys = types.map(({ event }) => event.replaceAll(/->|::/g, '.'))
  const messages = types.map(({ event, schema }, at) => [
    keys[at],
    {
      name: event,
      title: event,
      contentType: 'application/json',
      headers: { $ref: '#/components/schemas/deliveryHeaders' },
      payload: schema,
    },
  ])
  const references = (place: string) => keys.map((key) => [key, { $ref: `${place}${key}` }] as const)
  return {
    asyncapi: '3.0.0',
    info,
    defaultContentType: 'application/json',
    channels: {
      hook: {
        address: null,
        description: 'The URL of a hook, which its owner chooses.',
        messages: Object.fromEntries(references('#/components/messages/')),
      },
    },
    operations: {
      deliver: {
        action: 'send',
        channel: { $ref: '#/channels/hook' },
        summary: 'Deliver an event that a hook names',
        messages: references('#/channels/hook/messages/').map(([, reference]) => reference),
      },
    },
    components: { messages: Object.fromEntries(messages), schemas: { deliveryHeaders: headers } },
  }
}
