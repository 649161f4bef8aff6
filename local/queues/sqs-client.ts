import { DeleteMessageBatchCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import * as z from 'zod/mini'
import { pollingClient, sqsClient } from '../../adapters/aws/sqs-client.ts'
import { environment } from '../../contracts/environment.ts'
import { laptop } from '../assembly/place.ts'
import type { Credential } from '../signature/credential.ts'
import type { PolledQueue } from './poller.ts'

const attributes = z.optional(z.record(z.string(), z.string()))

const receivedMessage = z.object({
  MessageId: z.string(),
  ReceiptHandle: z.string(),
  Body: z.string(),
  MD5OfBody: z.optional(z.string()),
  Attributes: attributes,
  MessageAttributes: z.optional(z.record(z.string(), z.unknown())),
})

/** A message as SQS hands it out. */
export type ReceivedMessage = z.infer<typeof receivedMessage>

const receivedMessages = z.array(receivedMessage)

/** Every receive here waits a second at most; the rest is for a machine that is busy. */
const RECEIVE_TIMEOUT_MS = 25_000

/** A queue as a poller works with it, signed with the role of the function that it calls. */
export class SqsClient implements PolledQueue {
  readonly #polling: SQSClient
  readonly #client: SQSClient
  readonly #queueUrl: string
  readonly #closing = new AbortController()

  constructor(storesUrl: string, queueUrl: string, credential: Credential) {
    const env = {
      AWS_REGION: laptop.region,
      AWS_ACCESS_KEY_ID: credential.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credential.secretAccessKey,
      AWS_SESSION_TOKEN: credential.sessionToken,
      [environment.sqsEndpoint]: storesUrl,
    }
    this.#polling = pollingClient({ env })
    this.#client = sqsClient({ env })
    this.#queueUrl = queueUrl
  }

  /** Waits up to a second for messages; ten at most. */
  async receive(maxMessages: number): Promise<readonly ReceivedMessage[]> {
    const command = new ReceiveMessageCommand({
      QueueUrl: this.#queueUrl,
      MaxNumberOfMessages: Math.min(maxMessages, 10),
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    })
    const limits = { requestTimeout: RECEIVE_TIMEOUT_MS, abortSignal: this.#closing.signal }
    const { Messages = [] } = await this.#polling.send(command, limits)
    return z.parse(receivedMessages, Messages)
  }

  /** Deletes messages that are done with. */
  async remove(messages: readonly ReceivedMessage[]): Promise<void> {
    const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }))
    const command = new DeleteMessageBatchCommand({ QueueUrl: this.#queueUrl, Entries })
    await this.#client.send(command, { abortSignal: this.#closing.signal })
  }

  /** Drops its calls under way, those that wait for messages too. */
  close(): void {
    this.#closing.abort()
  }
}
