import type { ErasureMessage } from '../../contracts/messages/erasure.ts'
import type { ErasureQueue } from '../../core/erasures/erasure.ts'
import type { AdapterContext } from '../context.ts'
import { sendMessage } from './client.ts'
import { queueBody } from '../events/queue-text.ts'

/** Erasures on a standard queue; a message that comes twice finds the job as the first has left it. */
export function sqsErasureQueue(context: AdapterContext): ErasureQueue {
  return {
    async send({ domain, id }) {
      const message: ErasureMessage = { version: 1, domain, id }
      await sendMessage(context, 'erasures', { MessageBody: queueBody(message) })
    },
  }
}
