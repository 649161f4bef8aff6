/** The time. Everything that asks for it is given one, so that tests can move it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

/** Randomness, for identifiers and secrets. */
export interface Randomness {
  /** A UUID v4 in lower case. */
  uuid(): string
  /** Returns unpredictable bytes. */
  bytes(length: number): Uint8Array
}
