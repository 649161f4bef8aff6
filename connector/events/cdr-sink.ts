import type { CdrQueue, EventNews } from '../../core/cdr/cdr-news.ts'
import type { EventSink } from '../../core/events/event-sink.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'

/** Takes ends of legs for the index of CDRs. */
export function cdrSink(cdrQueue: CdrQueue): EventSink {
  return { publish: (ends) => cdrQueue.send(ends.map(newsOf)) }
}

function newsOf(end: PlatformEvent): EventNews {
  const { id, uuid, domain, occurredAt, fieldsText } = end
  return {
    kind: 'event',
    id,
    uuid,
    domain,
    occurredAt,
    fieldsText,
    get fields() {
      return end.fields
    },
  }
}
