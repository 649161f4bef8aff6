import type { SecretReader } from '../../core/ports.ts'

/** A {@link SecretReader} whose secrets are plain fields that a test may change. */
export interface MemorySecretReader extends SecretReader {
  root: string
  engine: string
}

/** Secrets in memory. */
export function memorySecretReader(): MemorySecretReader {
  const reader: MemorySecretReader = {
    root: 'root-password-of-the-tests',
    engine: 'engine-credential-of-the-tests',
    async rootPassword() {
      return reader.root
    },
    async engineCredential() {
      return reader.engine
    },
  }
  return reader
}
