/** A contact that is registered for an account. */
export interface RegisteredContact {
  readonly id: string
  /** The end of its registration, epoch milliseconds. */
  readonly expiresAt: number
  /** Why its phone is not rung; absent if it is. `contact`: its text could lead a call elsewhere. */
  readonly refused?: 'contact' | undefined
}

/** The phones of an account as the engine last reported them. */
export interface Presence {
  readonly domain: string
  readonly login: string
  readonly contacts: readonly RegisteredContact[]
  /** The time of the observation, epoch milliseconds. An older observation never replaces a newer one. */
  readonly observedAt: number
}
