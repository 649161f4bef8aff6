import crypto from 'node:crypto'
import { createRequire } from 'node:module'
import { expect, test, vi } from 'vitest'
import { argon2idOf } from '../../../adapters/crypto/argon2id.ts'
import { argonPasswordHasher } from '../../../adapters/crypto/argon-password-hasher.ts'

const loadedModules = () =>
  Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes('hash-wasm'))

const cost = { memory: 64, passes: 1, parallelism: 1, tagLength: 32 }
const input = { ...cost, message: 'pässwörd', nonce: Buffer.from('0123456789abcdef') }

test('the replacement package is not loaded if Node has Argon2 itself', async () => {
  const derive = argon2idOf(crypto, () => {})
  await derive(input)
  expect(loadedModules()).toEqual([])

  await argon2idOf({}, () => {})(input)
  expect(loadedModules()).toHaveLength(1)
})

/** As a Node answers whose OpenSSL has no Argon2. */
const refusing = (): never => {
  throw Object.assign(new Error('Argon2 algorithm not supported'), { code: 'ERR_CRYPTO_ARGON2_NOT_SUPPORTED' })
}

const withoutArgon2 = [
  ['has no such function', {}],
  ['has the function and refuses to run it', { argon2: refusing }],
] as const

test.each(withoutArgon2)('a Node that %s derives the keys that every other derives', async (_how, nodeCrypto) => {
  const own = argon2idOf(crypto, () => expect.unreachable('this Node has Argon2'))
  const wasm = argon2idOf(nodeCrypto, () => {})

  expect(await wasm(input)).toEqual(await own(input))
  expect(await wasm({ ...input, memory: 256, passes: 3, parallelism: 4 })).toEqual(
    await own({ ...input, memory: 256, passes: 3, parallelism: 4 }),
  )
})

test.each(withoutArgon2)('a Node that %s is reported once, and not before it is needed', async (_how, nodeCrypto) => {
  const onMissing = vi.fn()

  const wasm = argon2idOf(nodeCrypto, onMissing)
  expect(onMissing).not.toHaveBeenCalled()
  await Promise.all([wasm(input), wasm(input)])
  await wasm(input)

  expect(onMissing).toHaveBeenCalledOnce()
})

test("input that Node's Argon2 refuses does not switch to the replacement package", async () => {
  const onMissing = vi.fn()

  await expect(argon2idOf(crypto, onMissing)({ ...input, passes: 0 })).rejects.toThrow('passes')
  expect(onMissing).not.toHaveBeenCalled()
})

test('passwords that were hashed with and without Argon2 of Node are verified by both', async () => {
  const own = argonPasswordHasher({ env: {} })
  const wasm = argonPasswordHasher({ env: { LOG_LEVEL: 'error' } }, {})
  const hashes = [await own.hash('correct horse'), await wasm.hash('correct horse')]

  for (const hash of hashes) {
    for (const hasher of [own, wasm]) {
      expect(await hasher.verify('correct horse', hash)).toBe(true)
      expect(await hasher.verify('wrong horse', hash)).toBe(false)
    }
  }
})
