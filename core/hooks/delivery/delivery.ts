import type { JsonObject } from '../definition/event-fields.ts'
import type { PlatformEvent } from '../../events/platform-event.ts'

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
