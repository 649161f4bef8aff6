import type { SQSBatchResponse, SQSRecord } from 'aws-lambda'
import type { Log } from '../../adapters/log/logger.ts'
import type { Clock } from '../../core/time.ts'
import type { MiddlewareObj } from '@middy/core'

/** The end of one message of a batch. */
export type MessageOutcome = 'done' | 'failed' | 'unreadable'

/** The members of a message that matter for handling a batch. */
export interface BatchMessage {
  readonly messageId: string
  /** Messages with the same key are handled one after another. */
  readonly orderKey: string
}

/**
 * Handles the messages of a batch.
 *
 * Messages with the same order key run one after another, all others at the same time. After a failed message the later
 * ones of its key are not handled. After an unreadable one they are: it will never be handled, and holding them up
 * would send them to the dead-letter queue along with it.
 */
export async function handleBatch<M extends BatchMessage>(
  messages: readonly M[],
  handle: (message: M) => Promise<MessageOutcome>,
): Promise<void> {
  const groups = Map.groupBy(messages, ({ orderKey }) => orderKey)
  await Promise.all([...groups.values()].map((group) => handleGroup(group, handle)))
}

async function handleGroup<M extends BatchMessage>(
  group: readonly M[],
  handle: (message: M) => Promise<MessageOutcome>,
): Promise<void> {
  for (const message of group) {
    if ((await handle(message)) === 'failed') return
  }
}

/** Answers with the messages that must be redelivered: all unfinished ones, also when the batch ended early. */
export function partialFailures<M>(log: Log): BatchStep<M> {
  return {
    after: ({ event }) => notDone(event),
    onError: ({ event, error }) => {
      log.error('batch ended early', error)
      return notDone(event)
    },
  }
}

function notDone<M>({ records, done }: Batch<M>): SQSBatchResponse {
  const again = records.filter(({ messageId }) => !done.has(messageId))
  return { batchItemFailures: again.map(({ messageId }) => ({ itemIdentifier: messageId })) }
}

/** Messages that waited for less are nothing to report. */
const reportedMs = 10_000

/** A line is written at most this often. */
const pauseMs = 30_000

/**
 * Logs the age of the oldest message of a batch, at most once in half a minute, and calls `note` with it for the status
 * report. A message that is queued before it is due waits from the moment at which it is due. Repeated receipts do not
 * count, since those messages waited for others of their group.
 */
export function messageAge<C>(
  clock: Clock,
  log: Log,
  note: (ageMs: number, at: number) => Promise<void>,
): BatchStep<C> {
  let silentTo = 0
  return {
    before: async ({ event: { records, messages } }) => {
      const now = clock.now()
      if (now < silentTo && silentTo - now <= pauseMs) return
      const contents = new Map(messages.map(({ messageId, content }: ReadMessage<C>) => [messageId, content]))
      const since = records.filter(isFirstReceipt).map((record) => dueAt(record, contents.get(record.messageId)))
      const ageMs = now - Math.min(now, ...since)
      if (ageMs < reportedMs) return
      silentTo = now + pauseMs
      log.warn('messages wait', { ageMs })
      // Without the note the status shows less, and the batch is handled as any other.
      await note(ageMs, now).catch(() => {})
    },
  }
}

function isFirstReceipt({ attributes }: SQSRecord): boolean {
  return Number(attributes.ApproximateReceiveCount) <= 1
}

/** The moment is unknown where the queue does not state it. */
function dueAt({ attributes }: SQSRecord, content: unknown): number {
  const sentAt = Number(attributes.SentTimestamp) || Infinity
  const isTimed = typeof content === 'object' && content !== null && 'dueAt' in content
  return isTimed ? Math.max(sentAt, Number(content.dueAt) || 0) : sentAt
}

/** A message of a batch and its content, which is absent if it cannot be parsed. */
export interface ReadMessage<M> extends BatchMessage {
  readonly content: M | undefined
  readonly receipt: string
}

/** A batch and the progress of its messages. */
export interface Batch<M> {
  readonly records: readonly SQSRecord[]
  messages: readonly ReadMessage<M>[]
  readonly done: Set<string>
}

/** One step of a worker's chain. */
export type BatchStep<M> = MiddlewareObj<Batch<M>, SQSBatchResponse>
