import type { SQSRecord } from 'aws-lambda'
import type { DeliveryMessage } from '../../contracts/messages/delivery.ts'
import type { QueuedDelivery } from '../../core/hooks/delivery/delivery-queue.ts'

/** The message that asks for an attempt, as the queue holds it. */
export function messageBody({ id, domain, hookId, attempt, dueAt }: QueuedDelivery): string {
  const message: DeliveryMessage = { version: 1, id, domain, hookId, attempt, dueAt }
  return JSON.stringify(message)
}

/** A message as the queue gives it to a function; on a FIFO queue it is of a `group`. */
export function recordOf(messageId: string, body: string, group = 'group'): SQSRecord {
  return {
    messageId,
    receiptHandle: '',
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '0',
      MessageGroupId: group,
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:deliveries',
    awsRegion: 'eu-central-1',
  }
}
