import { DeleteMessageBatchCommand } from '@aws-sdk/client-sqs'
import type { TakenEvents } from '../../core/events/taken-events.ts'
import type { AdapterContext } from '../context.ts'
import { callQueue, queueUrl } from './client.ts'

/** Removes events from the FIFO queue that `QUEUE_EVENTS` names. What is not removed stays with its batch. */
export function sqsTakenEvents(context: AdapterContext): TakenEvents {
  return {
    async remove(receipts) {
      const command = new DeleteMessageBatchCommand({
        QueueUrl: queueUrl(context, 'events'),
        Entries: receipts.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle })),
      })
      await callQueue(context, (client) => client.send(command))
    },
  }
}
