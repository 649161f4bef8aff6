import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { SecretBox } from '../../../core/secrets.ts'
import type { MemoryContext } from './memory-state.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Seals with AES-256-GCM under a key that lives and dies with the process; the purpose is authenticated with it. */
export function memorySecretBox({ random }: Pick<MemoryContext, 'random'>): SecretBox {
  const key = random.bytes(32)
  return {
    async seal(plain, purpose) {
      const nonce = random.bytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64')
    },
    async open(sealed, purpose) {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(purpose))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
      return new Uint8Array(plain)
    },
  }
}
