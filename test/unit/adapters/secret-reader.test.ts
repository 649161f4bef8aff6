import { describe, expect, test } from 'vitest'
import { secretsManagerSecretReader } from '../../../adapters/aws/secrets-manager-secret-reader.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { startCloudGate } from '../../support/cloud-gate.ts'
import { movableClock } from '../../support/movable-clock.ts'
import { opened } from '../../support/opened.ts'

const FIVE_MINUTES_MS = 300_000

describe('secrets of the deployment', () => {
  const rig = opened(async () => {
    const gate = await startCloudGate()
    return { gate, close: () => gate.close() }
  })

  test.each([
    ['plain text', 's3cret', 's3cret'],
    ['a generated secret', '{"username":"root","password":"s3cret"}', 's3cret'],
    ['text that only looks like JSON', '{s3cret', '{s3cret'],
    ['JSON without a password', '{"other":1}', '{"other":1}'],
  ])('%s is read', async (_, SecretString, expected) => {
    const { reader, gate } = fresh()
    gate.answer = () => ({ status: 200, body: { SecretString } })

    expect(await reader.rootPassword()).toBe(expected)
    expect(gate.calls[0]?.input).toEqual({ SecretId: 'root-secret' })
  })

  test('each secret is read by its own name', async () => {
    const { reader, gate } = fresh()
    gate.answer = ({ input }) => ({ status: 200, body: { SecretString: `value of ${String(input['SecretId'])}` } })

    expect(await reader.rootPassword()).toBe('value of root-secret')
    expect(await reader.engineCredential()).toBe('value of engine-secret')
  })

  test('a rotated secret is taken up after five minutes and not before', async () => {
    const { reader, gate, clock } = fresh()
    let value = 'old'
    gate.answer = () => ({ status: 200, body: { SecretString: value } })
    await reader.rootPassword()

    value = 'new'
    clock.move(FIVE_MINUTES_MS - 1)
    expect(await reader.rootPassword()).toBe('old')
    clock.move(1)
    expect(await reader.rootPassword()).toBe('new')
  })

  test('a secret that was read stays good while it cannot be read again', async () => {
    const { reader, gate, clock } = fresh()
    gate.answer = () => ({ status: 200, body: { SecretString: 'old' } })
    await reader.rootPassword()

    gate.answer = () => 'lost'
    clock.move(FIVE_MINUTES_MS)

    expect(await reader.rootPassword()).toBe('old')
  })

  test('a secret that was never read and cannot be is told as unavailable', async () => {
    const { reader, gate } = fresh()
    gate.answer = () => 'lost'

    await expect(reader.rootPassword()).rejects.toMatchObject({ name: 'DomainError', code: 'store_unavailable' })
  })

  test('an empty secret opens nothing', async () => {
    const { reader, gate } = fresh()
    gate.answer = () => ({ status: 200, body: { SecretString: '' } })

    await expect(reader.rootPassword()).rejects.toMatchObject({ code: 'internal_error' })
  })

  function fresh() {
    const { gate } = rig()
    gate.calls.length = 0
    const clock = movableClock()
    const env = { ...gate.env, SECRET_ROOT: 'root-secret', SECRET_ENGINE: 'engine-secret' }
    return { gate, clock, reader: secretsManagerSecretReader({ env, clock, random: systemRandomness }) }
  }
})
