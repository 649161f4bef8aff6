import type { DeliveryMessage } from '../../contracts/messages/delivery.ts'
import type { DeliveryQueue, QueuedDelivery } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { queueBody, queueId } from './queue-text.ts'
import { sendBatches } from './send-batches.ts'

/** Attempts on a standard queue, grouped by domain: SQS then lets no tenant's backlog hold up the others. */
export function sqsDeliveryQueue(context: AdapterContext): DeliveryQueue {
  return {
    send(deliveries) {
      const entries = deliveries.map((delivery) => ({
        id: delivery.id,
        body: queueBody(toMessage(delivery)),
        group: queueId(delivery.domain),
        delaySeconds: delivery.delaySeconds,
      }))
      return sendBatches(context, 'deliveries', entries, { ordered: false })
    },
  }
}

function toMessage({ id, domain, hookId, attempt }: QueuedDelivery): DeliveryMessage {
  return { version: 1, id, domain, hookId, attempt }
}
