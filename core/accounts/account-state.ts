import type { Presence } from './presence.ts'

/** Whether and how an account can be reached. */
export interface AccountState {
  readonly online: boolean
  /** Without a registered phone, idle, or in a call. */
  readonly state: 'nonreg' | 'onhook' | 'isbusy'
}

/** The registrations that have not run out. */
export function liveContacts(presence: Presence | undefined, now: number): number {
  return (presence?.contacts ?? []).filter(({ expiresAt }) => expiresAt > now).length
}

/** An account's state by what the engine last told; an account never seen is `nonreg` and offline. */
export function accountState(presence: Presence | undefined, now: number): AccountState {
  const isRegistered = liveContacts(presence, now) > 0
  if (presence !== undefined && presence.calls.length > 0) return { online: true, state: 'isbusy' }
  return isRegistered ? { online: true, state: 'onhook' } : { online: false, state: 'nonreg' }
}
