import { type Delivery, type DeliveryAttempt, type DeliveryState, attemptsOf } from './delivery.ts'

/** A delivery as callers see it. Moments are epoch milliseconds. */
export interface PresentedDelivery {
  readonly id: string
  readonly hook: string
  readonly event: string
  /** The call's uuid; empty for an event without a call. */
  readonly uuid: string
  /** The number of the event in its domain; 0 for a test. */
  readonly sequence: number
  readonly created: number
  readonly state: DeliveryState
  readonly attempts: DeliveryAttempt[]
  readonly nextAttemptAt?: number | undefined
}

/** Presents a delivery to callers as it is at `now` (epoch milliseconds). */
export function presentDelivery(delivery: Delivery, now: number): PresentedDelivery {
  const { id, hookId, eventName, uuid, sequence, requestId, createdAt, state, nextAttemptAt } = delivery
  return {
    id,
    hook: hookId,
    event: eventName,
    uuid,
    sequence,
    ...(requestId === undefined ? {} : { requestId }),
    created: createdAt,
    state,
    attempts: attemptsOf(delivery, now),
    ...(nextAttemptAt === undefined ? {} : { nextAttemptAt }),
  }
}
