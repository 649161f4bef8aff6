import { DeleteMessageBatchCommand } from '@aws-sdk/client-sqs'
import type { ReceivedEvents } from '../../core/events/received-events.ts'
import type { AdapterContext } from '../context.ts'
import { callQueue, queueUrl } from './client.ts'

/** Removes events from the FIFO queue that `QUEUE_EVENTS` names. What is not removed stays with its batch. */
export function sqsReceivedEvents(context: AdapterContext): ReceivedEvents {
  return {
    async ack(receipts) {
      const command = new DeleteMessageBatchCommand({
        QueueUrl: queueUrl(context, 'events'),
        Entries: receipts.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle })),
      })
      await callQueue(context, (client) => client.send(command))
    },
  }
}
