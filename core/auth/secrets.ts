/** Salted, slow password hashes. */
export interface PasswordHasher {
  /** An argon2id hash in PHC text form. */
  hash(password: string): Promise<string>
  /** Whether a password has this hash. With no hash it takes the same time and answers `false`. */
  verify(password: string, hash: string | undefined): Promise<boolean>
}

/** The root user's password, and which version of it this is. */
export interface RootPassword {
  readonly text: string
  /** Changes whenever the password does; tells nothing of it. */
  readonly version: string
}

/** Secrets of the deployment itself. While they cannot be read again, the last ones known stay good. */
export interface SecretReader {
  /** The root user's password as it is now. */
  rootPassword(): Promise<RootPassword>
  /** The version of the root user's password as it is now; reads nothing of the password itself, and remembers nothing. */
  rootVersion(): Promise<string>
  /** What the engine presents at `/engine/*`, read at most once in five minutes so that a rotated one is taken up. */
  engineCredential(): Promise<string>
  /** What cursors of searches are signed with, read at most once in five minutes. */
  cursorKey(): Promise<string>
}

/** Seals small secrets (signing keys, passwords of others) for storage, bound to the purpose given. */
export interface SecretBox {
  seal(plain: Uint8Array, purpose: string): Promise<string>
  /** Fails when the text was not sealed for this purpose. */
  open(sealed: string, purpose: string): Promise<Uint8Array>
}
