import { createHash, createHmac } from 'node:crypto'
import type { Answer } from '../../client/index.ts'

/** An event of a domain's list. */
export type ListedEvent = Answer<'listEvents'>['data']['events'][number]

/** A request as a hook would send it. */
export interface DeliveryRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Returns the request that a hook without `fields`, `map` and `rawBody` sends for an event, signed as Standard Webhooks
 * says. The id is the same each time the event is sent to a target, so a receiver that compares ids sees it once. `at`
 * is epoch milliseconds.
 */
export function deliveryOf(event: ListedEvent, key: string, secret: string, at: number): DeliveryRequest {
  const id = `msg_${createHash('sha256').update(`${key} ${event.sequence}`).digest('hex').slice(0, 32)}`
  const body = JSON.stringify({ id, action: event.name, data: event.event })
  const timestamp = String(Math.floor(at / 1000))
  const bytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', bytes).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
      'webhook-sequence': String(event.sequence),
    },
    body,
  }
}
