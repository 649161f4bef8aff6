import type { Account } from '../accounts/account.ts'
import { assignmentProblem } from '../client-names/client-names.ts'
import type { Domain } from '../domains/domain.ts'

/** A mail that the owner of a mailbox wants for each message. */
export interface WantedMail {
  readonly kind: 'message' | 'notice'
  readonly to: string
  readonly withAudio: boolean
}

/** What the owner of a mailbox wants for each message. */
export interface MailWishes {
  readonly mails: readonly WantedMail[]
  /** Whether the engine keeps a message that was mailed with its audio. */
  readonly isKept: boolean
}

/**
 * Reads the `vm-…` parameters of mails; those of the account go before those of its domain. A value that the closed
 * lists no longer allow counts as unset.
 */
export function mailWishes(account: Pick<Account, 'parameters'>, domain: Pick<Domain, 'parameters'>): MailWishes {
  const valueOf = (name: string) =>
    [account, domain]
      .map(({ parameters }) => parameters[name] ?? '')
      .find((value) => value !== '' && !assignmentProblem('domainParameters', name, value, { added: new Map() }))
  const [mailTo, noticeTo] = [valueOf('vm-mailto'), valueOf('vm-notify-mailto')]
  const [noticeFlag, isMailed] = [valueOf('vm-notify-email-all-messages'), valueOf('vm-email-all-messages') !== 'false']
  const messageTo = isMailed ? mailTo : undefined
  const toTell = noticeFlag === 'false' ? undefined : (noticeTo ?? (noticeFlag === 'true' ? mailTo : undefined))
  const withAudio = valueOf('vm-attach-file') !== 'false'
  return {
    mails: [
      ...(messageTo === undefined ? [] : [{ kind: 'message', to: messageTo, withAudio } as const]),
      ...(toTell === undefined || toTell === messageTo
        ? []
        : [{ kind: 'notice', to: toTell, withAudio: false } as const]),
    ],
    isKept: valueOf('vm-keep-local-after-email') !== 'false',
  }
}
