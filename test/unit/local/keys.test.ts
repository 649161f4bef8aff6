import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ServiceAnswer } from '../../../packages/laptop/gate/backend.ts'
import { keysBackend } from '../../../packages/laptop/stores/keys.ts'
import { secretText, secretsBackend } from '../../../packages/laptop/stores/secrets.ts'

const keys = [
  { id: 'one', arn: 'arn:key/one' },
  { id: 'two', arn: 'arn:key/two' },
]
const backend = keysBackend(keys, randomBytes(32))

const call = (action: string, input: object) =>
  backend({ action, target: '', contentType: '', body: Buffer.alloc(0), input })
const bodyOf = (answer: ServiceAnswer) => JSON.parse(String(answer.body))
const plain = Buffer.from('signing key').toString('base64')

async function seal(more: object = {}): Promise<string> {
  return bodyOf(
    await call('Encrypt', { KeyId: 'one', Plaintext: plain, EncryptionContext: { a: '1', b: '2' }, ...more }),
  ).CiphertextBlob
}

describe('the key service', () => {
  it("the key service decrypts what it encrypted under the same context, whatever the order of the context's keys", async () => {
    const CiphertextBlob = await seal()

    const opened = await call('Decrypt', {
      KeyId: 'arn:key/one',
      CiphertextBlob,
      EncryptionContext: { b: '2', a: '1' },
    })

    expect(bodyOf(opened)).toMatchObject({ KeyId: 'arn:key/one', Plaintext: plain })
  })

  it('the key service encrypts the same text differently each time', async () => {
    expect(await seal()).not.toBe(await seal())
  })

  it.each([
    ['in another context', { EncryptionContext: { a: '1', b: '3' } }],
    ['without its context', { EncryptionContext: undefined }],
    ['under another key', { KeyId: 'two' }],
    ['when it is cut short', { CiphertextBlob: 'AAAA' }],
  ])('the key service does not decrypt it %s', async (_name, more) => {
    const input = { KeyId: 'one', CiphertextBlob: await seal(), EncryptionContext: { a: '1', b: '2' }, ...more }

    const answer = await call('Decrypt', input)

    expect([answer.status, bodyOf(answer).__type]).toEqual([400, 'InvalidCiphertextException'])
  })

  it('the key service knows only the keys of the assembly', async () => {
    expect(bodyOf(await call('Encrypt', { KeyId: 'three', Plaintext: plain })).__type).toBe('NotFoundException')
  })
})

describe('secrets', () => {
  /** Asks a Secrets Manager of its own, which has one secret. */
  async function ask(
    action: string,
    { SecretId = 'arn:secret', value = 'value', salt = 'salt' } = {},
  ): Promise<Record<string, unknown>> {
    const secrets = secretsBackend(new Map([['arn:secret', value]]), Buffer.from(salt))
    return bodyOf(await secrets({ action, target: '', contentType: '', body: Buffer.alloc(0), input: { SecretId } }))
  }

  it('secrets are read by their ARN', async () => {
    expect(await ask('GetSecretValue')).toMatchObject({ SecretString: 'value' })
    expect(await ask('GetSecretValue', { SecretId: 'arn:other' })).toMatchObject({
      __type: 'ResourceNotFoundException',
    })
  })

  it('the described version of a secret is the returned one, and does not contain the value', async () => {
    const { VersionId, ...read } = await ask('GetSecretValue')

    expect(await ask('DescribeSecret')).toEqual({
      ARN: read['ARN'],
      Name: read['Name'],
      VersionIdsToStages: { [String(VersionId)]: ['AWSCURRENT'] },
    })
  })

  it('a secret keeps its version while its value stays, and gets another one with another value or platform', async () => {
    const versionOf = async (value: string, salt: string) => (await ask('GetSecretValue', { value, salt }))['VersionId']
    const first = await versionOf('value', 'salt')

    expect(await versionOf('value', 'salt')).toBe(first)
    expect(new Set([first, await versionOf('other', 'salt'), await versionOf('value', 'pepper')]).size).toBe(3)
  })

  it('a secret is in the field of a JSON object if the template says so', () => {
    expect(secretText({ arn: '', template: undefined, field: undefined }, 'v')).toBe('v')
    expect(secretText({ arn: '', template: '{"user":"root"}', field: 'password' }, 'v')).toBe(
      '{"user":"root","password":"v"}',
    )
  })
})
