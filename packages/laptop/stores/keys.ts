import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import type { Key } from '../assembly/assembly.ts'
import { type Backend, type ServiceAnswer, errorAnswer, jsonAnswer } from '../gate/backend.ts'

const context = z.optional(z.record(z.string(), z.string()))
const encryptInput = z.object({ KeyId: z.string(), Plaintext: z.string(), EncryptionContext: context })
const decryptInput = z.object({ KeyId: z.string(), CiphertextBlob: z.string(), EncryptionContext: context })

const nonceBytes = 12
const tagBytes = 16

/**
 * Returns the embedded key service: `Encrypt` and `Decrypt` under AES-256-GCM. A blob is nonce, tag, ciphertext; the
 * key's ARN and the encryption context are authenticated with it, so that a blob opens under no other key and in no
 * other context.
 */
export function keysBackend(keys: readonly Key[], secretKey: Buffer): Backend {
  const find = (id: string): Key | undefined => keys.find((key) => key.id === id || key.arn === id)
  return ({ action, input }) => {
    if (action === 'Encrypt') return Promise.resolve(encrypt(z.safeParse(encryptInput, input), find, secretKey))
    if (action === 'Decrypt') return Promise.resolve(decrypt(z.safeParse(decryptInput, input), find, secretKey))
    return Promise.resolve(errorAnswer('UnknownOperationException', `${action} is not known here`))
  }
}

type Parsed<T> = { success: true; data: T } | { success: false }
type Find = (id: string) => Key | undefined

const missing = errorAnswer('NotFoundException', 'the key does not exist')
const malformed = errorAnswer('ValidationException', 'the request lacks a field')

function encrypt(parsed: Parsed<z.infer<typeof encryptInput>>, find: Find, secretKey: Buffer): ServiceAnswer {
  if (!parsed.success) return malformed
  const { KeyId, Plaintext, EncryptionContext } = parsed.data
  const key = find(KeyId)
  if (key === undefined) return missing
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', secretKey, nonce).setAAD(boundTo(key, EncryptionContext))
  const sealed = Buffer.concat([cipher.update(Buffer.from(Plaintext, 'base64')), cipher.final()])
  const blob = Buffer.concat([nonce, cipher.getAuthTag(), sealed])
  return jsonAnswer({
    KeyId: key.arn,
    CiphertextBlob: blob.toString('base64'),
    EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
  })
}

function decrypt(parsed: Parsed<z.infer<typeof decryptInput>>, find: Find, secretKey: Buffer): ServiceAnswer {
  if (!parsed.success) return malformed
  const { KeyId, CiphertextBlob, EncryptionContext } = parsed.data
  const key = find(KeyId)
  if (key === undefined) return missing
  const blob = Buffer.from(CiphertextBlob, 'base64')
  const [nonce, tag] = [blob.subarray(0, nonceBytes), blob.subarray(nonceBytes, nonceBytes + tagBytes)]
  if (tag.length !== tagBytes) return errorAnswer('InvalidCiphertextException', '')
  const cipher = createDecipheriv('aes-256-gcm', secretKey, nonce)
    .setAAD(boundTo(key, EncryptionContext))
    .setAuthTag(tag)
  try {
    const plain = Buffer.concat([cipher.update(blob.subarray(nonceBytes + tagBytes)), cipher.final()])
    return jsonAnswer({ KeyId: key.arn, Plaintext: plain.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' })
  } catch {
    return errorAnswer('InvalidCiphertextException', '')
  }
}

function boundTo(key: Key, encryptionContext: Readonly<Record<string, string>> = {}): Buffer {
  const entries = Object.entries(encryptionContext).sort(([a], [b]) => (a < b ? -1 : 1))
  return Buffer.from(JSON.stringify([key.arn, entries]))
}
