import * as z from 'zod/mini'
import { queues } from '../../contracts/resources.ts'
import { DomainError } from '../../core/errors.ts'
import type { CommandReceiver } from '../../core/channels/command-store.ts'
import { awsJson, awsJsonOnce, services } from '../aws/aws-json.ts'
import { type AdapterContext, required } from '../context.ts'

/** The longest that SQS lets a receive wait for a message. */
export const LONG_POLL_SECONDS = 20

/** A long poll answers after 20 s at the latest; what takes longer than this is a dead connection. */
export const RECEIVE_TIMEOUT_MS = 25_000

/** Without messages there is no list. */
const answer = z.object({
  Messages: z.optional(
    z.array(
      z.object({
        Body: z.string(),
        ReceiptHandle: z.string(),
        Attributes: z.object({ MessageGroupId: z.string() }),
      }),
    ),
  ),
})

/** Takes commands from the FIFO queue that `QUEUE_COMMANDS` names. Fails with `store_unavailable`. */
export function sqsCommandReceiver(context: AdapterContext): CommandReceiver {
  const QueueUrl = required(context, queues.commands.variable)
  return {
    async receive(limit, signal) {
      const input = {
        QueueUrl,
        MaxNumberOfMessages: limit,
        WaitTimeSeconds: LONG_POLL_SECONDS,
        MessageSystemAttributeNames: ['MessageGroupId'],
      }
      try {
        const limits = { timeoutMs: RECEIVE_TIMEOUT_MS, signal }
        const given = answer.parse(await awsJsonOnce(context, services.sqs, 'ReceiveMessage', input, limits))
        return (given.Messages ?? []).map((message) => ({
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
      await awsJson(context, services.sqs, 'DeleteMessage', { QueueUrl, ReceiptHandle: receipt })
    },
  }
}
