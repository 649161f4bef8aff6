import { replaceControls } from '../requests/safe-text.ts'
import type { MailServer } from './email-settings.ts'

const maxReply = 500

/** Returns a server's text as a caller may see it: one short line, without any form of the password. */
export function shownText(text: string, { auth }: MailServer): string {
  const secrets = auth === undefined || auth.pass === '' ? [] : formsOf(auth)
  const blotted = secrets.reduce((rest, secret) => rest.replaceAll(secret, '********'), text)
  return replaceControls(blotted, ' ').slice(0, maxReply)
}

/**
 * Returns the forms in which a password is sent: plain, and in the encodings of SMTP's logins. The longest comes first,
 * so that each is masked as a whole.
 */
function formsOf({ user, pass }: { readonly user: string; readonly pass: string }): string[] {
  const forms = [pass, base64(pass), base64(`\0${user}\0${pass}`), encodeURIComponent(pass)]
  return [...new Set(forms.flatMap((form) => [form, form.replace(/=+$/, '')]))].sort((a, b) => b.length - a.length)
}

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCodePoint(byte)).join(''))
}
