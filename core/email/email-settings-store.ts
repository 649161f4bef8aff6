import type { EmailSettings } from './email-settings.ts'

/** The mail settings of the tenants, one record a domain. */
export interface EmailSettingsStore {
  read(domain: string): Promise<EmailSettings | undefined>
  /** Writes a record whose stored version still is `settings.version - 1`, 0 standing for none; `false` otherwise. */
  put(settings: EmailSettings): Promise<boolean>
  /** Removes the record, where a `version` is given only that one. */
  remove(domain: string, version?: number): Promise<'removed' | 'absent' | 'version_changed'>
}
