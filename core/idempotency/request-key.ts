/** The record of a request with an `Idempotency-Key`. */
export interface RequestKey {
  /** The domain that the caller is bound to; empty for root. */
  readonly domain: string
  readonly key: string
  readonly fingerprint: string
  /**
   * The text from which every identifier of the request is derived; sealed if the answer contains a secret. The first
   * claim chose it, so every further run creates the same identifiers.
   */
  readonly seed: string
  readonly claimId: string
  /** Epoch milliseconds up to which no other run starts. */
  readonly leaseUntil: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** The answer, in text; absent while the request runs, or when its run died. */
  readonly answer?: string | undefined
}
