import type { Presence } from './presence.ts'

/** The stored phones and calls of accounts, as the engine reported them. */
export interface PresenceStore {
  read(domain: string, login: string): Promise<Presence | undefined>
  /** Reads those of up to 100 accounts of which something is known, in no order. */
  readEach(accounts: readonly Pick<Presence, 'domain' | 'login'>[]): Promise<Presence[]>
  list(domain: string): Promise<Presence[]>
  /** Replaces the presence of an account, unless the stored one was observed later. */
  put(presence: Presence): Promise<void>
  /**
   * Replaces what was known of accounts, even what was observed later: for a writer that is the only one at the time.
   * All of them, or an unknown part when it fails. Nothing is written later than a second after the call.
   */
  replace(presences: readonly Presence[]): Promise<void>
}
