import { Secret, TOTP } from 'otpauth'
import type { OneTimeCodes } from '../../core/auth/one-time-codes.ts'

/** RFC 6238 in the form of the contract, which every authenticator app supports. */
const form = { algorithm: 'SHA1', digits: 6, period: 30 } as const

/** Steps before and after the present one whose codes are taken. */
const drift = 1

/** Time-based one-time codes by the package `otpauth`, which compares in constant time. */
export const oneTimeCodes: OneTimeCodes = {
  show(secret, username) {
    const totp = new TOTP({ ...form, issuer: 'Callplane', label: username, secret: secretOf(secret) })
    return { secret: totp.secret.base32, uri: totp.toString() }
  },
  stepOf(secret, code, now) {
    const totp = new TOTP({ ...form, secret: secretOf(secret) })
    const away = totp.validate({ token: code, timestamp: now, window: drift })
    return away === null ? undefined : totp.counter({ timestamp: now }) + away
  },
}

function secretOf(bytes: Uint8Array): Secret {
  return new Secret({ buffer: Uint8Array.from(bytes).buffer })
}
