import * as z from 'zod/mini'
import { type GroupedMessage, fairOrder } from './fair-order.ts'

/** A message of the embedded SQS. */
interface EmbeddedMessage extends GroupedMessage {
  readonly messageId: string
  messageGroupId?: string
}

/** The parts of a queue of the embedded SQS that its order depends on. */
interface EmbeddedQueue {
  messages: EmbeddedMessage[]
  readonly inflightMessages: ReadonlyMap<string, { readonly message: EmbeddedMessage }>
  enqueue: (this: EmbeddedQueue, message: EmbeddedMessage) => void
  isFifo(): boolean
  processTimers(): void
  dequeue: (this: EmbeddedQueue, ...given: unknown[]) => unknown
}

/** Messages that were queued, until the answer to their sender is read. */
const unread = new Map<string, EmbeddedMessage>()

let made: Promise<void> | undefined

/**
 * Makes the standard queues of the embedded SQS fair queues, for the whole process. Alone it hands out messages as they
 * came, whoever they belong to, and forgets the groups that they are sent with.
 */
export function makeQueuesFair(): Promise<void> {
  made ??= changeOrder()
  return made
}

const entry = z.object({ Id: z.optional(z.string()), MessageGroupId: z.optional(z.string()) })
const sending = z.extend(entry, { Entries: z.optional(z.array(entry)) })
const receipt = z.object({ Id: z.optional(z.string()), MessageId: z.optional(z.string()) })
const sent = z.extend(receipt, { Successful: z.optional(z.array(receipt)) })

/** Gives the messages of a `SendMessage` or `SendMessageBatch` that was answered the groups that they were sent with. */
export function keepGroups(input: unknown, answer: string): void {
  const given = z.parse(sending, input)
  const taken = z.safeParse(sent, JSON.parse(answer))
  if (!taken.success) return
  for (const { Id, MessageId = '' } of taken.data.Successful ?? [taken.data]) {
    const { MessageGroupId: group } = given.Entries?.find((each) => each.Id === Id) ?? given
    const message = unread.get(MessageId)
    unread.delete(MessageId)
    if (message !== undefined && group !== undefined) message.messageGroupId = group
  }
}

/** The class of a queue is no export of the package; its file is. */
async function changeOrder(): Promise<void> {
  const file = new URL('sqs/sqsStore.js', import.meta.resolve('fauxqs'))
  const loaded: unknown = await import(file.href)
  if (!holdsQueueClass(loaded)) throw new Error('the embedded SQS has another form: its queues cannot be made fair')
  const queue = loaded.SqsQueue.prototype
  const { enqueue, dequeue } = queue
  queue.enqueue = function remember(this: EmbeddedQueue, message: EmbeddedMessage) {
    if (!this.isFifo() && message.messageGroupId === undefined) unread.set(message.messageId, message)
    enqueue.call(this, message)
  }
  queue.dequeue = function fairly(this: EmbeddedQueue, ...given: unknown[]) {
    if (!this.isFifo()) {
      // What becomes visible now takes part in the order.
      this.processTimers()
      const inFlight = Array.from(this.inflightMessages.values(), ({ message }) => message)
      this.messages = fairOrder(this.messages, inFlight)
    }
    return dequeue.apply(this, given)
  }
}

function holdsQueueClass(loaded: unknown): loaded is { readonly SqsQueue: { readonly prototype: EmbeddedQueue } } {
  if (typeof loaded !== 'object' || loaded === null || !('SqsQueue' in loaded)) return false
  const { SqsQueue } = loaded
  return typeof SqsQueue === 'function' && typeof SqsQueue.prototype?.dequeue === 'function'
}
