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

/** Returns an account's state from its phones, if any was reported, and from whether it has a call up. */
export function accountState(presence: Presence | undefined, isBusy: boolean, now: number): AccountState {
  const isRegistered = liveContacts(presence, now) > 0
  const refused = presence?.contacts.find((each) => each.expiresAt > now && each.refused !== undefined)?.refused
  const note = refused === undefined ? {} : { refused }
  if (isBusy) return { online: true, state: 'isbusy', ...note }
  return isRegistered ? { online: true, state: 'onhook', ...note } : { online: false, state: 'nonreg', ...note }
}
