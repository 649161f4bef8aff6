import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { derivedKey } from './derived-randomness.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const PURPOSE = 'answer'

/** Encrypts text (AES-256-GCM) under a key derived from a seed. Returns base64 of nonce, ciphertext and tag. */
export function encryptText(text: string, seed: Uint8Array): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', derivedKey(seed, PURPOSE), nonce)
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

/** Decrypts what {@link encryptText} made; throws when it was made with another seed or changed since. */
export function decryptText(encrypted: string, seed: Uint8Array): string {
  const bytes = Buffer.from(encrypted, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', derivedKey(seed, PURPOSE), bytes.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
}
