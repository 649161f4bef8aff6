import type { JsonObject } from '../definition/event-fields.ts'
import type { PlatformEvent } from '../../events/platform-event.ts'
import type { Hook } from '../definition/hook.ts'
import type { QueuedDelivery } from './delivery-queue.ts'

/** The payload of a delivery: the event as it was. That of a test may have fields that are not text. */
export interface DeliveryEvent extends Omit<PlatformEvent, 'fields'> {
  readonly fields: JsonObject
}

/** Where a delivery stands. `pending` waits for its next attempt; the others are ends. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'skipped'

/** One event on its way to one hook, with every attempt made. */
export interface Delivery {
  /**
   * `msg_` and 32 hex digits, derived from event, hook and sequence: a repeat is the same delivery. The ids of a hook
   * are in the order of its events.
   */
  readonly id: string
  readonly hookId: string
  readonly domain: string
  /** Names the {@link DeliveryEvent}, which is stored separately and not as long. */
  readonly eventId: string
  readonly eventName: string
  readonly uuid: string
  readonly sequence: number
  /** The id of the API request that caused the event; absent where none did, or where that is not known. */
  readonly requestId?: string | undefined
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly state: DeliveryState
  /** Every attempt whose end is known, in the order in which they were recorded. */
  readonly attempts: readonly DeliveryAttempt[]
  /** Attempts that advanced the delivery; of two simultaneous ones only one does. */
  readonly tries: number
  /** Those of {@link tries} that were made before the delivery was last opened again. */
  readonly earlierTries: number
  /** The moment that the last of {@link tries} was planned for, epoch milliseconds; absent before the first. */
  readonly triedFor?: number | undefined
  /** When the next attempt is due, epoch milliseconds; absent once it has ended. Changes with every plan of one. */
  readonly nextAttemptAt?: number | undefined
  /** Runs that began to send and whose end is not on record: the name of each to when it began. */
  readonly begun: Readonly<Record<string, number>>
}

/** One attempt to deliver. */
export interface DeliveryAttempt {
  /** Epoch milliseconds. */
  readonly at: number
  /** The HTTP status; absent when no answer came. */
  readonly status?: number | undefined
  readonly durationMs: number
  /** Why it failed; absent on success. */
  readonly reason?: string | undefined
  /** The first 1 KiB of the answer. */
  readonly replySnippet?: string | undefined
  /** Headers in which letters of the event outside ASCII were sent as `?`; absent for none. */
  readonly replacedHeaders?: readonly string[] | undefined
}

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

/** The longest that a message can be held back, from the queue's service; longer waits are made of several. */
const longestDelaySeconds = 900

/**
 * Returns the message for the next attempt of a pending delivery. It can be received when the attempt is due. If that
 * is more than 15 minutes after `now` (epoch milliseconds), it is received earlier and has to be queued again.
 */
export function queuedAttempt(delivery: Delivery, now: number): QueuedDelivery {
  const { id, domain, hookId, tries, nextAttemptAt: dueAt = now, requestId } = delivery
  const delaySeconds = Math.min(Math.max(Math.ceil((dueAt - now) / 1000), 0), longestDelaySeconds)
  return { id, domain, hookId, attempt: tries + 1, dueAt, delaySeconds, requestId }
}

/** Limits that keep the record of a delivery small enough for an item of the store (400 KB), at 2 KB an attempt. */
export const deliveryLimits = {
  /** Attempts other than those that advance a delivery are listed up to so many in all. */
  attempts: 60,
  /** With so many attempts on its list a delivery is not opened again. */
  reopened: 40,
  /** Runs that begin and come to no end; with so many a delivery fails. */
  runs: 20,
} as const

/** No run lasts longer: two requests of 15 s and what surrounds them, inside a function of 60 s. */
export const longestRunMs = 60_000

/**
 * Returns every attempt that was begun, oldest first, as the log of a delivery shows it. A killed one has the reason
 * `interrupted`, since it is unknown what the receiver got. One that may still be under way is left out.
 */
export function attemptsOf(delivery: Pick<Delivery, 'attempts' | 'begun'>, now: number): DeliveryAttempt[] {
  return [...delivery.attempts, ...runsOf(delivery, now).interrupted].sort((a, b) => a.at - b.at)
}

/**
 * Returns the runs of a delivery whose end is not on record: those that were killed on their way, as attempts, and
 * those that may still be.
 */
export function runsOf(
  { begun }: Pick<Delivery, 'begun'>,
  now: number,
): { interrupted: DeliveryAttempt[]; underWay: Record<string, number> } {
  const runs = Object.entries(begun)
  const isOver = ([, at]: readonly [string, number]) => at + longestRunMs <= now
  return {
    interrupted: runs.filter(isOver).map(([, at]) => ({ at, durationMs: 0, reason: 'interrupted' })),
    underWay: Object.fromEntries(runs.filter((run) => !isOver(run))),
  }
}
