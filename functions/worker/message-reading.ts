import type { SQSRecord } from 'aws-lambda'
import type * as z from 'zod/mini'
import type { Log } from '../../adapters/log/logger.ts'
import { queues } from '../../contracts/resources.ts'
import type { Worker } from '../../contracts/workers.ts'
import type { BatchStep, ReadMessage } from './handle-batch.ts'

/** The declaration of a worker, with the schema of its queue's messages. */
export interface ReadingWorker extends Worker {
  readonly message: z.ZodMiniType<object>
}

/** The content of the messages of a worker's queue. */
export type MessageOf<W extends ReadingWorker> = z.output<W['message']>

/** Parses each message by the schema of the worker's queue. An unreadable one is logged and has no content. */
export function messageReading<W extends ReadingWorker>(worker: W, log: Log): BatchStep<MessageOf<W>> {
  return {
    before: ({ event: batch }) => {
      batch.messages = batch.records.map((message) => read(worker, message, log))
    },
  }
}

/** Parses one message. Its content is never logged: a delivery or event contains data of tenants. */
function read<W extends ReadingWorker>(
  { queue, message }: W,
  { body, messageId, attributes, receiptHandle: receipt }: SQSRecord,
  log: Log,
): ReadMessage<MessageOf<W>> {
  const group = queues[queue].fifo ? (attributes.MessageGroupId ?? messageId) : messageId
  const parsed = message.safeParse(parse(body))
  if (!parsed.success) {
    const paths = parsed.error.issues.map(({ path }) => path.map(String).join('.'))
    log.with({ messageId }).error('message not readable', undefined, {
      paths: paths.slice(0, 5).join(', '),
      bytes: Buffer.byteLength(body),
    })
    return { messageId, receipt, orderKey: group, content: undefined }
  }
  const content = parsed.data as MessageOf<W>
  return { messageId, receipt, orderKey: group, content }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
