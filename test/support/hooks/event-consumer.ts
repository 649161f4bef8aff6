import type { SQSEvent } from 'aws-lambda'
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs'
import { sqsClient } from '../../../adapters/aws/sqs-client.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { createLogger } from '../../../adapters/log/logger.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import { queues } from '../../../contracts/resources.ts'
import type { hookDispatch } from '../../../contracts/workers.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import type { PortsOf } from '../../../contracts/ports.ts'
import { readSettings } from '../../../functions/endpoint/cloud.ts'
import { handler } from '../../../functions/hooks/hook-dispatch.ts'
import { aContext } from '../platform/api.ts'
import { aBatch } from '../records/queue-batch.ts'

/** Consumes the event queue as the platform does: batches of ten, and the function that dispatches to hooks. */
export interface EventConsumer {
  /** Messages that were handled, those included that came again. */
  readonly handled: number
  /** How many of these the guard refused, since the same had been written before. */
  readonly heldOff: number
  /** Rejects when a batch could not be handled, which ends the consumer. */
  readonly failed: Promise<never>
  /** Lets what is under way end. */
  close(): Promise<void>
}

export interface ConsumerDeps {
  readonly env: Readonly<Record<string, string>>
  readonly ports: PortsOf<(typeof hookDispatch)['needs']>
  /** Called with each new delivery's event when it is written, once for each; of one call in the order of the queue. */
  readonly onDelivery: (event: PlatformEvent) => void
  /** Whether the consumer dies now: between its work on a batch and the removal of the messages. */
  readonly dies: () => boolean
}

/** Batches at once. The queue hands out one message of a call at a time, so that this keeps their order. */
const parallel = 4

/**
 * Starts to consume. The guard against copies is the platform's own: the event's number, which is given on the
 * condition that its id has none, and the deliveries, which are made in the same step or, where one is there, not
 * again. A call that the queue does not answer in time, since the machine has much else to do, is made again; what it
 * had handed out comes again.
 */
export function startEventConsumer({ env, ports, onDelivery, dies }: ConsumerDeps): EventConsumer {
  const context = { env, clock: systemClock, random: systemRandomness }
  const log = createLogger('consumer', { env: { LOG_LEVEL: 'error' } })
  /** New deliveries by the id of their event. */
  const written = new Map<string, number>()
  const create: typeof ports.deliveries.create = async (delivery) => {
    const isNew = await ports.deliveries.create(delivery)
    if (isNew) written.set(delivery.eventId, (written.get(delivery.eventId) ?? 0) + 1)
    return isNew
  }
  const write: typeof ports.eventLogWriter.write = async (taken, entries) => {
    const given = await ports.eventLogWriter.write(taken, entries)
    for (const { event, deliveries } of entries) {
      if (given?.get(event.id)?.isNew !== true || deliveries.length === 0) continue
      written.set(event.id, (written.get(event.id) ?? 0) + deliveries.length)
    }
    return given
  }
  const dispatch = handler.over(
    {
      ...ports,
      deliveries: { ...ports.deliveries, create },
      eventLogWriter: { ...ports.eventLogWriter, write },
    },
    { ...context, log, settings: readSettings({}) },
  )
  const QueueUrl = env[queues.events.variable]
  const client = sqsClient(context)
  const counts = { handled: 0, heldOff: 0 }
  const over = new AbortController()

  const handle = async (messages: readonly Message[]) => {
    const bodies = messages.map(({ Body = '' }) => Body)
    const events = bodies.map((body) => JSON.parse(body) as PlatformEvent)
    const { batchItemFailures } = await dispatch(oneGroupEach(bodies), aContext)
    if (batchItemFailures.length > 0) throw new Error(`${batchItemFailures.length} messages were not handled`)
    for (const event of events) {
      counts.handled += 1
      const deliveries = written.get(event.id) ?? 0
      written.delete(event.id)
      if (deliveries === 0) counts.heldOff += 1
      for (let each = 0; each < deliveries; each += 1) onDelivery(event)
    }
    const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle }))
    if (!dies()) await ifAnswered(client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries })))
    else {
      const again = Entries.map(({ Id, ReceiptHandle }) => ({ Id, ReceiptHandle, VisibilityTimeout: 0 }))
      await ifAnswered(client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries: again })))
    }
  }

  const follow = async () => {
    while (!over.signal.aborted) {
      const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 })
      const { Messages = [] } = (await ifAnswered(client.send(command))) ?? {}
      if (Messages.length > 0) await handle(Messages)
    }
  }
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => over.abort())
  const loops = Promise.all(Array.from({ length: parallel }, follow))
  loops.catch(reject)
  return {
    failed,
    get handled() {
      return counts.handled
    },
    get heldOff() {
      return counts.heldOff
    },
    close: async () => {
      over.abort()
      await loops
    },
  }
}

/** Waits for a call and ignores its failure: what the queue handed out comes again. */
function ifAnswered<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch(() => undefined)
}

/** The queue never hands out two messages of one call at once, so none waits for another. */
function oneGroupEach(bodies: readonly string[]): SQSEvent {
  const batch = aBatch(bodies)
  for (const record of batch.Records) record.attributes.MessageGroupId = record.messageId
  return batch
}
