import type { AccountStore } from '../accounts/account-store.ts'
import type { Account } from '../accounts/account.ts'
import { isTimeZone } from '../client-names/value-rules.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import { type Domain, isOfTenant } from '../domains/domain.ts'
import type { EmailSettingsStore } from '../email/email-settings-store.ts'
import type { EmailSettings, MailServer } from '../email/email-settings.ts'
import { mailServerOf, senderOf } from '../email/write-email-settings.ts'
import type { MailSender } from '../email/mail-sender.ts'
import { shownText } from '../email/shown-text.ts'
import type { EventSink } from '../events/event-sink.ts'
import { serviceEvent } from '../events/service-event.ts'
import type { IdempotencyStore, RequestKey } from '../requests/idempotency-key.ts'
import type { RateLimitStore } from '../requests/rate-limit.ts'
import type { SecretBox } from '../secrets.ts'
import type { Clock, Randomness } from '../time.ts'
import { voicemailMail } from './voicemail-mail.ts'
import type { VoicemailMessage } from './voicemail-message.ts'
import { type WantedMail, mailWishes } from './wanted-mails.ts'

/** The most bytes of audio in a mail: a function takes 6 MB in base64. */
export const maxAudioBytes = 4 * 1024 * 1024

const allowance = { limit: 100, windowMs: 3_600_000 }

/** Longer than any run of this function: a mail that is not recorded as sent by then has an unknown outcome. */
const sendingMs = 60_000

/** A mail that failed is tried again after this time, and given up when its message is this old. */
const retryMs = 15 * 60_000
const givenUpMs = 12 * 3_600_000

/** Marks the claims of mails that are being sent, or were when their run died. */
const sending = 'sending '

export interface MailVoicemailDeps {
  readonly domains: Pick<DomainStore, 'read'>
  readonly accounts: Pick<AccountStore, 'read'>
  readonly emailSettings: Pick<EmailSettingsStore, 'read'>
  readonly secretBox: Pick<SecretBox, 'open'>
  readonly rateLimits: Pick<RateLimitStore, 'takeInWindow'>
  readonly idempotency: Pick<IdempotencyStore, 'create' | 'takeOver' | 'complete'>
  readonly mail: Pick<MailSender, 'send'>
  readonly events: Pick<EventSink, 'publish'>
  readonly clock: Clock
  readonly random: Randomness
  /** The time after its deletion for which a domain's name stays reserved, milliseconds. */
  readonly graceMs: number
}

/** A message that an engine offers. */
export interface OfferedVoicemail {
  readonly message: VoicemailMessage
  /** The bytes of its file. */
  readonly size: number
  /** Absent: the engine asks first whether it is wanted. */
  readonly audio?: Uint8Array | undefined
}

/**
 * The answer to an offer: send the audio as well; offer it again later; it need not be offered again, and the engine
 * may `delete` it where its owner wants that.
 */
export type VoicemailState = 'audio' | 'later' | 'done' | 'delete'

/** The state of one mail: `lost` was given up, or has an unknown outcome. */
type MailState = 'sent' | 'lost' | 'later' | 'audio'

/**
 * Mails a message to those who want it, with the mail settings of its domain, each mail at most once however often the
 * message is offered. A mail that fails is tried again at later offers for half a day and then reported as an event.
 * Without mail settings, and for a mailbox of an earlier owner of the name, nothing is sent.
 */
export async function mailVoicemail(deps: MailVoicemailDeps, offer: OfferedVoicemail): Promise<VoicemailState> {
  const { message } = offer
  const [domain, account, settings] = await Promise.all([
    deps.domains.read(message.domain),
    deps.accounts.read(message.domain, message.login),
    deps.emailSettings.read(message.domain),
  ])
  const from = settings && senderOf(settings)
  if (domain === undefined || account === undefined || settings === undefined || from === undefined) return 'done'
  if (!isOfTenant(account, message.createdAt, deps.graceMs)) return 'done'
  const { mails, isKept } = mailWishes(account, domain)
  const isTooLong = offer.size > maxAudioBytes
  const mailing = { deps, offer, settings, from, timeZone: timeZoneOf(account, domain), isTooLong }
  const states: MailState[] = []
  for (const mail of mails) {
    states.push(await settle(mailing, { ...mail, withAudio: mail.withAudio && !isTooLong }))
  }
  if (states.includes('audio')) return 'audio'
  if (states.includes('later')) return 'later'
  const isMailed = states.some((state, index) => state === 'sent' && mails[index]?.withAudio === true && !isTooLong)
  return isMailed && !isKept ? 'delete' : 'done'
}

interface Mailing {
  readonly deps: MailVoicemailDeps
  readonly offer: OfferedVoicemail
  readonly settings: EmailSettings
  readonly from: string
  readonly timeZone: string
  readonly isTooLong: boolean
}

async function settle(mailing: Mailing, wanted: WantedMail): Promise<MailState> {
  const { deps, offer } = mailing
  const { domain, login, file } = offer.message
  const now = deps.clock.now()
  // No client's key holds a space.
  const fresh: RequestKey = {
    domain,
    key: `voicemail ${wanted.kind} ${login} ${file}`,
    fingerprint: '',
    seed: '',
    claimId: 'waiting',
    leaseUntil: now,
    createdAt: now,
  }
  const known = (await deps.idempotency.create(fresh)) ?? fresh
  if (known.answer !== undefined) return known.answer === 'sent' ? 'sent' : 'lost'
  if (known.leaseUntil > now) return 'later'
  if (known.claimId.startsWith(sending)) return giveUp(mailing, wanted, known, 'the outcome is not known')
  if (wanted.withAudio && offer.audio === undefined) return 'audio'
  // Opened before the claim: while the key service is away, nothing is claimed.
  const server = await mailServerOf(deps.secretBox, mailing.settings)
  if (!(await deps.rateLimits.takeInWindow(`voicemail-mail:${domain}`, allowance, now)).isAllowed) return 'later'
  const claim = { ...known, claimId: `${sending}${deps.random.uuid()}`, leaseUntil: now + sendingMs }
  if (!(await deps.idempotency.takeOver(claim, known.claimId))) return 'later'
  const problem = await send(mailing, wanted, server)
  if (problem === undefined) {
    await deps.idempotency.complete(claim, 'sent')
    return 'sent'
  }
  if (now - offer.message.createdAt > givenUpMs) return giveUp(mailing, wanted, claim, problem)
  await deps.idempotency.takeOver({ ...claim, claimId: 'failed', leaseUntil: now + retryMs }, claim.claimId)
  return 'later'
}

async function send(
  { deps, offer, from, timeZone, isTooLong }: Mailing,
  { to, withAudio }: WantedMail,
  server: MailServer,
): Promise<string | undefined> {
  const audio = withAudio ? offer.audio : undefined
  const parts = { from, to, timeZone, audio, isTooLong, id: deps.random.uuid(), now: deps.clock.now() }
  const outcome = await deps.mail.send(voicemailMail(offer.message, parts), server)
  return outcome.outcome === 'sent' ? undefined : shownText(outcome.reason, server)
}

async function giveUp(
  { deps, offer: { message } }: Mailing,
  { kind, to }: WantedMail,
  claim: RequestKey,
  reason: string,
): Promise<MailState> {
  const { domain, login, file } = message
  const event = serviceEvent({
    kind: 'voicemail_mail_failed',
    id: `voicemail_mail_failed:${kind}:${file}`.slice(0, 128),
    domain,
    occurredAt: deps.clock.now(),
    fields: { 'User-ID': login, 'User-Domain': domain, 'Message-File': file, 'Mail-To': to, Reason: reason },
  })
  if ((await deps.events.publish([event])).length > 0) return 'later'
  await deps.idempotency.complete(claim, 'lost')
  return 'lost'
}

function timeZoneOf({ variables }: Account, domain: Domain): string {
  const zone = variables['timezone'] ?? domain.variables['timezone'] ?? ''
  return isTimeZone(zone) ? zone : 'UTC'
}
