import { DomainError } from '../errors.ts'
import type { EmailSettingsStore } from './email-settings-store.ts'
import type { EmailSettings } from './email-settings.ts'

/** The mail settings of a domain. Throws `not_found` where there are none. */
export async function readEmailSettings(
  emailSettings: Pick<EmailSettingsStore, 'read'>,
  domain: string,
): Promise<EmailSettings> {
  const settings = await emailSettings.read(domain)
  if (settings === undefined) throw noEmailSettings()
  return settings
}

/** The refusal of settings that are not there, in the contract's words. */
export function noEmailSettings(): DomainError {
  return new DomainError('not_found', 'Not found!')
}
