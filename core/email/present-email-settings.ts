import type { EmailSettings } from './email-settings.ts'

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
