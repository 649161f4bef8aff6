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

/** Returns an account's state from the engine's last report; an account without a report is `nonreg` and offline. */
export function accountState(presence: Presence | undefined, now: number): AccountState {
  const isRegistered = liveContacts(presence, now) > 0
  if (presence !== undefined && presence.calls.length > 0) return { online: true, state: 'isbusy' }
  return isRegistered ? { online: true, state: 'onhook' } : { online: false, state: 'nonreg' }
}
