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

/** The stored phones of accounts, as the engine reported them. */
export interface PresenceStore {
  read(domain: string, login: string): Promise<Presence | undefined>
  /** Reads those of up to 100 accounts of which something is known, in no order. */
  readEach(accounts: readonly Pick<Presence, 'domain' | 'login'>[]): Promise<Presence[]>
  list(domain: string): Promise<Presence[]>
  /** Replaces the presence of an account, unless the stored one was observed later. */
  put(presence: Presence): Promise<void>
}

/** Whether and how an account can be reached. */
export interface AccountState {
  readonly online: boolean
  /** Without a registered phone, idle, or in a call. */
  readonly state: 'nonreg' | 'onhook' | 'isbusy'
  /** Why a registered phone of the account is not rung; absent if all are. Others of the account may be. */
  readonly refused?: RegisteredContact['refused']
}

/** Returns the number of registrations that have not expired and whose phones ring. */
export function liveContacts(presence: Presence | undefined, now: number): number {
  return (presence?.contacts ?? []).filter(({ expiresAt, refused }) => expiresAt > now && refused === undefined).length
}

/** Returns an account's state from its phones, if any was reported, and from whether it has a call up. */
export function accountState(presence: Presence | undefined, isBusy: boolean, now: number): AccountState {
  const isRegistered = liveContacts(presence, now) > 0
  const refused = presence?.contacts.find((each) => each.expiresAt > now && each.refused !== undefined)?.refused
  const note = refused === undefined ? {} : { refused }
  if (isBusy) return { online: true, state: 'isbusy', ...note }
  return isRegistered ? { online: true, state: 'onhook', ...note } : { online: false, state: 'nonreg', ...note }
}
