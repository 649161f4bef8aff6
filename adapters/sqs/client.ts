import { type SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs'
import { type QueueName, queues } from '../../contracts/resources.ts'
import { callService } from '../aws/call-service.ts'
import { sqsClient } from '../aws/sqs-client.ts'
import { type AdapterContext, required } from '../context.ts'

interface Message {
  readonly MessageBody: string
  /** Only for FIFO queues. */
  readonly MessageGroupId?: string
  /** Only for FIFO queues. */
  readonly MessageDeduplicationId?: string
  /** Only for standard queues; 0 to 900. */
  readonly DelaySeconds?: number
}

/** Returns the address of a queue. */
export function queueUrl(context: Pick<AdapterContext, 'env'>, queue: QueueName): string {
  return required(context, queues[queue].variable)
}

/** Sends one message. */
export async function sendMessage(context: AdapterContext, queue: QueueName, message: Message): Promise<void> {
  const command = new SendMessageCommand({ QueueUrl: queueUrl(context, queue), ...message, ...traceHeader(context) })
  await callQueue(context, (client) => client.send(command))
}

/** Calls the queue service; its errors come as {@link callService} translates them. */
export function callQueue<T>(context: AdapterContext, send: (client: SQSClient) => Promise<T>): Promise<T> {
  return callService('the queue', () => send(sqsClient(context)))
}

/** The system attribute by which Lambda continues a trace of X-Ray with the function that takes a message. */
interface TraceHeader {
  readonly AWSTraceHeader: { readonly DataType: 'String'; readonly StringValue: string }
}

/** The parts of a header that a trace needs; Lambda adds others. */
const parts = /^(?:Root=1-[0-9a-f]{8}-[0-9a-f]{24}|Parent=[0-9a-f]{16}|Sampled=1)$/

/**
 * Returns the attribute of messages that belong to the trace of the invocation under way, whose name Lambda gives the
 * process in `_X_AMZN_TRACE_ID`. Where there is none, or X-Ray does not record it, there is no attribute.
 */
export function traceHeader({ env }: Pick<AdapterContext, 'env'>): {
  readonly MessageSystemAttributes?: TraceHeader & Record<string, TraceHeader['AWSTraceHeader']>
} {
  const known = (env['_X_AMZN_TRACE_ID'] ?? '').split(';').filter((part) => parts.test(part))
  const isRecorded = known.includes('Sampled=1') && known.some((part) => part.startsWith('Root='))
  if (!isRecorded) return {}
  return { MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: known.join(';') } } }
}
