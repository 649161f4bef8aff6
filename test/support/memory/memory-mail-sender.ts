import type { Mail, MailOutcome, MailServer } from '../../../core/email/email-settings.ts'
import type { MailSender } from '../../../core/email/mail-sender.ts'

/** A {@link MailSender} that reaches nothing: it keeps the mails and gives the answers that a test chose. */
export interface MemoryMailSender extends MailSender {
  /** Every message with the server that it was for, in order. */
  readonly sent: { readonly mail: Mail; readonly server: MailServer }[]
  /** The answer of `send`: sent, until replaced. */
  answer: (mail: Mail, server: MailServer) => MailOutcome
}

/** A mail server in memory. */
export function memoryMailSender(): MemoryMailSender {
  const sender: MemoryMailSender = {
    sent: [],
    answer: () => ({ outcome: 'sent', reply: '250 OK' }),
    async send(mail, server) {
      sender.sent.push({ mail, server })
      return sender.answer(mail, server)
    },
  }
  return sender
}
