import { describe, expect, test } from 'vitest'
import { argonPasswordHasher } from '../../adapters/crypto/argon-password-hasher.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { memoryPasswordHasher } from '../support/memory/memory-password-hasher.ts'

const kinds = [
  { name: 'tests', hasher: memoryPasswordHasher({ random: systemRandomness }) },
  { name: 'production', hasher: argonPasswordHasher({ env: {} }) },
  { name: 'production on a Node without Argon2', hasher: argonPasswordHasher({ env: {} }, {}) },
]

describe.each(kinds)('password hashes of $name', ({ hasher }) => {
  test('a password is verified by its own hash and by no other', async () => {
    const hash = await hasher.hash('correct horse')

    expect(await hasher.verify('correct horse', hash)).toBe(true)
    expect(await hasher.verify('correct horse ', hash)).toBe(false)
    expect(await hasher.verify('', hash)).toBe(false)
  })

  test('two hashes of one password differ and none holds it', async () => {
    const [first, second] = [await hasher.hash('hunter2'), await hasher.hash('hunter2')]

    expect(first).not.toBe(second)
    expect(first + second).not.toContain('hunter2')
  })

  test.each([
    undefined,
    '',
    'plain text',
    '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA',
    '$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA',
  ])('no password passes the hash %s', async (hash) => {
    expect(await hasher.verify('plain text', hash)).toBe(false)
    expect(await hasher.verify('', hash)).toBe(false)
  })
})

describe.each(kinds.slice(1))('argon2id of $name', ({ hasher }) => {
  test('a hash states its cost in PHC text form: 19 MiB, two passes, one lane', async () => {
    expect(await hasher.hash('x')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  })

  test('a hash of another program is verified at the cost that it states', async () => {
    // Made by the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -e
    const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'

    expect(await hasher.verify('password', reference)).toBe(true)
    expect(await hasher.verify('Password', reference)).toBe(false)
  })
})
