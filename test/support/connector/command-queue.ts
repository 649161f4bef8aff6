import type { CommandMessage } from '../../../contracts/messages/command.ts'
import { queues } from '../../../contracts/resources.ts'
import { commandGroup } from '../../../adapters/sqs/sqs-call-engine.ts'
import type { CommandRecord } from '../../../core/commands/commands.ts'
import { DomainError } from '../../../core/errors.ts'
import type { CommandReceiver, TakenMessage } from '../../../core/commands/command-store.ts'
import type { ManualTime } from '../processes/manual-time.ts'

/** A message in the queue. */
interface Queued {
  readonly body: string
  readonly group: string
  readonly sentAt: number
  /** Epoch milliseconds; it is hidden before. */
  visibleAt: number
  receives: number
  receipt: string
  /** A copy keeps no other message of its group back. */
  readonly isCopy: boolean
}

/** The command queue as SQS keeps it, on a clock in hand. */
export interface CommandQueue {
  enqueue(record: CommandRecord): Promise<void>
  /** Puts any text into the queue. */
  put(body: string, group?: string): void
  readonly receiver: CommandReceiver
  /** How often each message is handed out without anybody having lost it: 1 until replaced. */
  deliveries: number
  /** Called just before and just after a command is put into it. */
  tell: (step: 'before enqueue' | 'after enqueue') => void
  readonly size: number
  /** Every message that was put into it, copies included. */
  readonly bodies: readonly string[]
  /** How often messages were handed out. */
  readonly taken: number
}

/**
 * An empty queue: one message of a group at a time, hidden for the time that contracts/resources.ts says once it is
 * taken, then handed out again unless it was removed; gone after its retention or too many takings.
 */
export function commandQueue({ clock, timers }: ManualTime): CommandQueue {
  const { visibilitySeconds, retentionSeconds, maxReceives } = queues.commands
  const messages = new Set<Queued>()
  const waiting = new Set<() => void>()
  const bodies: string[] = []
  let taken = 0

  const wake = () => {
    for (const each of waiting) each()
  }
  const put = (body: string, group: string, isCopy: boolean) => {
    bodies.push(body)
    messages.add({ body, group, sentAt: clock.now(), visibleAt: clock.now(), receives: 0, receipt: '', isCopy })
    wake()
  }
  const drop = (isOver: (message: Queued) => boolean) => {
    for (const message of messages) if (isOver(message)) messages.delete(message)
  }
  const take = (limit: number): TakenMessage[] => {
    const now = clock.now()
    drop(({ sentAt, receives, visibleAt }) => {
      return sentAt + retentionSeconds * 1_000 <= now || (receives >= maxReceives && visibleAt <= now)
    })
    const locked = new Set([...messages].filter(({ visibleAt }) => visibleAt > now).map(({ group }) => group))
    const given: TakenMessage[] = []
    for (const message of messages) {
      if (given.length === limit) break
      if (message.visibleAt > now || (locked.has(message.group) && !message.isCopy)) continue
      if (given.some(({ body }) => body === message.body)) continue
      taken += 1
      message.receives += 1
      message.receipt = `receipt-${taken}`
      message.visibleAt = now + visibilitySeconds * 1_000
      given.push({ body: message.body, group: message.group, receipt: message.receipt })
    }
    if (given.length > 0) timers.after(visibilitySeconds * 1_000, wake)
    return given
  }

  const queue: CommandQueue = {
    enqueue: async (record) => {
      const message: CommandMessage = { version: 1, ...record }
      queue.tell('before enqueue')
      for (let copy = 0; copy < queue.deliveries; copy += 1) {
        put(JSON.stringify(message), commandGroup(record), copy > 0)
      }
      queue.tell('after enqueue')
    },
    put: (body, group = body) => put(body, group, false),
    receiver: {
      receive: async (limit, signal) => {
        for (;;) {
          if (signal.aborted) return []
          const given = take(limit)
          if (given.length > 0) return given
          await new Promise<void>((resolve) => {
            const finish = () => {
              waiting.delete(finish)
              signal.removeEventListener('abort', finish)
              resolve()
            }
            waiting.add(finish)
            signal.addEventListener('abort', finish)
          })
        }
      },
      remove: async ({ receipt }) => {
        const message = [...messages].find((each) => each.receipt === receipt)
        if (message === undefined) throw new DomainError('internal_error', 'the receipt has expired')
        messages.delete(message)
        wake()
      },
    },
    deliveries: 1,
    tell: () => {},
    bodies,
    get size() {
      return messages.size
    },
    get taken() {
      return taken
    },
  }
  return queue
}
