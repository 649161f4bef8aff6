import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import * as z from 'zod/mini'
import type { Queue } from '../assembly/assembly.ts'

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

/** Returns the content of a queue, as the embedded SQS shows it for inspection. */
export type Inspect = (queue: Queue) => Promise<unknown>

/**
 * Writes the messages of queues to a file, one a line; without messages there is no file. Returns how many. Messages in
 * flight are written, too: whether the work on them was finished is not known, and consumers expect duplicates.
 */
export async function keepMessages(file: string, queues: readonly Queue[], inspect: Inspect): Promise<number> {
  const left: Sendable[] = []
  for (const queue of queues) {
    const { ready, delayed, inflight } = z.parse(inspected, await inspect(queue)).messages
    const all = [...inflight.map((entry) => entry.message), ...ready, ...delayed]
    left.push(...all.toSorted(byOrder).map((each) => toSend(queue, each)))
  }
  if (left.length === 0) return 0
  const opened = openSync(`${file}.new`, 'w', 0o600)
  try {
    for (const each of left) writeSync(opened, `${JSON.stringify(each)}\n`)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
  renameSync(`${file}.new`, file)
  return left.length
}

/** The result of {@link putBack}. */
export interface PutBack {
  /** Messages that were sent. */
  readonly sent: number
  /** Whether every line was a message. */
  readonly isWhole: boolean
}

/** Sends the messages of a file in their order, up to the first malformed line. The file stays. */
export async function putBack(file: string, send: (message: Sendable) => Promise<void>): Promise<PutBack> {
  let sent = 0
  if (!existsSync(file)) return { sent, isWhole: true }
  for (const text of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const kept = read(text)
    if (kept === undefined) return { sent, isWhole: false }
    await send(kept)
    sent += 1
  }
  return { sent, isWhole: true }
}

function read(text: string): Sendable | undefined {
  try {
    return z.parse(sendable, JSON.parse(text))
  } catch {
    return undefined
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
