import type { Presence } from './presence.ts'

/** Whether and how an account can be reached. */
export interface AccountState {
  readonly online: boolean
  /** Without a registered phone, idle, or in a call. */
  readonly state: 'nonreg' | 'onhook' | 'isbusy'
}

/** Returns the number of registrations that have not expired. */
export function liveContacts(presence: Presence | undefined, now: number): number {
  return (presence?.contacts ?? []).filter(({ expiresAt }) => expiresAt > now).length
}

/** Returns an account's state from its phones, if any was reported, and from whether it has a call up. */
export function accountState(presence: Presence | undefined, isBusy: boolean, now: number): AccountState {
  const isRegistered = liveContacts(presence, now) > 0
  if (isBusy) return { online: true, state: 'isbusy' }
  return isRegistered ? { online: true, state: 'onhook' } : { online: false, state: 'nonreg' }
}
