import type { PlatformEvent } from './platform-event.ts'

/** Hands events of the platform to the hooks. */
export interface EventSink {
  /** Queues events in order; the queue keeps one of each id. Answers the ids that were not taken. */
  publish(events: readonly PlatformEvent[]): Promise<readonly string[]>
}
