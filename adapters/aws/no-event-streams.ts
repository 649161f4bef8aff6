/**
 * Takes the place of `@smithy/core/event-streams` in the bundles of functions, since no service that they call answers
 * with a stream of events. The SDK would call this only for such an answer.
 */
export function EventStreamSerde(): never {
  throw new Error('event streams are not part of this bundle')
}

/** Belongs to {@link EventStreamSerde}, which is never called. */
export const eventStreamSerdeProvider = undefined

/** Gives a client its configuration back as it is. */
export function resolveEventStreamSerdeConfig<Config>(config: Config): Config {
  return config
}
