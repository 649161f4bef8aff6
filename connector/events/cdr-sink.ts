import type { CdrQueue, EventUpdate } from '../../core/cdr/cdr-update.ts'
import type { EventSink } from '../../core/events/event-sink.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'

/** Takes ends of legs for the index of CDRs. */
export function cdrSink(cdrQueue: CdrQueue): EventSink {
  return { publish: (ends) => cdrQueue.send(ends.map(updateOf)) }
}

function updateOf(end: PlatformEvent): EventUpdate {
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
