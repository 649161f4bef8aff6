import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Randomness } from '../../core/time.ts'

/** HKDF-SHA256 gives at most 255 blocks of 32 bytes. */
const MAX_BYTES = 255 * 32

/** Returns a UUID v4 in lower case that is made of 16 bytes or more. */
export function uuidFrom(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).subarray(0, 16).toString('hex')
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0b0011) | 0b1000).toString(16)
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, variant + hex.slice(17, 20), hex.slice(20)].join(
    '-',
  )
}

/** Derives a key for one purpose, 32 bytes, that reveals nothing of the seed or of the keys for other purposes. */
function derivedKey(seed: Uint8Array, purpose: string): Uint8Array {
  return derived(seed, `key ${purpose}`, 32)
}

/**
 * Returns randomness that repeats itself, call by call, for the same seed, and that is unpredictable without the seed.
 * Its user must make the same calls in the same order. At most {@link MAX_BYTES} bytes at once.
 */
export function derivedRandomness(seed: Uint8Array): Randomness {
  let calls = 0
  const bytes = (length: number) => derived(seed, `call ${(calls += 1)}`, length)
  return { bytes, uuid: () => uuidFrom(bytes(16)) }
}

function derived(seed: Uint8Array, info: string, length: number): Uint8Array {
  if (length > MAX_BYTES) throw new RangeError(`at most ${MAX_BYTES} bytes can be derived at once`)
  return new Uint8Array(hkdfSync('sha256', seed, '', info, length))
}

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
