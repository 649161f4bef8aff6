import type { CdrUpdate, CdrQueue } from '../../../core/cdr/cdr-update.ts'

/** A {@link CdrQueue} that can be read and made to refuse. */
export interface MemoryCdrQueue extends CdrQueue {
  /** All updates taken, in order, one of each id. */
  readonly queued: CdrUpdate[]
  /** Whether the queue refuses updates; it takes all until replaced. */
  refuses: (update: CdrUpdate) => boolean
}

/** Updates of CDRs in memory. Later updates of a leg wait for refused ones, as in the queue. */
export function memoryCdrQueue(): MemoryCdrQueue {
  const queue: MemoryCdrQueue = {
    queued: [],
    refuses: () => false,
    async send(updates) {
      const blocked = new Set<string>()
      const refused: string[] = []
      for (const one of updates) {
        if (blocked.has(one.uuid) || queue.refuses(one)) {
          blocked.add(one.uuid)
          refused.push(one.id)
        } else if (!queue.queued.some(({ id }) => id === one.id)) {
          queue.queued.push(withoutText(one))
        }
      }
      return refused
    },
  }
  return queue
}

/** As a consumer of the queue reads it. */
function withoutText(update: CdrUpdate): CdrUpdate {
  if (update.kind !== 'event') return update
  const { fieldsText: _text, ...read } = update
  return read
}
