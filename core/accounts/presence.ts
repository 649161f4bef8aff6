/** What the engine last told of an account's phones and calls. */
export interface Presence {
  readonly domain: string
  readonly login: string
  /** One entry a registered contact: its id and when its registration ends (epoch milliseconds). */
  readonly contacts: readonly { readonly id: string; readonly expiresAt: number }[]
  /** The uuids of the live calls of the account. */
  readonly calls: readonly string[]
  /** When this was observed, epoch milliseconds. An older observation never replaces a newer one. */
  readonly observedAt: number
}
