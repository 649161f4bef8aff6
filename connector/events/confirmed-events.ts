import type { EventSink } from '../../core/events/event-sink.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { type Timers, pause } from '../../core/concurrency/timers.ts'
import type { Subscriptions } from './subscriptions.ts'

/** How long an event may wait for the queue before its publisher must publish it again, under the same id. */
const patienceMs = 60_000

/** Confirms to publishers that the queue has taken their events. */
export interface ConfirmedEvents {
  /** The sink that it sees the events pass by. */
  readonly sink: EventSink
  /**
   * Puts an event into a buffer over {@link sink}. `true`: the queue has it, or no hook wants it. `false`: publish it again.
   */
  tell(event: PlatformEvent, buffer: { tell(event: PlatformEvent): boolean }): Promise<boolean>
}

/** Makes a sink that reports which events the queue has accepted. */
export function confirmedEvents(parts: {
  readonly sink: EventSink
  readonly subscriptions: Pick<Subscriptions, 'isKnown' | 'wants'>
  readonly timers: Timers
}): ConfirmedEvents {
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
    tell: async (event, buffer) => {
      if (!subscriptions.isKnown) return false
      if (!subscriptions.wants(event.domain, event.name)) return true
      return handOver(event, () => buffer.tell(event))
    },
  }
}
