import * as z from 'zod/mini'
import { Pool } from 'undici'
import { laptop } from '../assembly/place.ts'
import type { Credential } from '../signature/credential.ts'
import { signRequest } from '../signature/sign-request.ts'

const attributes = z.optional(z.record(z.string(), z.string()))

const receivedMessage = z.object({
  MessageId: z.string(),
  ReceiptHandle: z.string(),
  Body: z.string(),
  MD5OfBody: z.optional(z.string()),
  Attributes: attributes,
  MessageAttributes: z.optional(z.record(z.string(), z.unknown())),
})

const received = z.object({ Messages: z.optional(z.array(receivedMessage)) })

/** A message as SQS hands it out. */
export type ReceivedMessage = z.infer<typeof receivedMessage>

/** What a poller does with its queue, signed with the role of the function that it calls. */
export class SqsClient {
  readonly #url: URL
  readonly #pool: Pool
  readonly #credential: Credential
  readonly #queueUrl: string

  constructor(storesUrl: string, queueUrl: string, credential: Credential) {
    this.#url = new URL(storesUrl)
    this.#pool = new Pool(this.#url.origin, { connections: 8, headersTimeout: 30_000, bodyTimeout: 30_000 })
    this.#credential = credential
    this.#queueUrl = queueUrl
  }

  /** Waits up to a second for messages; ten at most. */
  async receive(maxMessages: number): Promise<readonly ReceivedMessage[]> {
    const input = {
      QueueUrl: this.#queueUrl,
      MaxNumberOfMessages: Math.min(maxMessages, 10),
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }
    return z.parse(received, await this.#call('ReceiveMessage', input)).Messages ?? []
  }

  /** Deletes messages that are done with. */
  async remove(messages: readonly ReceivedMessage[]): Promise<void> {
    const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }))
    await this.#call('DeleteMessageBatch', { QueueUrl: this.#queueUrl, Entries })
  }

  /** Drops its connections, those that wait for messages too. */
  close(): Promise<void> {
    return this.#pool.destroy()
  }

  async #call(action: string, input: object): Promise<unknown> {
    const body = JSON.stringify(input)
    const target = `AmazonSQS.${action}`
    const contentType = 'application/x-amz-json-1.0'
    const request = { url: this.#url, service: 'sqs', region: laptop.region, target, body, contentType }
    const answer = await this.#pool.request({
      method: 'POST',
      path: '/',
      headers: signRequest(request, this.#credential, Date.now()),
      body,
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${action} of ${this.#queueUrl}: ${text}`)
    return JSON.parse(text)
  }
}
