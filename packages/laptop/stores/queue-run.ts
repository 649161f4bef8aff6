import { existsSync, rmSync, writeFileSync } from 'node:fs'
import * as z from 'zod/mini'
import type { Queue } from '../assembly/assembly.ts'
import type { DataFiles } from '../processes/data-files.ts'

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

/** Messages as `SendMessage` takes them. */
const sendable = z.array(z.looseObject({ QueueUrl: z.string(), MessageBody: z.string() }))

/** Where the state of embedded queues outlives a run. */
export interface QueueFiles {
  readonly folder: Pick<DataFiles, 'file' | 'read' | 'write'>
  /** Whether a queue's messages are worth keeping: those of some are found elsewhere, or are too late by then. */
  readonly keeps: (queue: Queue) => boolean
}

/** A run of embedded queues, between two stops. */
export interface QueueRun {
  /** Whether the last run did not end in order: what its queues held is lost. */
  readonly isLost: boolean
  /** Removes the state of the last run. */
  begin(): void
  /** Stores the rest of the messages. Before `begin` it leaves everything on disk unchanged. */
  end(): Promise<void>
}

/** The messages that an orderly stop left. */
const messagesFile = 'queues.json'

/** There from the beginning of a run until its messages are stored. */
const runningFile = 'queues-running'

/** Restores the messages that an orderly stop left. */
export async function openQueueRun(
  { folder, keeps }: QueueFiles,
  deps: {
    readonly queues: readonly Queue[]
    /** Returns the content of a queue, as the embedded SQS shows it for inspection. */
    readonly inspect: (queue: Queue) => Promise<unknown>
    readonly send: (message: object) => Promise<void>
  },
): Promise<QueueRun> {
  const running = folder.file(runningFile)
  const kept = readMessages(folder.read(messagesFile) ?? '[]')
  for (const each of kept ?? []) await deps.send(each)
  let hasBegun = false
  return {
    isLost: kept === undefined || existsSync(running),
    begin() {
      writeFileSync(running, '', { mode: 0o600 })
      hasBegun = true
      rmSync(folder.file(messagesFile), { force: true })
    },
    async end() {
      if (!hasBegun) return
      const left: object[] = []
      for (const queue of deps.queues.filter(keeps)) left.push(...messagesOf(queue, await deps.inspect(queue)))
      if (left.length > 0) folder.write(messagesFile, JSON.stringify(left))
      rmSync(running)
    },
  }
}

/** Returns `undefined` for a text that a failure of the machine has damaged. */
function readMessages(text: string): object[] | undefined {
  try {
    return sendable.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/**
 * Returns the messages of a queue in their order. Messages in flight are among them: whether the work on them was
 * finished is not known, and consumers expect duplicates.
 */
function messagesOf({ url }: Queue, content: unknown): object[] {
  const { ready, delayed, inflight } = inspected.parse(content).messages
  const all = [...inflight.map((entry) => entry.message), ...ready, ...delayed]
  return all.toSorted(byOrder).map((each) => ({
    QueueUrl: url,
    MessageBody: each.body,
    MessageAttributes: each.messageAttributes,
    MessageGroupId: each.messageGroupId,
    MessageDeduplicationId: each.messageDeduplicationId,
  }))
}

/** By the order of a FIFO queue. A standard queue has none; its messages come in the order of sending. */
function byOrder(a: z.infer<typeof message>, b: z.infer<typeof message>): number {
  const [first = '', second = ''] = [a.sequenceNumber, b.sequenceNumber]
  return first === second ? a.sentTimestamp - b.sentTimestamp : first < second ? -1 : 1
}
