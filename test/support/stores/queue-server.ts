import { startFauxqs } from 'fauxqs'
import { environment } from '../../../contracts/environment.ts'
import { type QueueName, queues } from '../../../contracts/resources.ts'

/** A message as it lies in a queue. */
interface QueuedMessage {
  readonly body: unknown
  readonly group: string | undefined
  readonly deduplicationId: string | undefined
}

/** An SQS with every queue of contracts/resources.ts, empty. */
export interface QueueServer {
  readonly endpoint: string
  /** The environment with which an adapter reaches it. */
  readonly env: Readonly<Record<string, string>>
  /** The messages that can be received now, in order; they stay. */
  waiting(queue: QueueName): QueuedMessage[]
  /** How many messages may be received only later. */
  delayed(queue: QueueName): number
  /** Empties all queues. */
  empty(): void
  close(): Promise<void>
}

/** Starts an SQS in this process on a free port. */
export async function startQueueServer(): Promise<QueueServer> {
  const server = await startFauxqs({ port: 0, logger: false, defaultRegion: 'eu-central-1' })
  const nameOf = (queue: QueueName) => (queues[queue].fifo ? `${queue}.fifo` : queue)
  const urls = Object.entries(queues).map(([queue, { variable, fifo }]) => {
    const attributes: Record<string, string> = fifo ? { FifoQueue: 'true' } : {}
    return [variable, server.createQueue(nameOf(queue as QueueName), { attributes }).queueUrl]
  })
  const messagesOf = (queue: QueueName) => {
    const found = server.inspectQueue(nameOf(queue))
    if (found === undefined) throw new Error(`there is no queue ${queue}`)
    return found.messages
  }
  return {
    endpoint: server.address,
    env: {
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: 'eu-central-1',
      ...Object.fromEntries(urls),
      [environment.sqsEndpoint]: server.address,
    },
    waiting: (queue) =>
      messagesOf(queue).ready.map((message) => ({
        body: JSON.parse(message.body),
        group: message.messageGroupId,
        deduplicationId: message.messageDeduplicationId,
      })),
    delayed: (queue) => messagesOf(queue).delayed.length,
    empty: () => server.reset(),
    close: () => server.stop(),
  }
}
