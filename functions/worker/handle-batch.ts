/** The end of one message of a batch. */
export type MessageEnd = 'done' | 'failed' | 'unreadable'

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
  handle: (message: M) => Promise<MessageEnd>,
): Promise<void> {
  const groups = Map.groupBy(messages, ({ orderKey }) => orderKey)
  await Promise.all([...groups.values()].map((group) => handleGroup(group, handle)))
}

async function handleGroup<M extends BatchMessage>(
  group: readonly M[],
  handle: (message: M) => Promise<MessageEnd>,
): Promise<void> {
  for (const message of group) {
    if ((await handle(message)) === 'failed') return
  }
}
