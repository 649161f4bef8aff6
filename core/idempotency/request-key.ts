/** What is kept of a request that came with an `Idempotency-Key`. */
export interface RequestKey {
  /** The domain that the caller is bound to; empty for root. */
  readonly domain: string
  readonly key: string
  /** Tells this request from any other: who asks, method, path, query and body. */
  readonly fingerprint: string
  /**
   * What every identifier that the request makes is derived from, in text; sealed where the answer shows a secret. The
   * first claim chose it, and whoever runs the request again makes the same identifiers.
   */
  readonly seed: string
  /** Which run of the request holds the key. */
  readonly claimId: string
  /** Epoch milliseconds up to which nobody else runs the request. */
  readonly leaseUntil: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** The answer, in text; absent while the request runs, or when its run died. */
  readonly answer?: string | undefined
}
