import type { Presence } from './presence.ts'

/** The stored phones of accounts, as the engine reported them. */
export interface PresenceStore {
  read(domain: string, login: string): Promise<Presence | undefined>
  /** Reads those of up to 100 accounts of which something is known, in no order. */
  readEach(accounts: readonly Pick<Presence, 'domain' | 'login'>[]): Promise<Presence[]>
  list(domain: string): Promise<Presence[]>
  /** Replaces the presence of an account, unless the stored one was observed later. */
  put(presence: Presence): Promise<void>
}
