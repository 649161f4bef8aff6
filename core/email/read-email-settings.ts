import { DomainError } from '../errors.ts'
import type { EmailSettingsStore } from './email-settings-store.ts'
import type { EmailSettings } from './email-settings.ts'

/** Returns the mail settings of a domain. Throws `not_found` when it has none. */
export async function readEmailSettings(
  emailSettings: Pick<EmailSettingsStore, 'read'>,
  domain: string,
): Promise<EmailSettings> {
  const settings = await emailSettings.read(domain)
  if (settings === undefined) throw noEmailSettings()
  return settings
}

/** Returns the refusal of missing settings, in the contract's words. */
export function noEmailSettings(): DomainError {
  return new DomainError('not_found', 'Not found!')
}
