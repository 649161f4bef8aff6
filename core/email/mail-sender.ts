import type { Mail, MailOutcome, MailServer } from './email-settings.ts'

/** Sends mail through a server that a tenant names: guarded addresses, bounded size and time. */
export interface MailSender {
  send(mail: Mail, server: MailServer): Promise<MailOutcome>
}
