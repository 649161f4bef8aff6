import { AsyncLocalStorage } from 'node:async_hooks'
import * as z from 'zod/mini'
import { FairBacklog, type GroupedMessage } from './fair-backlog.ts'
import { type FifoQueue, handOutGroups } from './fifo-groups.ts'

/** A message of the embedded SQS. */
interface EmbeddedMessage extends GroupedMessage {
  readonly body: string
  messageGroupId?: string
}

/** The parts of a queue of the embedded SQS that its order depends on. */
interface EmbeddedQueue {
  messages: Iterable<EmbeddedMessage>
  readonly inflightMessages: ReadonlyMap<string, { readonly message: EmbeddedMessage }>
  enqueue: (this: EmbeddedQueue, message: EmbeddedMessage) => void
  isFifo(): boolean
  processTimers(): void
  dequeue: (this: EmbeddedQueue, ...given: unknown[]) => unknown
}

const entry = z.object({ MessageBody: z.optional(z.string()), MessageGroupId: z.optional(z.string()) })
const sending = z.extend(entry, { Entries: z.optional(z.array(entry)) })

/** The messages that the request under way sends and that are not queued yet, with their groups. */
const sent = new AsyncLocalStorage<z.infer<typeof entry>[]>()

let made: Promise<void> | undefined

/**
 * Makes the standard queues of the embedded SQS fair queues, for the whole process. Alone it delivers messages in order of
 * arrival, whatever their group, and forgets the groups.
 */
export function makeQueuesFair(): Promise<void> {
  made ??= changeOrder()
  return made
}

/** Runs a `SendMessage` or `SendMessageBatch` so that its messages keep the groups that they are sent with. */
export function keepingGroups<T>(input: unknown, send: () => PromiseLike<T>): Promise<T> {
  const given = z.parse(sending, input)
  // The request may begin only once it is awaited, so that happens in here.
  return sent.run([...(given.Entries ?? [given])], async () => await send())
}

/** The class of a queue is no export of the package; its file is. */
async function changeOrder(): Promise<void> {
  const file = new URL('sqs/sqsStore.js', import.meta.resolve('fauxqs'))
  const loaded: unknown = await import(file.href)
  if (!holdsQueueClass(loaded)) throw new Error('the embedded SQS has another form: its queues cannot be made fair')
  const queue = loaded.SqsQueue.prototype
  handOutGroups(queue)
  const { enqueue, dequeue } = queue
  queue.enqueue = function inGroup(this: EmbeddedQueue, message: EmbeddedMessage) {
    if (!this.isFifo()) {
      const group = message.messageGroupId === undefined ? takeGroup(message.body) : undefined
      if (group !== undefined) message.messageGroupId = group
      backlogOf(this)
    }
    enqueue.call(this, message)
  }
  queue.dequeue = function fairly(this: EmbeddedQueue, ...given: unknown[]) {
    if (!this.isFifo()) {
      // Messages that become visible now are part of the order, and no longer in flight.
      this.processTimers()
      backlogOf(this).judge(Array.from(this.inflightMessages.values(), ({ message }) => message))
    }
    return dequeue.apply(this, given)
  }
}

/** The group of the first message of this request with such a body; messages are queued in the order of the request. */
function takeGroup(body: string): string | undefined {
  const left = sent.getStore() ?? []
  const at = left.findIndex(({ MessageBody }) => MessageBody === body)
  return at < 0 ? undefined : left.splice(at, 1)[0]?.MessageGroupId
}

/** The messages that wait in a standard queue. A new or emptied queue has a plain list of them, which is replaced. */
function backlogOf(queue: EmbeddedQueue): FairBacklog<EmbeddedMessage> {
  if (queue.messages instanceof FairBacklog) return queue.messages
  const backlog = new FairBacklog(queue.messages)
  queue.messages = backlog
  return backlog
}

function holdsQueueClass(
  loaded: unknown,
): loaded is { readonly SqsQueue: { readonly prototype: EmbeddedQueue & FifoQueue } } {
  if (typeof loaded !== 'object' || loaded === null || !('SqsQueue' in loaded)) return false
  const { SqsQueue } = loaded
  return typeof SqsQueue === 'function' && typeof SqsQueue.prototype?.dequeue === 'function'
}
