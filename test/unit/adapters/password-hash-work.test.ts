import { argon2 as nodeArgon2 } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { argonPasswordHasher } from '../../../adapters/crypto/argon-password-hasher.ts'

// Does its real work and is counted: time cannot be measured in a test, but the hashes can be.
const argon2 = vi.fn(nodeArgon2)

const hasher = argonPasswordHasher({ env: {} }, { argon2 })

/** Algorithm, cost and length of each hash that verifying a password took. */
async function workOf(password: string, hash: string | undefined): Promise<readonly unknown[]> {
  argon2.mockClear()
  await hasher.verify(password, hash)
  return argon2.mock.calls.map(([algorithm, { memory, passes, parallelism, tagLength }]) => ({
    algorithm,
    memory,
    passes,
    parallelism,
    tagLength,
  }))
}

const fullWork = [{ algorithm: 'argon2id', memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }]

test('a login of an unknown user does the same hash work as a login with a wrong or the right password', async () => {
  const hash = await hasher.hash('correct horse')

  expect(await workOf('wrong', hash)).toEqual(fullWork)
  expect(await workOf('correct horse', hash)).toEqual(fullWork)
  expect(await workOf('wrong', undefined)).toEqual(fullWork)
})

test.each(['', 'plain text', '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA'])(
  'a login of a user whose stored hash is "%s" does the full hash work as well',
  async (hash) => {
    expect(await workOf('wrong', hash)).toEqual(fullWork)
  },
)

test('an empty password does the full hash work as well', async () => {
  expect(await workOf('', undefined)).toEqual(fullWork)
  expect(await workOf('', await hasher.hash('correct horse'))).toEqual(fullWork)
})
