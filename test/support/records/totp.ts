import { TOTP } from 'otpauth'

/** The code that an authenticator app shows at a moment, for the secret as it was typed in. */
export function codeAt(secret: string, epochMs: number): string {
  return new TOTP({ secret }).generate({ timestamp: epochMs })
}
