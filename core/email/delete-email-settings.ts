import { type Precondition, preconditionFailed, requireMatch } from '../requests/precondition.ts'
import type { EmailSettingsStore } from './email-settings-store.ts'

/**
 * Removes the mail settings of a domain; returns how many records that were, 0 or 1. Throws `precondition_failed` if
 * the precondition does not hold.
 */
export async function deleteEmailSettings(
  emailSettings: Pick<EmailSettingsStore, 'read' | 'remove'>,
  domain: string,
  precondition: Precondition,
): Promise<number> {
  const version = precondition.isGiven ? await demandedVersion(emailSettings, domain, precondition) : undefined
  const outcome = await emailSettings.remove(domain, version)
  if (outcome === 'version_changed') throw preconditionFailed()
  return outcome === 'removed' ? 1 : 0
}

async function demandedVersion(
  emailSettings: Pick<EmailSettingsStore, 'read'>,
  domain: string,
  precondition: Precondition,
): Promise<number | undefined> {
  const settings = await emailSettings.read(domain)
  requireMatch(precondition, settings)
  return settings?.version
}
