import type { EventSink } from '../../../core/events/event-sink.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import type { Clock } from '../../../core/time.ts'

/** How a queue takes events. */
export type Publish = EventSink['publish']

/** One call to the queue. */
interface QueueCall {
  /** Epoch milliseconds. */
  readonly at: number
  readonly events: readonly PlatformEvent[]
}

/** A queue of events that does what a test says instead of taking them, and keeps every call. */
export interface FailingQueue {
  publish: Publish
  /** Takes events as ever while absent. */
  instead: ((batch: readonly PlatformEvent[], take: Publish) => Promise<readonly string[]>) | undefined
  readonly calls: readonly QueueCall[]
  /** Calls that are under way. */
  readonly underWay: number
  /** The most calls that were under way at one time. */
  readonly mostAtOnce: number
  /** Ids of the events that it said it has taken. */
  readonly acknowledged: ReadonlySet<string>
  /** How often an event was sent, by its id. */
  sent(id: string): number
}

/** A queue before the one that `take` gives events to. */
export function failingQueue(clock: Clock, take: Publish): FailingQueue {
  const calls: QueueCall[] = []
  const acknowledged = new Set<string>()
  const sent = new Map<string, number>()
  let [underWay, mostAtOnce] = [0, 0]
  const queue: FailingQueue = {
    instead: undefined,
    calls,
    acknowledged,
    sent: (id) => sent.get(id) ?? 0,
    get underWay() {
      return underWay
    },
    get mostAtOnce() {
      return mostAtOnce
    },
    publish: async (events) => {
      calls.push({ at: clock.now(), events })
      for (const { id } of events) sent.set(id, (sent.get(id) ?? 0) + 1)
      underWay += 1
      mostAtOnce = Math.max(mostAtOnce, underWay)
      try {
        const refused = await (queue.instead === undefined ? take(events) : queue.instead(events, take))
        for (const { id } of events) if (!refused.includes(id)) acknowledged.add(id)
        return refused
      } finally {
        underWay -= 1
      }
    },
  }
  return queue
}
