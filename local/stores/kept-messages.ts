import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import * as z from 'zod/mini'
import type { Queue } from '../assembly/assembly.ts'
import { PlainError } from '../processes/plain-error.ts'

const message = z.object({
  body: z.string(),
  messageAttributes: z.record(z.string(), z.unknown()),
  messageGroupId: z.optional(z.string()),
  messageDeduplicationId: z.optional(z.string()),
  sequenceNumber: z.optional(z.string()),
  sentTimestamp: z.number(),
})

const inspected = z.object({
  messages: z.object({
    ready: z.array(message),
    delayed: z.array(message),
    inflight: z.array(z.object({ message })),
  }),
})

/** A message as `SendMessage` takes it. */
const sendable = z.object({
  QueueUrl: z.string(),
  MessageBody: z.string(),
  MessageAttributes: z.record(z.string(), z.unknown()),
  MessageGroupId: z.optional(z.string()),
  MessageDeduplicationId: z.optional(z.string()),
})

type Message = z.infer<typeof message>
type Sendable = z.infer<typeof sendable>

/**
 * Writes the messages of queues to a file, all of it or nothing; without messages there is no file. Those that somebody
 * works on are written, too: whether that work was finished is not known, and consumers expect messages to come twice.
 */
export async function keepMessages(
  file: string,
  queues: readonly Queue[],
  inspect: (queue: Queue) => Promise<unknown>,
): Promise<void> {
  const left: Sendable[] = []
  for (const queue of queues) {
    const { ready, delayed, inflight } = z.parse(inspected, await inspect(queue)).messages
    const all = [...inflight.map((entry) => entry.message), ...ready, ...delayed]
    left.push(...all.toSorted(byOrder).map((each) => toSend(queue, each)))
  }
  if (left.length === 0) return
  writeFileSync(`${file}.new`, JSON.stringify(left), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** Sends the messages of a file in their order, and removes it. Does nothing where there is none. */
export async function putBack(file: string, send: (message: Sendable) => Promise<void>): Promise<void> {
  if (!existsSync(file)) return
  for (const each of read(file)) await send(each)
  rmSync(file)
}

function read(file: string): readonly Sendable[] {
  try {
    return z.parse(z.array(sendable), JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    throw new PlainError(`${file} is damaged: it holds messages that waited at the last stop; remove it to go on`, {
      cause: error,
    })
  }
}

/** In the order of a FIFO queue. A standard queue has none; its messages are put in the order in which they were sent. */
function byOrder(a: Message, b: Message): number {
  const [first, second] = [a, b].map(({ sequenceNumber }) => BigInt(sequenceNumber ?? 0))
  if (first === undefined || second === undefined || first === second) return a.sentTimestamp - b.sentTimestamp
  return first < second ? -1 : 1
}

function toSend({ url }: Queue, given: Message): Sendable {
  return {
    QueueUrl: url,
    MessageBody: given.body,
    MessageAttributes: given.messageAttributes,
    MessageGroupId: given.messageGroupId,
    MessageDeduplicationId: given.messageDeduplicationId,
  }
}
