import type { Mail } from '../../core/email/email-settings.ts'

/** The longest line of base64 in a message (RFC 2045). */
const maxLine = 76

/**
 * A message as it goes over the wire (RFC 5322): plain text in UTF-8, in base64, so that no line of it is too long or
 * begins with a dot. Throws when a header would hold a line break or another control character: nothing that is given
 * becomes a header of its own.
 */
export function writeMessage({ from, to, subject, text, id, date }: Mail): Buffer {
  const headers = {
    From: from,
    To: to,
    Subject: encodedWords(subject),
    Date: new Date(date).toUTCString().replace('GMT', '+0000'),
    'Message-ID': `<${id}@${senderDomain({ from })}>`,
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Transfer-Encoding': 'base64',
    'Auto-Submitted': 'auto-generated',
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${checked(name, value)}\r\n`)
  const body = Buffer.from(text.replaceAll(/\r?\n/g, '\r\n')).toString('base64')
  const lines = body.match(new RegExp(`.{1,${maxLine}}`, 'g')) ?? []
  return Buffer.from(`${head.join('')}\r\n${lines.join('\r\n')}\r\n`)
}

/** The domain that a sender speaks for. */
export function senderDomain({ from }: Pick<Mail, 'from'>): string {
  return from.slice(from.lastIndexOf('@') + 1)
}

function checked(name: string, value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value
  throw new Error(`the header ${name} of a mail holds a character that it must not`)
}

/** A subject that is not plain ASCII, in the words of RFC 2047: each at most 75 characters and whole in itself. */
function encodedWords(subject: string): string {
  if (/^[\x20-\x7e]*$/.test(subject)) return subject
  const words: string[] = []
  let word = ''
  for (const character of subject) {
    if (Buffer.byteLength(word + character) > 45) {
      words.push(word)
      word = ''
    }
    word += character
  }
  return [...words, word].map((each) => `=?utf-8?B?${Buffer.from(each).toString('base64')}?=`).join(' ')
}
