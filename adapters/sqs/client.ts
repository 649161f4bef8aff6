import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { type QueueName, queues } from '../../contracts/resources.ts'
import { callService } from '../aws/call-service.ts'
import { sqsClient } from '../aws/sqs-client.ts'
import { type AdapterContext, required } from '../context.ts'
import { traceHeader } from './trace-header.ts'

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
