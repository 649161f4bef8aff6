/** The phones of an account as the engine last reported them. */
export interface Presence {
  readonly domain: string
  readonly login: string
  /** One entry for each registered contact: its id and the end of its registration (epoch milliseconds). */
  readonly contacts: readonly { readonly id: string; readonly expiresAt: number }[]
  /** The time of the observation, epoch milliseconds. An older observation never replaces a newer one. */
  readonly observedAt: number
}
