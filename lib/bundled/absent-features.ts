/**
 * Stands in for parts of the SDK that no function uses, so that they do not weigh on every cold start: event streams
 * (DynamoDB and SQS have none; 16 KB, and being imported lazily they keep all that they touch from being cut down) and
 * the cache of endpoint discovery (off unless asked for; 8 KB).
 */

/** Constructed with every client, used by none. */
export function EndpointCache(): void {}

/** Fails where an operation with an event stream would need it. */
export function EventStreamSerde(): never {
  throw new Error('event streams are left out of function bundles')
}

/** Fails like {@link EventStreamSerde}. */
export const eventStreamSerdeProvider = EventStreamSerde
