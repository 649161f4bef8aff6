import type { SecretBox } from '../secrets.ts'
import { mailHost } from './email-rules.ts'
import type { EmailSettings, MailServer } from './email-settings.ts'
import { emailPasswordPurpose } from './write-email-settings.ts'

/** Returns the sender's address: the configured one, or the login at the server if that is an address. */
export function senderOf({ from, options }: EmailSettings): string | undefined {
  const address = from === '' ? (options.auth?.user ?? '') : from
  return /^[^\s@<>,;]+@[^\s@<>,;]+$/.test(address) ? address : undefined
}

/** Returns the mail server of a domain, with its login in clear. */
export async function mailServerOf(
  secretBox: Pick<SecretBox, 'open'>,
  { domain, options }: EmailSettings,
): Promise<MailServer> {
  const { host, port, secure, tls, auth } = options
  const server = { host: mailHost(host), port, secure, tls }
  if (auth?.user === undefined || auth.user === '') return server
  const pass =
    auth.sealedPass === undefined
      ? ''
      : new TextDecoder().decode(await secretBox.open(auth.sealedPass, emailPasswordPurpose(domain)))
  return { ...server, auth: { user: auth.user, pass } }
}
