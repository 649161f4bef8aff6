import { describe, expect, it } from 'vitest'
import { writeMessage } from '../../../adapters/mail/write-message.ts'
import { aMail } from '../../support/mail-sender.ts'

/** A written message as its header lines and its decoded text. */
function read(message: Buffer) {
  const [head = '', body = ''] = message.toString('latin1').split('\r\n\r\n')
  return { lines: head.split('\r\n'), text: Buffer.from(body, 'base64').toString(), raw: message.toString('latin1') }
}

describe('a message', () => {
  it('has the headers of a mail that a program wrote', () => {
    const { lines } = read(writeMessage(aMail))

    expect(lines).toEqual([
      'From: pbx@a.example.com',
      'To: someone@b.example.com',
      'Subject: Test mail of a.example.com',
      'Date: Thu, 15 Jan 2026 12:00:00 +0000',
      'Message-ID: <11111111-2222-4333-8444-555555555555@a.example.com>',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      'Auto-Submitted: auto-generated',
    ])
  })

  it('keeps any text, in lines that mail may carry', () => {
    const text = `.\n..\r\n${'ü🙂'.repeat(500)}\n\u0000`
    const { text: decoded, raw } = read(writeMessage({ ...aMail, text }))

    expect(decoded).toBe(text.replaceAll(/\r?\n/g, '\r\n'))
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(76)
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it('of no text is whole', () => {
    expect(read(writeMessage({ ...aMail, text: '' })).text).toBe('')
  })

  it('writes a subject that is not ASCII in words of at most 75 characters', () => {
    const subject = 'Prüfung 🙂 '.repeat(12)
    const line = read(writeMessage({ ...aMail, subject })).lines.find((each) => each.startsWith('Subject: ')) ?? ''

    const words = line.slice('Subject: '.length).split(' ')
    const decoded = words.map((word) =>
      Buffer.from(/^=\?utf-8\?B\?(.+)\?=$/.exec(word)?.[1] ?? '', 'base64').toString(),
    )
    expect(decoded.join('')).toBe(subject)
    expect(words.every((word) => word.length <= 75)).toBe(true)
  })

  it.each(['from', 'to', 'id'] as const)('is not written when %s holds a line break', (field) => {
    expect(() => writeMessage({ ...aMail, [field]: 'a@b.example.com\r\nBcc: c@d.example.com' })).toThrow(/must not/)
  })

  it('cannot get a header from its subject', () => {
    const { lines } = read(writeMessage({ ...aMail, subject: 'a\r\nBcc: c@d.example.com' }))

    expect(lines.filter((line) => line.startsWith('Bcc'))).toEqual([])
  })
})
