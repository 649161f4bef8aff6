/** Time-based one-time codes (RFC 6238): six digits, steps of 30 s, one step of drift. */
export interface OneTimeCodes {
  /** A secret as a user types or scans it: base32, and an `otpauth:` address for a QR code. */
  show(secret: Uint8Array, username: string): { readonly secret: string; readonly uri: string }
  /** Number of the step that a code is of, when it is one of the three that are taken at `now` (epoch milliseconds). */
  stepOf(secret: Uint8Array, code: string, now: number): number | undefined
}
