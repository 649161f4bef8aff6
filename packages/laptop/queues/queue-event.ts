import * as z from 'zod/mini'
import type { Queue } from '../assembly/assembly.ts'
import { laptop } from '../assembly/place.ts'
import type { ReceivedMessage } from './received-message.ts'

/** Returns a batch of messages as Lambda hands it to a function. */
export function queueEvent(queue: Pick<Queue, 'arn'>, messages: readonly ReceivedMessage[]): object {
  return {
    Records: messages.map((message) => ({
      messageId: message.MessageId,
      receiptHandle: message.ReceiptHandle,
      body: message.Body,
      attributes: message.Attributes ?? {},
      messageAttributes: message.MessageAttributes ?? {},
      md5OfBody: message.MD5OfBody ?? '',
      eventSource: 'aws:sqs',
      eventSourceARN: queue.arn,
      awsRegion: laptop.region,
    })),
  }
}

const batchAnswer = z.nullish(
  z.object({ batchItemFailures: z.nullish(z.array(z.object({ itemIdentifier: z.string().check(z.minLength(1)) }))) }),
)

/**
 * Returns the messages of a batch that are done with, by the function's answer. As in the cloud: without
 * `ReportBatchItemFailures` all of them; no list of failures means that none failed; an answer of another form, or one
 * that names a message which is not in the batch, means that all failed.
 */
export function doneMessages(
  messages: readonly ReceivedMessage[],
  answer: unknown,
  reportsFailures: boolean,
): readonly ReceivedMessage[] {
  if (!reportsFailures) return messages
  const parsed = z.safeParse(batchAnswer, answer)
  if (!parsed.success) return []
  const failed = new Set((parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier))
  const known = new Set(messages.map(({ MessageId }) => MessageId))
  if ([...failed].some((id) => !known.has(id))) return []
  return messages.filter(({ MessageId }) => !failed.has(MessageId))
}
