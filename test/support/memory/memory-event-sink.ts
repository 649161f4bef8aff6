import type { EventSink } from '../../../core/events/event-sink.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'

/** An {@link EventSink} that can be read and made to refuse. */
export interface MemoryEventSink extends EventSink {
  /** Every event taken, in order, one of each id. */
  readonly published: PlatformEvent[]
  /** Whether the sink refuses an event; it takes all until replaced. */
  refuses: (event: PlatformEvent) => boolean
}

/** Events in memory. The later events of a group wait for a refused one, as in the queue. */
export function memoryEventSink(): MemoryEventSink {
  const sink: MemoryEventSink = {
    published: [],
    refuses: () => false,
    async publish(events) {
      const blocked = new Set<string>()
      const refused: string[] = []
      for (const event of events) {
        const group = event.uuid === '' ? event.domain : event.uuid
        if (blocked.has(group) || sink.refuses(event)) {
          blocked.add(group)
          refused.push(event.id)
        } else if (!sink.published.some((known) => known.id === event.id)) {
          sink.published.push(withoutText(event))
        }
      }
      return refused
    },
  }
  return sink
}

/** As a consumer of the queue reads it. */
function withoutText({ fieldsText: _text, ...event }: PlatformEvent): PlatformEvent {
  return event
}
