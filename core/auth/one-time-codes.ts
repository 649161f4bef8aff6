/** Time-based one-time codes (RFC 6238): six digits, steps of 30 s, one step of drift. */
export interface OneTimeCodes {
  /** Returns a secret in the forms that a user types or scans: base32, and an `otpauth:` address for a QR code. */
  show(secret: Uint8Array, username: string): { readonly secret: string; readonly uri: string }
  /** Returns the number of a code's step if it is one of the three that are valid at `now` (epoch milliseconds). */
  stepOf(secret: Uint8Array, code: string, now: number): number | undefined
}
