import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { ServiceAnswer } from '../gate/backend.ts'
import type { Gate } from '../gate/gate.ts'
import { untilAborted } from '../processes/until-aborted.ts'
import type { PolledQueue } from './poller.ts'
import { type ReceivedMessage, receiveAnswer } from './received-message.ts'

/**
 * A queue as a poller works with it, through the gate of the same process. It acts with the role of the function that
 * the poller calls. A failed receive is not retried, since a poller rests a second and receives again. A failed
 * deletion is: otherwise a store at another address that closes a connection would have finished work done again.
 */
export class GateQueue implements PolledQueue {
  readonly #gate: Pick<Gate, 'callAs'>
  readonly #queueUrl: string
  readonly #roleArn: string
  readonly #pause: (ms: number) => Promise<unknown>
  readonly #closing = new AbortController()

  constructor(
    gate: Pick<Gate, 'callAs'>,
    queueUrl: string,
    roleArn: string,
    pause: (ms: number) => Promise<unknown> = delay,
  ) {
    this.#gate = gate
    this.#queueUrl = queueUrl
    this.#roleArn = roleArn
    this.#pause = pause
  }

  /**
   * Waits up to a second for messages, and takes tens of them while a whole ten waits. Rejects as soon as the queue is
   * closed: the embedded store makes messages that come later visible again at once, and another store does so after
   * their visibility timeout.
   */
  async receive(maxMessages: number): Promise<readonly ReceivedMessage[]> {
    const messages = [...(await this.#receiveTen(maxMessages, 1))]
    while (messages.length < maxMessages && messages.length % 10 === 0 && messages.length > 0) {
      // What was taken already is worked on in any case.
      const more = await this.#receiveTen(maxMessages - messages.length, 0).catch(() => [])
      if (more.length === 0) break
      messages.push(...more)
    }
    return messages
  }

  async #receiveTen(maxMessages: number, waitSeconds: number): Promise<readonly ReceivedMessage[]> {
    const { signal } = this.#closing
    signal.throwIfAborted()
    const receiving = this.#call(
      'ReceiveMessage',
      {
        MaxNumberOfMessages: Math.min(maxMessages, 10),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      },
      () => !signal.aborted,
    )
    await untilAborted(receiving, signal)
    signal.throwIfAborted()
    const { Messages } = z.parse(receiveAnswer, JSON.parse(String((await receiving).body)))
    return Messages ?? []
  }

  /**
   * Deletes messages that are done with, also after the queue is closed, in up to three attempts. One that is not
   * deleted is received again.
   */
  async remove(messages: readonly ReceivedMessage[]): Promise<void> {
    const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }))
    for (const waitMs of deletionWaitsMs) {
      try {
        return void (await this.#call('DeleteMessageBatch', { Entries }))
      } catch {
        await this.#pause(waitMs)
      }
    }
    await this.#call('DeleteMessageBatch', { Entries })
  }

  close(): void {
    this.#closing.abort()
  }

  async #call(action: string, input: object, isAwaited?: () => boolean): Promise<ServiceAnswer> {
    const answer = await this.#gate.callAs(this.#roleArn, {
      service: 'sqs',
      target: `AmazonSQS.${action}`,
      input: { QueueUrl: this.#queueUrl, ...input },
      isAwaited,
    })
    if (answer.status !== 200) throw new Error(problemOf(answer))
    return answer
  }
}

/** The waits before a second and a third attempt: as often as the cloud's own clients try. */
const deletionWaitsMs = [50, 100]

const errorBody = z.object({
  __type: z.string(),
  message: z.optional(z.string()),
  Message: z.optional(z.string()),
})

function problemOf({ status, body }: ServiceAnswer): string {
  const parsed = z.safeParse(errorBody, parseJson(String(body)))
  if (!parsed.success) return `the queue store answered status ${status}`
  const { __type: type, message, Message } = parsed.data
  return `${type.slice(type.lastIndexOf('#') + 1)}: ${message ?? Message ?? ''}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
