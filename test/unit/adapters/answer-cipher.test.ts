import { expect, test } from 'vitest'
import { decryptText, encryptText } from '../../../adapters/crypto/derived-randomness.ts'

const seed = new Uint8Array(32).fill(7)

/** AES-GCM loses both secrecy and integrity as soon as two texts share key and nonce. */
const nonceOf = (encrypted: string) => Buffer.from(encrypted, 'base64').subarray(0, 12).toString('hex')

test('no nonce repeats in ten thousand encryptions of one text under one seed', () => {
  const encrypted = Array.from({ length: 10_000 }, () => encryptText('the answer', seed))

  expect(new Set(encrypted.map(nonceOf)).size).toBe(10_000)
})

test('two encryptions of one text share no byte string that would reveal that the text is the same', () => {
  const [first, second] = [encryptText('the answer', seed), encryptText('the answer', seed)].map((text) =>
    Buffer.from(text, 'base64').subarray(12),
  )

  expect(first?.equals(second ?? Buffer.alloc(0))).toBe(false)
  expect(first?.subarray(-16).equals(second?.subarray(-16) ?? Buffer.alloc(0))).toBe(false)
})

test('an encrypted answer is read with its own seed only', () => {
  const encrypted = encryptText('the änswer', seed)

  expect(decryptText(encrypted, seed)).toBe('the änswer')
  expect(() => decryptText(encrypted, new Uint8Array(32).fill(8))).toThrow()
})

test.each([
  ['nonce', 0],
  ['text', 12],
  ['tag', -1],
])('an encrypted answer whose %s was changed is not read', (_, place) => {
  const bytes = Buffer.from(encryptText('the answer', seed), 'base64')
  bytes.writeUInt8((bytes.at(place) ?? 0) ^ 1, (place + bytes.length) % bytes.length)

  expect(() => decryptText(bytes.toString('base64'), seed)).toThrow()
})

test('an answer holds nothing of its text in the clear', () => {
  const encrypted = encryptText('the answer', seed)

  expect(Buffer.from(encrypted, 'base64').includes('answer')).toBe(false)
})
