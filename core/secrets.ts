/** Salted, slow password hashes. */
export interface PasswordHasher {
  /** An argon2id hash in PHC text form. */
  hash(password: string): Promise<string>
  /** Returns whether a password has this hash. Without a hash it takes the same time and returns `false`. */
  verify(password: string, hash: string | undefined): Promise<boolean>
}

/** The root user's password and its version. */
export interface RootPassword {
  readonly text: string
  /** Changes whenever the password does, and reveals nothing of it. */
  readonly version: string
}

/** Secrets of the deployment itself. While they cannot be read again, the last known values stay valid. */
export interface SecretReader {
  rootPassword(): Promise<RootPassword>
  /** Returns the version of root's current password, without reading the password or remembering anything. */
  rootVersion(): Promise<string>
  /**
   * Returns the credential that the engine presents at `/engine/*`, read at most once in five minutes so that a
   * rotation takes effect.
   */
  engineCredential(): Promise<string>
  /** Returns the key that signs cursors of searches, read at most once in five minutes. */
  cursorKey(): Promise<string>
}

/** Encrypts small secrets (signing keys, passwords of others) for storage, bound to a purpose. */
export interface SecretBox {
  seal(plain: Uint8Array, purpose: string): Promise<string>
  /** Fails if the text was not sealed for this purpose. */
  open(sealed: string, purpose: string): Promise<Uint8Array>
}
