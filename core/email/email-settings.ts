import { DomainError } from '../errors.ts'
import type { EmailSettingsStore } from './email-settings-store.ts'

/** The stored mail settings of a domain. */
export interface EmailSettings {
  /** 24 lower-case hex digits; stays when the settings are replaced. */
  readonly id: string
  readonly domain: string
  readonly provider: 'smtp'
  readonly description: string
  /** The sender's address; empty where none was given. */
  readonly from: string
  readonly options: EmailOptions
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly version: number
}

/** The address and the protocol of the mail server. */
export interface EmailOptions {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise STARTTLS, which a login demands unless `tls.allowPlaintextLogin` is set. */
  readonly secure: boolean
  /** Kept for clients that set it; nothing here depends on it. */
  readonly debug: boolean
  readonly tls: EmailTls
  /** Absent if the server requires no login. */
  readonly auth?: EmailAuth | undefined
}

/** The requirements on the mail server's certificate. */
export interface EmailTls {
  readonly rejectUnauthorized: boolean
  /** Lets the login go over a connection without TLS; absent in settings that never asked for it. */
  readonly allowPlaintextLogin?: true | undefined
}

/** The login at the mail server. */
export interface EmailAuth {
  readonly user?: string | undefined
  /** The password, sealed by the `secretBox` port. */
  readonly sealedPass?: string | undefined
}

/** One message, to one address. */
export interface Mail {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The part of the message id before its `@`. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly date: number
  /** A file; its name and media type are printable ASCII. */
  readonly attachment?: { readonly name: string; readonly type: string; readonly bytes: Uint8Array } | undefined
}

/** A mail server with its login in clear; it lives as long as one message is sent. */
export interface MailServer extends Omit<EmailOptions, 'auth' | 'debug'> {
  readonly auth?: { readonly user: string; readonly pass: string } | undefined
}

/** The result of sending a message. */
export type MailOutcome =
  /** `reply` is the server's last line. */
  | { readonly outcome: 'sent'; readonly reply: string }
  /** `reason` is the server's reply text or, where none came, what prevented it in words. */
  | { readonly outcome: 'failed'; readonly reason: string }

/** Stands for a password that is stored; a write with exactly this text keeps it. */
export const maskedPassword = '********'

/**
 * Returns mail settings as callers see them. Every member is named here, so that no part of a password can be revealed.
 */
export function presentEmailSettings({ id, domain, provider, description, from, options }: EmailSettings) {
  const { host, port, secure, debug, tls, auth } = options
  return {
    _id: id,
    provider,
    description,
    from,
    options: {
      host,
      port,
      secure,
      debug,
      tls: {
        rejectUnauthorized: tls.rejectUnauthorized,
        ...(tls.allowPlaintextLogin === undefined ? {} : { allowPlaintextLogin: true }),
      },
      ...(auth === undefined
        ? {}
        : {
            auth: {
              ...(auth.user === undefined ? {} : { user: auth.user }),
              ...(auth.sealedPass === undefined ? {} : ({ pass: maskedPassword } as const)),
            },
          }),
    },
    domain,
  }
}

/** Returns the mail settings of a domain. Throws `not_found` when it has none. */
export async function readEmailSettings(
  emailSettings: Pick<EmailSettingsStore, 'read'>,
  domain: string,
): Promise<EmailSettings> {
  const settings = await emailSettings.read(domain)
  if (settings === undefined) throw noEmailSettings()
  return settings
}

/** Returns the refusal of missing settings, in the contract's words. */
export function noEmailSettings(): DomainError {
  return new DomainError('not_found', 'Not found!')
}
