import { createHash } from 'node:crypto'
import type { SecretReader } from '../../../core/secrets.ts'

/** A {@link SecretReader} whose secrets are plain fields that a test may change. */
export interface MemorySecretReader extends SecretReader {
  root: string
  engine: string
  cursor: string
}

/** Secrets in memory. */
export function memorySecretReader(): MemorySecretReader {
  const reader: MemorySecretReader = {
    root: 's3cr3t-root-password',
    engine: 's3cr3t-engine-credential',
    cursor: 's3cr3t-cursor-key',
    async rootPassword() {
      return { text: reader.root, version: versionOf(reader.root) }
    },
    async rootVersion() {
      return versionOf(reader.root)
    },
    async engineCredential() {
      return reader.engine
    },
    async cursorKey() {
      return reader.cursor
    },
  }
  return reader
}

function versionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
