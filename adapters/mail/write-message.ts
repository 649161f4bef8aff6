import MailComposer from 'nodemailer/lib/mail-composer'
import type { Mail } from '../../core/email/email-settings.ts'

/**
 * Composes a message as it goes over the wire (RFC 5322): plain text in UTF-8, in base64, so that no line of it is too
 * long or begins with a dot. Rejects when an address or the id holds a line break or another control character, and
 * reads no file and no URL, whatever the text names.
 */
export async function writeMessage({ from, to, subject, text, id, date, attachment }: Mail): Promise<Buffer> {
  const composer = new MailComposer({
    from: mailbox('from', from),
    to: mailbox('to', to),
    subject,
    date: new Date(date),
    messageId: `<${printable('id', id)}@${senderDomain({ from })}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: text.replaceAll(/\r?\n/g, '\r\n'),
    textEncoding: 'base64',
    attachments: attachment === undefined ? [] : [attached(attachment)],
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}

/** Returns the domain that a sender speaks for. */
export function senderDomain({ from }: Pick<Mail, 'from'>): string {
  return from.slice(from.lastIndexOf('@') + 1)
}

/** One address as an object: text would be parsed, and could become several. */
function mailbox(field: string, address: string) {
  return { name: '', address: printable(field, address) }
}

function attached({ name, type, bytes }: NonNullable<Mail['attachment']>) {
  return {
    filename: printable('attachment name', name),
    contentType: printable('attachment type', type),
    content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  }
}

function printable(field: string, value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value
  throw new Error(`${field} of a mail holds a character that it must not`)
}
