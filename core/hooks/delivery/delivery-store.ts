import type { Delivery, DeliveryAttempt, DeliveryEvent, DeliveryState } from './delivery.ts'

/** The result of an attempt for its delivery. */
export interface AttemptOutcome {
  /** The run that made it; absent when nothing was sent. */
  readonly run?: string | undefined
  readonly attempt: DeliveryAttempt
  readonly state: DeliveryState
  /** When the next one is due, epoch milliseconds: with `pending` and no other state. */
  readonly nextAttemptAt?: number | undefined
}

/** An attempt for {@link DeliveryStore.recordTogether}: its delivery as it was when the run began. */
export interface RecordedAttempt {
  readonly delivery: Delivery
  readonly outcome: AttemptOutcome & { readonly run: string }
}

/** Where a list of deliveries goes on: after this one. */
export type DeliveryKey = Pick<Delivery, 'id' | 'nextAttemptAt'>

/** Overdue deliveries; an empty page comes after the last. */
export interface DuePage {
  readonly deliveries: readonly Delivery[]
  /** Where in the store there are others that cannot be read: they are passed over. */
  readonly unreadable: readonly string[]
}

/** Which deliveries of a hook are wanted. */
export interface DeliveryRange {
  readonly newestFirst: boolean
  /** 1 to 1000. */
  readonly limit: number
  /** Continues after this id, whether or not it is there. */
  readonly after?: string | undefined
}

/** Deliveries, their attempts, and what they carry. A delivery is kept for 30 days, its event for 7. */
export interface DeliveryStore {
  /** Writes a delivery; `false` when one with that id exists. Its event has to be there before. */
  create(delivery: Delivery): Promise<boolean>
  /** Writes up to 100 deliveries; `false`, and none is written, if one exists. Their events must exist before. */
  createTogether(deliveries: readonly Delivery[]): Promise<boolean>
  read(domain: string, hookId: string, id: string): Promise<Delivery | undefined>
  /** Stores an event whole for its deliveries, apart from the log of events. The first event with an id stays. */
  keepEvent(event: DeliveryEvent): Promise<void>
  /** Returns the event that a delivery carries: from the log, by its number, or as it was stored whole. */
  readEvent(delivery: Pick<Delivery, 'domain' | 'eventId' | 'sequence'>): Promise<DeliveryEvent | undefined>
  /**
   * Notes that a run begins to send (`at`, epoch milliseconds), so that it is known of even when it comes to no end.
   * `false`: the delivery is not as given any more (ended, tried or planned anew), or `deliveryLimits.runs` of them are
   * noted already.
   */
  beginAttempt(delivery: Delivery, run: string, at: number): Promise<boolean>
  /**
   * Records an attempt. `decided`: it is the one that moved the delivery on, which has the outcome's state now.
   * `added`: another one was first, or the delivery has ended; what was sent is on the list all the same, and a success
   * makes the delivery `delivered`. `gone`: there is no such delivery. Repeats of one run are recorded once.
   */
  recordAttempt(delivery: Delivery, outcome: AttemptOutcome): Promise<'decided' | 'added' | 'gone'>
  /**
   * Records the attempts of up to 100 deliveries, which moves all of them on, or none. Returns `false` if one of them
   * cannot be moved on any more: then each is to be recorded by itself.
   */
  recordTogether(attempts: readonly RecordedAttempt[]): Promise<boolean>
  /** Plans the next attempt for another moment, where the delivery still waits as given; otherwise `false`. */
  reschedule(delivery: Delivery, at: number): Promise<boolean>
  /**
   * Opens a delivery that has ended: it is pending again, due at `at` (epoch milliseconds), with all its retries before
   * it and all its attempts on the list, those that were interrupted included. Nothing when it is pending, is not
   * there, is not as given any more, or has `deliveryLimits.reopened` attempts already.
   */
  reopen(delivery: Delivery, at: number): Promise<Delivery | undefined>
  /** All domains' pending deliveries whose next attempt was due before a moment (epoch milliseconds), oldest first. */
  listDue(before: number, limit: number, after?: DeliveryKey): Promise<DuePage>
  /** Deliveries of a domain that failed for good and were not opened again, the newest event first. */
  listFailed(domain: string, limit: number, after?: DeliveryKey): Promise<Delivery[]>
  /** Deliveries of a hook in the order of their ids. Fewer than the limit: there are no more. Reads consistently. */
  list(domain: string, hookId: string, range: DeliveryRange): Promise<Delivery[]>
}
