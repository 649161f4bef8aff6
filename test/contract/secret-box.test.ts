import { describe, expect, test } from 'vitest'
import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { mapAtMost } from '../../core/concurrency/semaphore.ts'
import { memorySecretBox } from '../support/memory/memory-secret-box.ts'
import { type CloudGate, startCloudGate } from '../support/stores/cloud-gate.ts'
import { type MovableClock, movableClock } from '../support/processes/movable-clock.ts'
import { opened } from '../support/processes/opened.ts'

const kinds = [
  {
    name: 'memory',
    open: async () => ({ box: memorySecretBox({ random: systemRandomness }), close: async () => {} }),
  },
  { name: 'the key service', open: openKms },
]

describe.each(kinds)('secrets sealed by $name', (kind) => {
  const rig = opened(kind.open)

  test('a secret is opened for the purpose that it was sealed for', async () => {
    const secret = systemRandomness.bytes(32)

    const sealed = await rig().box.seal(secret, 'hook a.example.com')

    expect(await rig().box.open(sealed, 'hook a.example.com')).toEqual(secret)
    expect(sealed).toMatch(/^[\w+/]+=*$/)
    expect(Buffer.from(sealed, 'base64').includes(Buffer.from(secret))).toBe(false)
  })

  test('a secret cannot be opened for another purpose, even after it was opened for its own', async () => {
    const sealed = await rig().box.seal(new Uint8Array([1, 2, 3]), 'hook a.example.com')

    await expect(rig().box.open(sealed, 'hook b.example.com')).rejects.toThrow()
    await rig().box.open(sealed, 'hook a.example.com')
    await expect(rig().box.open(sealed, 'hook b.example.com')).rejects.toThrow()
  })

  test('a changed ciphertext is not opened', async () => {
    const sealed = await rig().box.seal(new Uint8Array([1, 2, 3]), 'x')
    const bytes = Buffer.from(sealed, 'base64')
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1

    await expect(rig().box.open(bytes.toString('base64'), 'x')).rejects.toThrow()
  })

  test('no two of a thousand seals of one secret for one purpose share a nonce', async () => {
    // A few at a time: a thousand new connections at once may take longer than connecting is allowed to.
    const sealed = await mapAtMost(Array(1_000).keys(), 20, () => rig().box.seal(new Uint8Array(32), 'x'))

    expect(new Set(sealed.map((text) => Buffer.from(text, 'base64').subarray(0, 12).toString('hex'))).size).toBe(1_000)
  })

  test('changing the returned bytes of an opened secret does not change the next opening', async () => {
    const sealed = await rig().box.seal(new Uint8Array([1, 2, 3]), 'x')

    const opened = await rig().box.open(sealed, 'x')
    opened.fill(0)

    expect(await rig().box.open(sealed, 'x')).toEqual(new Uint8Array([1, 2, 3]))
  })
})

describe('the key service', () => {
  const rig = opened(openKms)

  test('the key service is asked once in five minutes for one secret', async () => {
    const { box, gate, clock } = rig()
    const sealed = await box.seal(new Uint8Array([1]), 'x')
    const asked = () => gate.calls.filter((call) => call.action === 'Decrypt').length
    const before = asked()

    await box.open(sealed, 'x')
    clock.move(299_999)
    await box.open(sealed, 'x')
    const within = asked()
    clock.move(1)
    await box.open(sealed, 'x')

    expect([within - before, asked() - before]).toEqual([1, 2])
  })

  test('a refusal of the key service is an internal error whose cause names the reason', async () => {
    const { box, gate } = rig()
    const usual = gate.answer
    gate.answer = () => ({ status: 400, body: { __type: 'AccessDeniedException' } })
    const refused = { name: 'DomainError', code: 'internal_error', cause: { code: 'AccessDeniedException' } }

    try {
      await expect(box.seal(new Uint8Array([1]), 'x')).rejects.toMatchObject(refused)
      await expect(box.open('AAAA', 'x')).rejects.toMatchObject(refused)
    } finally {
      gate.answer = usual
    }
  })
})

/** A key service that authenticates the encryption context, over the memory box. */
async function openKms(): Promise<{
  box: ReturnType<typeof kmsSecretBox>
  gate: CloudGate
  clock: MovableClock
  close(): Promise<void>
}> {
  const gate = await startCloudGate()
  const inside = memorySecretBox({ random: systemRandomness })
  gate.answer = async ({ action, input }) => {
    const purpose = JSON.stringify(input['EncryptionContext'])
    if (action === 'Encrypt') {
      const sealed = await inside.seal(Buffer.from(String(input['Plaintext']), 'base64'), purpose)
      return { status: 200, body: { CiphertextBlob: sealed, KeyId: input['KeyId'] } }
    }
    try {
      const plain = await inside.open(String(input['CiphertextBlob']), purpose)
      return { status: 200, body: { Plaintext: Buffer.from(plain).toString('base64') } }
    } catch {
      return { status: 400, body: { __type: 'InvalidCiphertextException' } }
    }
  }
  const clock = movableClock()
  const env = { ...gate.env, KEY_SEAL: 'key-1' }
  return { box: kmsSecretBox({ env, clock, random: systemRandomness }), gate, clock, close: () => gate.close() }
}
