import type { CleanupMessage } from '../../contracts/messages/cleanup.ts'
import type { CleanupQueue } from '../../core/domains/cleanup-queue.ts'
import type { AdapterContext } from '../context.ts'
import { sendMessage } from './client.ts'
import { queueBody } from '../events/queue-text.ts'

/** Deleted domains on a standard queue. Each message is removed only when its part of the work is done. */
export function sqsCleanupQueue(context: AdapterContext): CleanupQueue {
  return {
    async send({ delaySeconds, ...cleanup }) {
      const message: CleanupMessage = { version: 1, ...cleanup }
      await sendMessage(context, 'cleanups', { MessageBody: queueBody(message), DelaySeconds: delaySeconds })
    },
  }
}
