import type { Presence } from './presence.ts'

/** Which accounts have phones on line and calls up, as the engine told. */
export interface PresenceStore {
  read(domain: string, login: string): Promise<Presence | undefined>
  list(domain: string): Promise<Presence[]>
  /** Replaces what was known of an account, unless that was observed later. */
  put(presence: Presence): Promise<void>
}
