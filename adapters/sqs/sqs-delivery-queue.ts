import * as z from 'zod/mini'
import type { DeliveryMessage } from '../../contracts/messages/delivery.ts'
import { queues } from '../../contracts/resources.ts'
import { DomainError } from '../../core/errors.ts'
import type { DeliveryQueue, QueuedDelivery } from '../../core/hooks/delivery-queue.ts'
import { awsJson, services } from '../aws/aws-json.ts'
import { type AdapterContext, required } from '../context.ts'
import { queueBody, queueId } from './queue-text.ts'
import { sendBatches } from './send-batches.ts'

const answer = z.object({ Attributes: z.object({ ApproximateNumberOfMessages: z.coerce.number() }) })

/**
 * Attempts on two standard queues, usual and slow ones, grouped by domain: SQS then lets no tenant's backlog hold up the
 * others.
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
  const given = answer.safeParse(
    await awsJson(context, services.sqs, 'GetQueueAttributes', {
      QueueUrl: required(context, queues[queue].variable),
      AttributeNames: ['ApproximateNumberOfMessages'],
    }),
  )
  if (!given.success) throw new DomainError('internal_error', 'the queue answered in another form')
  return given.data.Attributes.ApproximateNumberOfMessages
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

function toMessage({ id, domain, hookId, attempt, dueAt }: QueuedDelivery): DeliveryMessage {
  return { version: 1, id, domain, hookId, attempt, dueAt }
}
