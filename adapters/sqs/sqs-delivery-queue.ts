import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import type { DeliveryMessage } from '../../contracts/messages/delivery.ts'
import { DomainError } from '../../core/errors.ts'
import type { DeliveryQueue, QueuedDelivery } from '../../core/hooks/delivery/delivery-queue.ts'
import type { AdapterContext } from '../context.ts'
import { callQueue, queueUrl } from './client.ts'
import { queueBody, queueId } from '../events/queue-text.ts'
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
    async waiting() {
      const command = new GetQueueAttributesCommand({
        QueueUrl: queueUrl(context, 'deliveries'),
        AttributeNames: ['ApproximateNumberOfMessages'],
      })
      const { Attributes = {} } = await callQueue(context, (client) => client.send(command))
      const { ApproximateNumberOfMessages: count } = Attributes
      if (count === undefined)
        throw new DomainError('internal_error', 'the queue did not report how many messages wait')
      return Number(count)
    },
  }
}

function toMessage({ id, domain, hookId, attempt, dueAt, requestId }: QueuedDelivery): DeliveryMessage {
  return { version: 1, id, domain, hookId, attempt, dueAt, requestId }
}
