import { DomainError, invalidField } from '../errors.ts'
import { type RateLimitStore, rateLimited } from '../requests/rate-limit.ts'
import type { EmailSettingsStore } from './email-settings-store.ts'
import type { SecretBox } from '../secrets.ts'
import type { MailSender } from './mail-sender.ts'
import type { Clock, Randomness } from '../time.ts'
import { mailServerOf, senderOf } from './write-email-settings.ts'
import { readEmailSettings } from './email-settings.ts'
import { shownText } from './shown-text.ts'

const allowance = { limit: 5, windowMs: 3_600_000 }

/** The ports of {@link sendTestMail}. */
export interface SendTestMailPorts {
  readonly emailSettings: Pick<EmailSettingsStore, 'read'>
  readonly secretBox: Pick<SecretBox, 'open'>
  readonly rateLimits: Pick<RateLimitStore, 'takeInWindow'>
  readonly mail: Pick<MailSender, 'send'>
}

/** The caller and the domain of a test mail. */
export interface TestMailContext {
  readonly domain: string
  readonly caller: { readonly username: string }
  readonly clock: Clock
  readonly random: Randomness
}

/**
 * Sends one message with the settings of a domain; returns the server's last line. Throws `not_found` without settings,
 * `rate_limited` after five an hour, and `bad_request` with the server's text when the message was not accepted. The
 * password is masked in every text of the server.
 */
export async function sendTestMail(ports: SendTestMailPorts, to: string, context: TestMailContext): Promise<string> {
  const { domain, caller, clock, random } = context
  const settings = await readEmailSettings(ports.emailSettings, domain)
  const from = senderOf(settings)
  if (from === undefined) throw invalidField('from', 'must be set before mail can be sent')
  const verdict = await ports.rateLimits.takeInWindow(`test-mail:${domain}`, allowance, clock.now())
  if (!verdict.isAllowed) throw rateLimited(verdict, `a domain sends at most ${allowance.limit} test mails an hour`)
  const server = await mailServerOf(ports.secretBox, settings)
  const outcome = await ports.mail.send(
    {
      from,
      to,
      subject: `Test mail of ${domain}`,
      text: `This is a test of the mail settings of ${domain}, sent by ${caller.username}.\n`,
      id: random.uuid(),
      date: clock.now(),
    },
    server,
  )
  if (outcome.outcome === 'sent') return shownText(outcome.reply, server)
  throw new DomainError('bad_request', shownText(outcome.reason, server))
}
