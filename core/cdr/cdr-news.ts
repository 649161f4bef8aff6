import type { CdrPlace } from './cdr-store.ts'
import type { EndFields } from './end-fields.ts'

/** What all news of a CDR have. */
interface News {
  /** The same for each telling of the same: the queue keeps one of them. */
  readonly id: string
  /** The uuid of the leg, in lower case, 128 characters at most. News of one leg are taken in their order. */
  readonly uuid: string
}

/** Something that changes a CDR, on its way to the index. */
export type CdrNews = EventNews | PostNews | RecordingNews

/** A leg has ended: its `CHANNEL_HANGUP_COMPLETE`, the engine's own or a made one. */
export interface EventNews extends News {
  readonly kind: 'event'
  readonly domain: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly fields: EndFields
}

/** The engine has posted its CDR of a leg. Whose it is, is found out when it is indexed. */
export interface PostNews extends News {
  readonly kind: 'post'
  /** When it was taken, epoch milliseconds. */
  readonly occurredAt: number
  readonly fields: EndFields
}

/** The recordings of a leg have changed. */
export interface RecordingNews extends News {
  readonly kind: 'recording'
  readonly domain: string
  readonly leg: CdrPlace['leg']
  /** Epoch milliseconds: by it and the leg the CDR is found. */
  readonly createdTime: number
}

/** News of CDRs, queued. Fails with `store_unavailable` when the queue took none at all. */
export interface CdrQueue {
  /** Queues news, those of one leg in order. Answers the ids of those that were not taken. */
  send(news: readonly CdrNews[]): Promise<readonly string[]>
}
