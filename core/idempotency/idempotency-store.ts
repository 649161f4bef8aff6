import type { RequestKey } from './request-key.ts'

/** The records of requests with an `Idempotency-Key`, kept for a day. */
export interface IdempotencyStore {
  /** Writes a key if its domain has no such key; otherwise returns the existing one. */
  create(key: RequestKey): Promise<RequestKey | undefined>
  /** Replaces claim and lease of a key without an answer whose claim still is `previous`; `false` otherwise. */
  takeOver(key: RequestKey, previous: string): Promise<boolean>
  /** Stores the answer, if the key is still claimed by this run; `false` otherwise. */
  complete(key: RequestKey, answer: string): Promise<boolean>
  /** Ends the lease of this run at once, so that the request can be run again. */
  release(key: RequestKey): Promise<void>
}
