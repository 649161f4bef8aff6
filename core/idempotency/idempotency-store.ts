import type { RequestKey } from './request-key.ts'

/** What is kept of requests that came with an `Idempotency-Key`, for a day; what is older is not there. */
export interface IdempotencyStore {
  /** Writes a key where none of its domain is; otherwise answers the one that is there. */
  create(key: RequestKey): Promise<RequestKey | undefined>
  /** Replaces claim and lease of a key without an answer whose claim still is `previous`; `false` otherwise. */
  takeOver(key: RequestKey, previous: string): Promise<boolean>
  /** Stores the answer, if the key is still claimed by this run; `false` otherwise. */
  complete(key: RequestKey, answer: string): Promise<boolean>
  /** Ends the lease of this run at once, so that the request can be run again. */
  release(key: RequestKey): Promise<void>
}
