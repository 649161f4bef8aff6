import type { CleanupMessage } from '../../contracts/messages/cleanup.ts'
import { queues } from '../../contracts/resources.ts'
import type { CleanupQueue } from '../../core/domains/cleanup-queue.ts'
import { awsJson, services } from '../aws/aws-json.ts'
import { type AdapterContext, required } from '../context.ts'
import { queueBody } from './queue-text.ts'

/** Deleted domains on a standard queue. Each message is removed only when its part of the work is done. */
export function sqsCleanupQueue(context: AdapterContext): CleanupQueue {
  return {
    async send({ delaySeconds, ...cleanup }) {
      const message: CleanupMessage = { version: 1, ...cleanup }
      await awsJson(context, services.sqs, 'SendMessage', {
        QueueUrl: required(context, queues.cleanups.variable),
        MessageBody: queueBody(message),
        DelaySeconds: delaySeconds,
      })
    },
  }
}
