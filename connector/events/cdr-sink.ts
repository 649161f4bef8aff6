import type { CdrQueue } from '../../core/cdr/cdr-news.ts'
import type { EventSink } from '../../core/events/event-sink.ts'

/** Takes ends of legs for the index of CDRs. */
export function cdrSink(queue: CdrQueue): EventSink {
  return {
    publish: (ends) =>
      queue.send(
        ends.map(({ id, uuid, domain, occurredAt, fields }) => ({
          kind: 'event',
          id,
          uuid,
          domain,
          occurredAt,
          fields,
        })),
      ),
  }
}
