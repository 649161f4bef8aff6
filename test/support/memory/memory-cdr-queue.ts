import type { CdrNews, CdrQueue } from '../../../core/cdr/cdr-news.ts'

/** A {@link CdrQueue} that can be read and made to refuse. */
export interface MemoryCdrQueue extends CdrQueue {
  /** All news taken, in order, one of each id. */
  readonly queued: CdrNews[]
  /** Whether the queue refuses news; it takes all until replaced. */
  refuses: (news: CdrNews) => boolean
}

/** News of CDRs in memory. Later news of a leg wait for refused ones, as in the queue. */
export function memoryCdrQueue(): MemoryCdrQueue {
  const queue: MemoryCdrQueue = {
    queued: [],
    refuses: () => false,
    async send(news) {
      const blocked = new Set<string>()
      const refused: string[] = []
      for (const one of news) {
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
function withoutText(news: CdrNews): CdrNews {
  if (news.kind !== 'event') return news
  const { fieldsText: _text, ...read } = news
  return read
}
