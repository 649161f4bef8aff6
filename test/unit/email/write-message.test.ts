import { describe, expect, it } from 'vitest'
import { writeMessage } from '../../../adapters/mail/write-message.ts'
import { aMail } from '../../support/hooks/mail-sender.ts'

/** A written message as its header lines and its decoded text. */
function read(message: Buffer) {
  const [head = '', body = ''] = message.toString('latin1').split('\r\n\r\n')
  return { lines: head.split('\r\n'), text: Buffer.from(body, 'base64').toString(), raw: message.toString('latin1') }
}

describe('a message', () => {
  it('a message has the headers of a mail that a program wrote', async () => {
    const { lines } = read(await writeMessage(aMail))

    expect(lines.toSorted()).toEqual([
      'Auto-Submitted: auto-generated',
      'Content-Transfer-Encoding: base64',
      'Content-Type: text/plain; charset=utf-8',
      'Date: Thu, 15 Jan 2026 12:00:00 +0000',
      'From: pbx@a.example.com',
      'MIME-Version: 1.0',
      'Message-ID: <11111111-2222-4333-8444-555555555555@a.example.com>',
      'Subject: Test mail of a.example.com',
      'To: someone@b.example.com',
    ])
  })

  it('a message keeps any text, in lines that mail allows', async () => {
    const text = `.\n..\r\n${'ü🙂'.repeat(500)}\n\u0000`
    const { text: decoded, raw } = read(await writeMessage({ ...aMail, text }))

    expect(decoded).toBe(text.replaceAll(/\r?\n/g, '\r\n'))
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(76)
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it('a message without text has an empty body', async () => {
    expect(read(await writeMessage({ ...aMail, text: '' })).text).toBe('')
  })

  it('a message with a subject that is not ASCII encodes it in words of at most 75 characters', async () => {
    const subject = 'Prüfung 🙂 '.repeat(12)
    const { lines } = read(await writeMessage({ ...aMail, subject }))

    const words = lines.flatMap((line) => /=\?utf-8\?B\?.+\?=/i.exec(line) ?? [])
    const decoded = words.map((word) => Buffer.from(word.slice('=?UTF-8?B?'.length, -2), 'base64').toString())
    expect(decoded.join('')).toBe(subject)
    expect(words.every((word) => word.length <= 75)).toBe(true)
  })

  it.each(['from', 'to', 'id'] as const)('a message is not written when %s contains a line break', async (field) => {
    const message = writeMessage({ ...aMail, [field]: 'a@b.example.com\r\nBcc: c@d.example.com' })

    await expect(message).rejects.toThrow(/must not/)
  })

  it.each(['a,b@c.example.com', 'a <b@c.example.com>'])(
    'a message goes to one recipient, whatever the address %s would mean in a header',
    async (to) => {
      const { lines } = read(await writeMessage({ ...aMail, to }))

      expect(lines.filter((line) => line.startsWith('To:'))).toHaveLength(1)
      expect(lines.find((line) => line.startsWith('To:'))).toMatch(/^To: <"[^"]*"@[a-z.]+>$/)
    },
  )

  it('a subject cannot add a header to a message', async () => {
    const { lines } = read(await writeMessage({ ...aMail, subject: 'a\r\nBcc: c@d.example.com' }))

    expect(lines.filter((line) => line.startsWith('Bcc'))).toEqual([])
  })
})
