/** How one message of a batch ended. */
export type MessageEnd = 'done' | 'failed' | 'unreadable'

/** What handling a batch looks at in a message. */
export interface BatchMessage {
  readonly messageId: string
  /** Messages with the same key are handled one after another. */
  readonly orderKey: string
}

/**
 * Handles a batch and answers the ids of the messages that must come again.
 *
 * Messages with the same order key run one after another, all others beside each other. After a failed message the later
 * ones of its key come again, too. After an unreadable one they do not: it will never be handled, and holding them would
 * send them to the dead-letter queue along with it.
 */
export async function handleBatch<M extends BatchMessage>(
  messages: readonly M[],
  handle: (message: M) => Promise<MessageEnd>,
): Promise<string[]> {
  const groups = Map.groupBy(messages, ({ orderKey }) => orderKey)
  const failed = await Promise.all([...groups.values()].map((group) => handleGroup(group, handle)))
  return failed.flat()
}

async function handleGroup<M extends BatchMessage>(
  group: readonly M[],
  handle: (message: M) => Promise<MessageEnd>,
): Promise<string[]> {
  const again: string[] = []
  for (const [index, message] of group.entries()) {
    const end = await handle(message)
    if (end === 'failed') return [...again, ...group.slice(index).map(({ messageId }) => messageId)]
    if (end === 'unreadable') again.push(message.messageId)
  }
  return again
}
