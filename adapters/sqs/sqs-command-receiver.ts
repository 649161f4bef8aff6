import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import * as z from 'zod/mini'
import { DomainError } from '../../core/errors.ts'
import type { CommandReceiver } from '../../core/commands/command-store.ts'
import { pollingClient } from '../aws/sqs-client.ts'
import type { AdapterContext } from '../context.ts'
import { callQueue, queueUrl } from './client.ts'

/** The longest that SQS lets a receive wait for a message. */
export const LONG_POLL_SECONDS = 20

/** A long poll answers after 20 s at the latest; what takes longer than this is a dead connection. */
export const RECEIVE_TIMEOUT_MS = 25_000

const taken = z.array(
  z.object({
    Body: z.string(),
    ReceiptHandle: z.string(),
    Attributes: z.object({ MessageGroupId: z.string() }),
  }),
)

/** Takes commands from the FIFO queue that `QUEUE_COMMANDS` names. Fails with `store_unavailable`. */
export function sqsCommandReceiver(context: AdapterContext): CommandReceiver {
  const QueueUrl = queueUrl(context, 'commands')
  return {
    async receive(limit, signal) {
      const command = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: limit,
        WaitTimeSeconds: LONG_POLL_SECONDS,
        MessageSystemAttributeNames: ['MessageGroupId'],
      })
      try {
        const limits = { requestTimeout: RECEIVE_TIMEOUT_MS, abortSignal: signal }
        const { Messages = [] } = await pollingClient(context).send(command, limits)
        return taken.parse(Messages).map((message) => ({
          body: message.Body,
          receipt: message.ReceiptHandle,
          group: message.Attributes.MessageGroupId,
        }))
      } catch (cause) {
        if (signal.aborted) return []
        throw new DomainError('store_unavailable', 'the command queue does not answer', { cause })
      }
    },
    async remove({ receipt }) {
      const command = new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receipt })
      await callQueue(context, (client) => client.send(command))
    },
  }
}
