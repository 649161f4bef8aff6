/** A number of a blacklist. */
export interface BlacklistEntry {
  /** 24 lower-case hex digits. */
  readonly id: string
  readonly domain: string
  readonly list: string
  /** Without spaces, hyphens, dots and parentheses. */
  readonly number: string
  /** The expiry, epoch milliseconds. */
  readonly expires?: number | undefined
  readonly note?: string | undefined
  /** Epoch milliseconds. */
  readonly createdAt: number
}
