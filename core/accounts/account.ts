/** A user of a domain: its phone and its API identity. */
export interface Account {
  readonly domain: string
  /** As given at creation; unique in the domain without regard to case. */
  readonly login: string
  /** `admin`, `user`, or the name of a custom role. */
  readonly role: string
  /** Argon2id in PHC text form. */
  readonly passwordHash: string
  /** Lower-case hex of `md5(login:domain:password)`: the engine checks registrations with it. */
  readonly a1Hash: string
  /** The numbers that ring this account, at least one. */
  readonly numbers: readonly string[]
  readonly parameters: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Changes whenever password or role change, so that earlier tokens are refused. */
  readonly credentialsId: string
  readonly secondFactor?: SecondFactor | undefined
  /** Rises by one with every write; the guard against lost updates. */
  readonly version: number
}

/** Time-based one-time codes of an account (RFC 6238: six digits, steps of 30 s). */
export interface SecondFactor {
  /** The shared secret, sealed by the `secretBox` port. */
  readonly sealed: string
  /** Whether a login needs a code: the user has shown once that they can generate codes. */
  readonly isOn: boolean
  /** Number of the latest step whose code was used; no code of it or of an earlier step is accepted again. */
  readonly usedStep: number
}
