import type { Delivery, DeliveryEvent } from '../hooks/delivery/delivery.ts'

/** An event that is kept for a domain: in its list of events, or for its deliveries. */
export interface KeptEvent {
  /** Opaque: where it is kept. */
  readonly place: string
  readonly event: DeliveryEvent
}

/** A page of what is kept. */
export interface TracePage<T> {
  readonly items: readonly T[]
  /** Where the next page begins; absent: there is none. */
  readonly next?: string | undefined
}

/** Everything that is kept of a domain's events, for erasure. What is written meanwhile may be missing. */
export interface EventTraces {
  /** Reads up to about a hundred events, from the start or `after` the `next` of another page. */
  listEvents(domain: string, after?: string): Promise<TracePage<KeptEvent>>
  /** Removes events with their payloads. The number of an event that is gone from the list counts as no longer kept. */
  removeEvents(domain: string, events: readonly KeptEvent[]): Promise<void>
  /** Reads up to a hundred deliveries of the domain's hooks, removed hooks included, like {@link listEvents}. */
  listDeliveries(domain: string, after?: string): Promise<TracePage<Delivery>>
  /** Removes deliveries; an attempt under way has no effect on them any more. */
  removeDeliveries(deliveries: readonly Delivery[]): Promise<void>
}
