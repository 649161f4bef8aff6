import * as z from 'zod/mini'
import type { Queue } from '../assembly/assembly.ts'
import type { Inspect } from './kept-messages.ts'

/** A message as the embedded SQS holds it; the same object at every look, so that its body is parsed once. */
const held = z.custom<object>((value) => typeof value === 'object' && value !== null)

const inspected = z.object({
  messages: z.object({ ready: z.array(held), delayed: z.array(held), inflight: z.array(z.object({ message: held })) }),
})
const withBody = z.object({ body: z.string() })
const withTime = z.object({ occurredAt: z.number() })

/**
 * Makes a function that returns when the oldest event among the messages of queues occurred, epoch milliseconds;
 * `undefined` if none waits. Messages without such a time do not count.
 */
export function oldestEventOf(queues: readonly Queue[], inspect: Inspect): () => Promise<number | undefined> {
  const known = new WeakMap<object, number>()
  const timeOf = (message: object) => {
    const time = known.get(message) ?? readTime(message)
    known.set(message, time)
    return time
  }
  return async () => {
    let oldest = Number.POSITIVE_INFINITY
    for (const queue of queues) {
      const { ready, delayed, inflight } = z.parse(inspected, await inspect(queue)).messages
      for (const message of ready) oldest = Math.min(oldest, timeOf(message))
      for (const message of delayed) oldest = Math.min(oldest, timeOf(message))
      for (const { message } of inflight) oldest = Math.min(oldest, timeOf(message))
    }
    return Number.isFinite(oldest) ? oldest : undefined
  }
}

/** Infinity for a message without a time. */
function readTime(message: object): number {
  try {
    return z.parse(withTime, JSON.parse(z.parse(withBody, message).body)).occurredAt
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
