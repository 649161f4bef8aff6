import { describe, expect, test } from 'vitest'
import { secretsManagerSecretReader } from '../../../adapters/aws/secrets-manager-secret-reader.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { type CloudReply, startCloudGate } from '../../support/stores/cloud-gate.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'
import { opened } from '../../support/processes/opened.ts'

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
  ])('a secret of the deployment is read: %s', async (_, SecretString, expected) => {
    const { reader, gate } = fresh()
    gate.answer = () => ({ status: 200, body: { SecretString, VersionId: 'one' } })

    expect(await reader.rootPassword()).toEqual({ text: expected, version: 'one' })
    expect(gate.calls[0]?.input).toEqual({ SecretId: 'root-secret' })
  })

  test('each secret is read by its own name', async () => {
    const { reader, gate } = fresh()
    gate.answer = ({ input }) => answerOf(`value of ${String(input['SecretId'])}`)

    expect((await reader.rootPassword()).text).toBe('value of root-secret')
    expect(await reader.engineCredential()).toBe('value of engine-secret')
  })

  test('a rotated credential of the engine is taken up after five minutes and not before', async () => {
    const { reader, gate, clock } = fresh()
    let value = 'old'
    gate.answer = () => answerOf(value)
    await reader.engineCredential()

    value = 'new'
    clock.move(FIVE_MINUTES_MS - 1)
    expect(await reader.engineCredential()).toBe('old')
    clock.move(1)
    expect(await reader.engineCredential()).toBe('new')
  })

  test('a rotated password of root is taken up at once, with its version', async () => {
    const { reader, gate } = fresh()
    gate.answer = () => answerOf('old', 'one')
    await reader.rootPassword()

    gate.answer = () => answerOf('new', 'two')

    expect(await reader.rootPassword()).toEqual({ text: 'new', version: 'two' })
  })

  test('a secret that was read stays good while it cannot be read again', async () => {
    const { reader, gate, clock } = fresh()
    gate.answer = () => answerOf('old')
    await reader.rootPassword()
    await reader.engineCredential()

    gate.answer = () => 'lost'
    clock.move(FIVE_MINUTES_MS)

    expect((await reader.rootPassword()).text).toBe('old')
    expect(await reader.engineCredential()).toBe('old')
  })

  test("the version of root's password is the current one, read each time and without the password", async () => {
    const { reader, gate } = fresh()
    const describe = (current: string, other: string) => ({
      status: 200,
      body: { VersionIdsToStages: { [other]: ['AWSPREVIOUS'], [current]: ['AWSCURRENT', 'blue'], labelless: [] } },
    })
    gate.answer = () => describe('one', 'zero')
    expect(await reader.rootVersion()).toBe('one')
    gate.answer = () => describe('two', 'one')
    expect(await reader.rootVersion()).toBe('two')

    expect(gate.calls.map(({ action }) => action)).toEqual(['DescribeSecret', 'DescribeSecret'])
  })

  test.each([
    ['cannot be had', 'lost', 'store_unavailable'],
    ['is none', { status: 200, body: { VersionIdsToStages: { one: ['AWSPREVIOUS'] } } }, 'internal_error'],
    ['has another form', { status: 200, body: {} }, 'internal_error'],
  ] as const)('a version that %s is never taken for one known from before', async (_, answer, code) => {
    const { reader, gate } = fresh()
    gate.answer = () => ({ status: 200, body: { VersionIdsToStages: { one: ['AWSCURRENT'] } } })
    await reader.rootVersion()

    gate.answer = () => answer

    await expect(reader.rootVersion()).rejects.toMatchObject({ name: 'DomainError', code })
  })

  test('a secret that was never read and cannot be read is reported as unavailable', async () => {
    const { reader, gate } = fresh()
    gate.answer = () => 'lost'

    await expect(reader.rootPassword()).rejects.toMatchObject({ name: 'DomainError', code: 'store_unavailable' })
  })

  test('an empty secret is never accepted as a credential', async () => {
    const { reader, gate } = fresh()
    gate.answer = () => ({ status: 200, body: { SecretString: '', VersionId: 'one' } })

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

function answerOf(SecretString: string, VersionId = 'one'): CloudReply {
  return { status: 200, body: { SecretString, VersionId } }
}
