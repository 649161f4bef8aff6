import type { SQSRecord } from 'aws-lambda'

/** How one message of a batch ended. */
export type MessageEnd = 'done' | 'failed' | 'unreadable'

/**
 * Handles a batch and answers the ids of the messages that must come again.
 *
 * Without order, all messages run at once. With order, the groups of a FIFO queue run beside each other and each in
 * its own order; behind a failed message the later ones of its group wait for it. Behind an unreadable one they do
 * not: it will never be handled, and holding them would send them to the dead-letter queue along with it.
 */
export async function handleBatch(
  records: readonly SQSRecord[],
  isOrdered: boolean,
  handle: (record: SQSRecord) => Promise<MessageEnd>,
): Promise<string[]> {
  const groups = Map.groupBy(records, ({ attributes, messageId }) =>
    isOrdered ? (attributes.MessageGroupId ?? messageId) : messageId,
  )
  const failed = await Promise.all([...groups.values()].map((group) => handleGroup(group, handle)))
  return failed.flat()
}

async function handleGroup(
  group: readonly SQSRecord[],
  handle: (record: SQSRecord) => Promise<MessageEnd>,
): Promise<string[]> {
  const again: string[] = []
  for (const [index, record] of group.entries()) {
    const end = await handle(record)
    if (end === 'failed') return [...again, ...group.slice(index).map(({ messageId }) => messageId)]
    if (end === 'unreadable') again.push(record.messageId)
  }
  return again
}
