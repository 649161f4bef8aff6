/** A message of a FIFO queue of the embedded SQS. */
interface FifoMessage {
  readonly messageGroupId?: string
  readonly sequenceNumber?: string
}

/** A message as a consumer receives it. */
interface Received {
  readonly ReceiptHandle: string
}

/** The parts of a FIFO queue of the embedded SQS that its order depends on. */
export interface FifoQueue<M extends FifoMessage = FifoMessage> {
  /** The messages that can be taken, by their group. */
  fifoMessages: Map<string, M[]>
  /** Groups of which messages are in flight, and how many. */
  readonly fifoLockedGroups: Map<string, number>
  readonly inflightMessages: ReadonlyMap<string, { readonly message: M; readonly visibilityDeadline: number }>
  isFifo(): boolean
  hasAvailableFifoMessages(): boolean
  processTimers: (this: FifoQueue<M>) => void
  changeVisibility: (this: FifoQueue<M>, receiptHandle: string, seconds: number) => void
  notifyWaiters: (this: FifoQueue<M>) => void
  dequeueFifo: (this: FifoQueue<M>, most: number, ...given: unknown[]) => Received[]
}

/**
 * Makes the FIFO queues of the embedded SQS hand out messages as SQS does. Alone, the embedded one hands out one message of
 * each group at a time, puts several messages that return in the reverse order, and ends a long poll without a message when
 * one of a group in flight arrives. SQS returns as many messages of one group as it can, and then those of the next. It does not
 * say which group is the next: here it is one of the same tenant, so that the batches of a tenant are large when much waits.
 */
export function handOutGroups(queue: FifoQueue): void {
  const { processTimers, changeVisibility, notifyWaiters, dequeueFifo } = queue
  queue.processTimers = function inOrder(this: FifoQueue) {
    const now = Date.now()
    const returning = [...this.inflightMessages.values()].filter((each) => each.visibilityDeadline <= now)
    processTimers.call(this)
    if (this.isFifo()) for (const { message } of returning) sort(this, message)
  }
  queue.changeVisibility = function inOrder(this: FifoQueue, receiptHandle: string, seconds: number) {
    const message = this.inflightMessages.get(receiptHandle)?.message
    changeVisibility.call(this, receiptHandle, seconds)
    if (this.isFifo() && message !== undefined) sort(this, message)
  }
  queue.notifyWaiters = function whereAny(this: FifoQueue) {
    if (!this.isFifo() || this.hasAvailableFifoMessages()) notifyWaiters.call(this)
  }
  queue.dequeueFifo = function groupByGroup(this: FifoQueue, most: number, ...given: unknown[]) {
    const taken: Received[] = []
    const counts = new Map<string, number>()
    const all = this.fifoMessages
    this.processTimers()
    // Once for a call: a message that is invisible for no time at all would return while the call goes on.
    this.processTimers = () => {}
    try {
      while (taken.length < most) {
        const [message] = dequeueFifo.call(this, 1, ...given)
        if (message === undefined) {
          if (this.fifoMessages === all) break
          this.fifoMessages = all
          continue
        }
        taken.push(message)
        // The first free group may have held nothing but dead letters, so the message itself names its group.
        const group = this.inflightMessages.get(message.ReceiptHandle)?.message.messageGroupId ?? ''
        // Not locked for this call: its next message comes next.
        this.fifoLockedGroups.delete(group)
        counts.set(group, (counts.get(group) ?? 0) + 1)
        const tenant = tenantOfGroup(group)
        if (this.fifoMessages === all && tenant !== undefined) {
          this.fifoMessages = new Map([...all].filter(([each]) => tenantOfGroup(each) === tenant))
        }
      }
    } finally {
      this.fifoMessages = all
      Reflect.deleteProperty(this, 'processTimers')
      // The embedded queue removes a group that it has emptied from the map that it was given for this call.
      for (const [group, left] of all) if (left.length === 0) all.delete(group)
    }
    for (const [group, count] of counts) {
      this.fifoLockedGroups.set(group, count)
      // The other groups come first next time.
      const left = this.fifoMessages.get(group)
      this.fifoMessages.delete(group)
      if (left !== undefined) this.fifoMessages.set(group, left)
    }
    return taken
  }
}

/** Returns the tenant of a group such as `domain/lane`; `undefined` for a group of another form. */
export function tenantOfGroup(group: string): string | undefined {
  return /^(.+)\/\d+$/.exec(group)?.[1]
}

function sort({ fifoMessages }: FifoQueue, { messageGroupId = '' }: FifoMessage): void {
  fifoMessages.get(messageGroupId)?.sort((one, other) => compare(one.sequenceNumber, other.sequenceNumber))
}

/** The embedded SQS writes the numbers of messages with twenty digits. */
function compare(one = '', other = ''): number {
  return one < other ? -1 : one > other ? 1 : 0
}
