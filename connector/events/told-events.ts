import type { EventSink } from '../../core/events/event-sink.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { type Timers, pause } from '../../core/concurrency/timers.ts'
import type { Subscriptions } from './subscriptions.ts'

/** How long an event may wait for the queue before whoever told it is to tell it again, under the same id. */
const patienceMs = 60_000

/** Knows of events that somebody waits for whether the queue has taken them. */
export interface ToldEvents {
  /** The sink that it sees the events pass by. */
  readonly sink: EventSink
  /**
   * Puts an event into an outbox over {@link sink}. `true`: the queue has it, or nobody wants it. `false`: it is to be told again.
   */
  tell(event: PlatformEvent, outbox: { add(event: PlatformEvent): boolean }): Promise<boolean>
}

/** Watches a sink. */
export function toldEvents(parts: {
  readonly sink: EventSink
  readonly subscriptions: Pick<Subscriptions, 'isKnown' | 'wants'>
  readonly timers: Timers
}): ToldEvents {
  const { sink, subscriptions, timers } = parts
  const waiting = new Map<string, () => void>()

  const handOver = async (event: PlatformEvent, add: () => boolean): Promise<boolean> => {
    const over = new AbortController()
    let isTaken = false
    waiting.set(event.id, () => {
      isTaken = true
      over.abort()
    })
    if (add()) await pause(timers, patienceMs, over.signal)
    waiting.delete(event.id)
    return isTaken
  }

  return {
    sink: {
      publish: async (events) => {
        const refused = await sink.publish(events)
        for (const { id } of events) if (!refused.includes(id)) waiting.get(id)?.()
        return refused
      },
    },
    tell: async (event, outbox) => {
      if (!subscriptions.isKnown) return false
      if (!subscriptions.wants(event.domain, event.name)) return true
      return handOver(event, () => outbox.add(event))
    },
  }
}
