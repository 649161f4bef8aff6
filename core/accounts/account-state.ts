import type { Presence, RegisteredContact } from './presence.ts'

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

/** Returns an account's state from the engine's last report; an account without a report is `nonreg` and offline. */
export function accountState(presence: Presence | undefined, now: number): AccountState {
  const isRegistered = liveContacts(presence, now) > 0
  const refused = presence?.contacts.find((each) => each.expiresAt > now && each.refused !== undefined)?.refused
  const note = refused === undefined ? {} : { refused }
  if (presence !== undefined && presence.calls.length > 0) return { online: true, state: 'isbusy', ...note }
  return isRegistered ? { online: true, state: 'onhook', ...note } : { online: false, state: 'nonreg', ...note }
}
