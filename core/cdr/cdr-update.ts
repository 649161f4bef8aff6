import type { CdrKey } from './cdr-store.ts'
import type { EndFields } from './end-fields.ts'

interface UpdateHead {
  /** Equal for repeated updates: the queue keeps one of them. */
  readonly id: string
  /** The uuid of the leg, in lower case, 128 characters at most. Updates of one leg are processed in order. */
  readonly uuid: string
}

/** A queued message that changes a CDR. */
export type CdrUpdate = EventUpdate | PostUpdate | RecordingUpdate

/** A leg has ended: its `CHANNEL_HANGUP_COMPLETE`, the engine's own or a synthetic one. */
export interface EventUpdate extends UpdateHead {
  readonly kind: 'event'
  readonly domain: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly fields: EndFields
  /** The fields as JSON, as they are queued. Where it is present, `fields` parses it anew at each access. */
  readonly fieldsText?: string | undefined
}

/** The engine has posted its CDR of a leg. Its domain is determined when it is indexed. */
export interface PostUpdate extends UpdateHead {
  readonly kind: 'post'
  /** The time of receipt, epoch milliseconds. */
  readonly occurredAt: number
  readonly fields: EndFields
}

/** The recordings of a leg have changed. */
export interface RecordingUpdate extends UpdateHead {
  readonly kind: 'recording'
  readonly domain: string
  readonly leg: CdrKey['leg']
  /** Epoch milliseconds; together with the leg it identifies the CDR. */
  readonly createdTime: number
}

/** The queue of updates. Fails with `store_unavailable` when the queue accepted none at all. */
export interface CdrQueue {
  /** Queues updates, those of one leg in order. Returns the ids of those that were not accepted. */
  send(updates: readonly CdrUpdate[]): Promise<readonly string[]>
}
