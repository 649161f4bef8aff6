/**
 * Takes the place of `@smithy/core/event-streams` in the bundles of functions, since no service that they call answers
 * with a stream of events. The SDK loads it only for such an answer.
 */
export class EventStreamSerde {
  constructor() {
    throw new Error('event streams are not part of this bundle')
  }
}

/** Is never called without {@link EventStreamSerde}. */
export const eventStreamSerdeProvider = undefined
