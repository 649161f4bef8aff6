import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import type { DeliveryMessage } from '../../contracts/messages/worker-messages.ts'
import { DomainError } from '../../core/errors.ts'
import type { DeliveryQueue, QueuedDelivery } from '../../core/hooks/delivery/delivery-queue.ts'
import type { AdapterContext } from '../context.ts'
import { callQueue, queueUrl } from './client.ts'
import { queueBody, queueId } from '../events/queue-text.ts'
import { sendBatches } from './send-batches.ts'

/**
 * Attempts on two standard queues, usual and slow ones, grouped by domain: SQS then lets no tenant's backlog hold up
 * the others.
 */
export function sqsDeliveryQueue(context: AdapterContext): DeliveryQueue {
  return {
    async send(deliveries) {
      const usual = deliveries.filter(({ isSlow }) => isSlow !== true)
      const slow = deliveries.filter(({ isSlow }) => isSlow === true)
      const refused = await Promise.all([sendTo(context, 'deliveries', usual), sendTo(context, 'slowDeliveries', slow)])
      return refused.flat()
    },
    async waiting() {
      const [usual, slow] = await Promise.all([waitingIn(context, 'deliveries'), waitingIn(context, 'slowDeliveries')])
      return { usual, slow }
    },
  }
}

async function waitingIn(context: AdapterContext, queue: 'deliveries' | 'slowDeliveries'): Promise<number> {
  const command = new GetQueueAttributesCommand({
    QueueUrl: queueUrl(context, queue),
    AttributeNames: ['ApproximateNumberOfMessages'],
  })
  const { Attributes = {} } = await callQueue(context, (client) => client.send(command))
  const { ApproximateNumberOfMessages: count } = Attributes
  if (count === undefined) throw new DomainError('internal_error', 'the queue did not report how many messages wait')
  return Number(count)
}

function sendTo(
  context: AdapterContext,
  queue: 'deliveries' | 'slowDeliveries',
  deliveries: readonly QueuedDelivery[],
): Promise<string[]> {
  const entries = deliveries.map((delivery) => ({
    id: delivery.id,
    body: queueBody(toMessage(delivery)),
    group: queueId(delivery.domain),
    delaySeconds: delivery.delaySeconds,
  }))
  return sendBatches(context, queue, entries, { ordered: false })
}

function toMessage({ id, domain, hookId, attempt, dueAt, requestId }: QueuedDelivery): DeliveryMessage {
  return { version: 1, id, domain, hookId, attempt, dueAt, requestId }
}
