import { once } from 'node:events'
import { EventEmitter } from 'node:events'
import type { SQSRecord } from 'aws-lambda'
import type { PolledQueue } from '../../packages/laptop/queues/poller.ts'
import type { ReceivedMessage } from '../../packages/laptop/queues/received-message.ts'
import { recordOf } from './records.ts'

/** As long as an open request to the queue waits for a message. */
const longPollMs = 1000

/**
 * A standard queue in memory: messages come in their order, held back for as long as they ask, and those that are taken
 * are gone, since nothing here fails.
 */
export class MemoryQueue implements PolledQueue {
  readonly #waiting: ReceivedMessage[] = []
  readonly #arrivals = new EventEmitter()
  #count = 0

  send(Body: string, delaySeconds = 0): void {
    this.#count += 1
    const message = { MessageId: String(this.#count), ReceiptHandle: '', Body }
    const arrive = () => {
      this.#waiting.push(message)
      this.#arrivals.emit('message')
    }
    if (delaySeconds === 0) arrive()
    else setTimeout(arrive, delaySeconds * 1000)
  }

  async receive(maxMessages: number): Promise<readonly ReceivedMessage[]> {
    if (this.#waiting.length === 0) {
      const signal = AbortSignal.timeout(longPollMs)
      await once(this.#arrivals, 'message', { signal }).catch(() => undefined)
    }
    return this.#waiting.splice(0, maxMessages)
  }

  async remove(): Promise<void> {
    return undefined
  }

  readonly record = ({ MessageId, Body }: ReceivedMessage): SQSRecord => recordOf(MessageId, Body)
}
