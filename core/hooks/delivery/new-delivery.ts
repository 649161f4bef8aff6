import type { Delivery, DeliveryEvent } from './delivery.ts'
import type { Hook } from '../definition/hook.ts'

/** Returns a delivery of an event to a hook that is due at once. `at` is now, epoch milliseconds. */
export function newDelivery(
  hook: Pick<Hook, 'id' | 'domain'>,
  event: DeliveryEvent,
  given: { readonly id: string; readonly sequence: number; readonly at: number },
): Delivery {
  return {
    id: given.id,
    hookId: hook.id,
    domain: hook.domain,
    eventId: event.id,
    eventName: event.name,
    uuid: event.uuid,
    sequence: given.sequence,
    ...(event.requestId === undefined ? {} : { requestId: event.requestId }),
    createdAt: given.at,
    state: 'pending',
    attempts: [],
    tries: 0,
    earlierTries: 0,
    nextAttemptAt: given.at,
    begun: {},
  }
}
