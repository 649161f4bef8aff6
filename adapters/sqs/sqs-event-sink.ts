import type { EventMessage } from '../../contracts/messages/event.ts'
import { laneOf } from '../../core/events/lanes.ts'
import type { EventSink } from '../../core/events/event-sink.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { AdapterContext } from '../context.ts'
import { queueId } from '../events/queue-text.ts'
import { messageOf, textEvent } from '../events/text-event.ts'
import { sendBatches } from './send-batches.ts'

/**
 * Events on the FIFO queue: one message an event id, and a few groups for each domain, so that no tenant's backlog
 * takes all functions. All events of a call are of one group. Fails when the queue took none at all.
 */
export function sqsEventSink(context: AdapterContext): EventSink {
  return {
    publish(events) {
      const entries = events.map((event) => ({
        id: event.id,
        body: bodyOf(event),
        group: queueId(`${event.domain}/${laneOf(event.uuid)}`),
        orderKey: event.uuid === '' ? event.domain : event.uuid,
        deduplicationId: queueId(event.id),
      }))
      return sendBatches(context, 'events', entries, { ordered: true })
    },
  }
}

function bodyOf(event: PlatformEvent): string {
  const { id, name, domain, uuid, occurredAt, requestId } = event
  const members = { version: 1, id, name, domain, uuid, occurredAt, requestId } satisfies Omit<EventMessage, 'fields'>
  return messageOf(members, textEvent(event))
}
