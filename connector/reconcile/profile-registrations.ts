import { isProfileName } from '../commands/command-line.ts'
import { contactId } from '../events/contact-id.ts'
import type { EngineLink } from '../runtime/engine.ts'

/** A phone that a SIP profile has registered. */
export interface ProfileRegistration {
  /** `<user>@<host>`, as in the list of all profiles. */
  readonly user: string
  readonly contact: string
  readonly lastsSeconds: number
}

const registration = /^User: +\t(\S+)\nContact: +\t(.*)\n(?:.*\n)?Status: +\t.*EXPSECS\((-?\d{1,9})\)$/gm

/**
 * Returns the registrations of a SIP profile; `undefined` if the engine does not list them. The engine's list of all
 * profiles keeps phones that were dropped, and dates them by the engine's clock; the profile itself rings only these.
 */
export async function profileRegistrations(
  link: Pick<EngineLink, 'api'>,
  profile: string,
): Promise<ProfileRegistration[] | undefined> {
  if (!isProfileName(profile)) return undefined
  const text = await link.api(`sofia status profile ${profile} reg`)
  if (!text.trimStart().startsWith('Registrations:')) return undefined
  return [...text.matchAll(registration)].map(([, user = '', contact = '', seconds]) => ({
    user,
    contact: contactId(contact),
    lastsSeconds: Number(seconds),
  }))
}
