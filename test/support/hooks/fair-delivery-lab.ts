/** Both delivery functions with the fair queues and pollers of a laptop, with receivers that need not answer. */
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../memory/memory-ports.ts'
import type { QueuedDelivery } from '../../../core/hooks/delivery/delivery-queue.ts'
import type { HookReply } from '../../../core/hooks/request/hook-client.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { queuedAttempt } from '../../../core/hooks/delivery/delivery.ts'
import { secretPurpose } from '../../../core/hooks/definition/signing.ts'
import { readSettings } from '../../../functions/endpoint/cloud.ts'
import { handler as deliverSlowly } from '../../../functions/hooks/deliver-slowly.ts'
import { handler as deliver } from '../../../functions/hooks/deliver.ts'
import type { WorkerHandler } from '../../../functions/worker.ts'
import { type PolledQueue, Poller } from '../../../local/queues/poller.ts'
import { doneMessages } from '../../../local/queues/queue-event.ts'
import type { ReceivedMessage } from '../../../local/queues/received-message.ts'
import { FairBacklog } from './fair-backlog.ts'
import { capturedLog } from '../processes/captured-log.ts'
import { settle } from '../processes/manual-time.ts'
import { movableClock } from '../processes/movable-clock.ts'
import { aBatch } from '../records/queue-batch.ts'
import { aDelivery, aHook, anEvent } from '../records/records.ts'

/** As many batches as a laptop works on at one time, and the most messages of one. */
const poller = { concurrency: 20, batchSize: 10 }

interface Message extends ReceivedMessage {
  readonly messageGroupId: string
}

/** A standard queue in memory with the order of a fair queue. */
class FairQueue implements PolledQueue {
  readonly #waiting = new FairBacklog<Message>()
  #inFlight: Message[] = []
  #arrived: (() => void)[] = []

  send({ id, domain, hookId, attempt, dueAt }: QueuedDelivery): void {
    const Body = JSON.stringify({ version: 1, id, domain, hookId, attempt, dueAt })
    this.#waiting.push({ MessageId: id, ReceiptHandle: id, Body, messageGroupId: domain })
    this.wake()
  }

  /** Lets those that wait for a message look again. */
  wake(): void {
    for (const arrive of this.#arrived.splice(0)) arrive()
  }

  async receive(most: number): Promise<readonly Message[]> {
    if (this.#waiting.length === 0) await new Promise<void>((resolve) => this.#arrived.push(resolve))
    this.#waiting.judge(this.#inFlight)
    const taken = Array.from({ length: most }, () => this.#waiting.shift() ?? []).flat()
    this.#inFlight.push(...taken)
    return taken
  }

  async remove(messages: readonly ReceivedMessage[]): Promise<void> {
    this.#inFlight = this.#inFlight.filter((message) => !messages.includes(message))
  }
}

/** A lab without hooks. Receivers answer 200, but those of a domain in `silent` never do. */
export function aFairDeliveryLab(silent: readonly string[]) {
  const clock = movableClock()
  const ports = memoryPorts({ clock, random: systemRandomness })
  const queues = { usual: new FairQueue(), slow: new FairQueue() }
  const begun: string[] = []
  const ended = Promise.withResolvers<HookReply>()
  const over = {
    ...ports,
    hookClient: {
      async send({ url }: { readonly url: string }): Promise<HookReply> {
        const domain = new URL(url).hostname
        begun.push(domain)
        const answered: HookReply = { outcome: 'answered', status: 200, headers: {}, body: '', durationMs: 1 }
        return silent.includes(domain) ? ended.promise : answered
      },
    },
    deliveryQueue: {
      ...ports.deliveryQueue,
      async send(all: readonly QueuedDelivery[]) {
        for (const one of all) queues[one.isSlow === true ? 'slow' : 'usual'].send(one)
        return []
      },
    },
  }
  const tools = { clock, random: systemRandomness, log: capturedLog(), settings: readSettings({}) }
  const poll = (queue: FairQueue, handler: WorkerHandler) =>
    new Poller({
      queue,
      ...poller,
      handle: async (messages) => {
        const batch = aBatch(messages.map(({ Body }) => Body))
        for (const [at, record] of batch.Records.entries()) record.messageId = messages[at]?.MessageId ?? ''
        return doneMessages(messages, await handler(batch, { getRemainingTimeInMillis: () => 60_000 }), true)
      },
      onError: (error) => {
        throw error
      },
    })
  const pollers = [poll(queues.usual, deliver.over(over, tools)), poll(queues.slow, deliverSlowly.over(over, tools))]
  return {
    ports,
    /** The domains of the attempts that were begun, in order. */
    begun,
    /** Stores a hook of a domain whose receiver has the domain's name. */
    async hook(domain: string): Promise<Hook> {
      const plain = aHook({ domain, filter: {}, action: { type: 'web', method: 'POST', url: `https://${domain}/` } })
      const sealed = await ports.secretBox.seal(new Uint8Array(32).fill(1), secretPurpose(domain, plain.id))
      const hook = { ...plain, secrets: [{ sealed }] }
      await ports.hooks.create([hook], 100)
      return hook
    },
    /** Queues a delivery to a hook as the dispatch of an event does. */
    async deliver({ domain, id }: Hook): Promise<void> {
      const hook = await ports.hooks.read(domain, id)
      const event = anEvent({ domain })
      const delivery = aDelivery({ domain, hookId: id, event })
      await ports.deliveries.keepEvent(event)
      await ports.deliveries.create(delivery)
      await over.deliveryQueue.send([queuedAttempt(delivery, clock.now(), hook)])
    },
    /** Lets everything happen that can happen without an answer of a silent receiver. */
    async rest(): Promise<void> {
      for (let turn = 0; turn < 40; turn += 1) await settle()
    },
    async stop(): Promise<void> {
      ended.resolve({ outcome: 'answered', status: 200, headers: {}, body: '', durationMs: 1 })
      const stopping = pollers.map((one) => one.stop())
      const waking = setInterval(() => {
        queues.usual.wake()
        queues.slow.wake()
      }, 1)
      await Promise.all(stopping)
      clearInterval(waking)
    },
  }
}
