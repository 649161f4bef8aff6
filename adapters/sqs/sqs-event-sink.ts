import type { EventMessage } from '../../contracts/messages/event.ts'
import type { EventSink } from '../../core/events/event-sink.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { AdapterContext } from '../context.ts'
import { fitted } from './fitted-event.ts'
import { queueBody, queueId } from './queue-text.ts'
import { sendBatches } from './send-batches.ts'

/**
 * Groups of each domain on the event queue. SQS hands out one group to one function at a time, so this is how many functions
 * can dispatch events of one domain at once.
 */
const lanes = 4

/**
 * Events on the FIFO queue: one message an event id, and a few groups for each domain, so that no tenant's backlog takes all
 * functions. All events of a call are of one group. Fails when the queue took none at all.
 */
export function sqsEventSink(context: AdapterContext): EventSink {
  return {
    publish(events) {
      const entries = events.map((event) => ({
        id: event.id,
        body: queueBody(toMessage(fitted(event))),
        group: queueId(`${event.domain}/${laneOf(event.uuid)}`),
        orderKey: event.uuid === '' ? event.domain : event.uuid,
        deduplicationId: queueId(event.id),
      }))
      return sendBatches(context, 'events', entries, { ordered: true })
    },
  }
}

/** Always the same for a call; an event without a call is of the first lane. */
function laneOf(uuid: string): number {
  return Buffer.from(uuid).reduce((sum, byte) => sum + byte, 0) % lanes
}

function toMessage(event: PlatformEvent): EventMessage {
  const { id, name, domain, uuid, occurredAt, fields } = event
  return { version: 1, id, name, domain, uuid, occurredAt, fields: { ...fields } }
}
