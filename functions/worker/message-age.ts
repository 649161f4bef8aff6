import type { SQSRecord } from 'aws-lambda'
import type { Log } from '../../adapters/log/logger.ts'
import type { Clock } from '../../core/time.ts'
import type { BatchStep, ReadMessage } from './batch.ts'

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
