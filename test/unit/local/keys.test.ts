import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ServiceAnswer } from '../../../local/gate/backend.ts'
import { keysBackend } from '../../../local/stores/keys.ts'
import { secretText, secretsBackend } from '../../../local/stores/secrets.ts'

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
  it('opens what it sealed, in the same context however it is ordered', async () => {
    const CiphertextBlob = await seal()

    const opened = await call('Decrypt', {
      KeyId: 'arn:key/one',
      CiphertextBlob,
      EncryptionContext: { b: '2', a: '1' },
    })

    expect(bodyOf(opened)).toMatchObject({ KeyId: 'arn:key/one', Plaintext: plain })
  })

  it('seals the same text differently each time', async () => {
    expect(await seal()).not.toBe(await seal())
  })

  it.each([
    ['in another context', { EncryptionContext: { a: '1', b: '3' } }],
    ['without its context', { EncryptionContext: undefined }],
    ['under another key', { KeyId: 'two' }],
    ['when it is cut short', { CiphertextBlob: 'AAAA' }],
  ])('does not open it %s', async (_name, more) => {
    const input = { KeyId: 'one', CiphertextBlob: await seal(), EncryptionContext: { a: '1', b: '2' }, ...more }

    const answer = await call('Decrypt', input)

    expect([answer.status, bodyOf(answer).__type]).toEqual([400, 'InvalidCiphertextException'])
  })

  it('knows only the keys of the assembly', async () => {
    expect(bodyOf(await call('Encrypt', { KeyId: 'three', Plaintext: plain })).__type).toBe('NotFoundException')
  })
})

describe('secrets', () => {
  it('are read by their ARN', async () => {
    const secrets = secretsBackend(new Map([['arn:secret', 'value']]))
    const read = (SecretId: string) =>
      secrets({ action: 'GetSecretValue', target: '', contentType: '', body: Buffer.alloc(0), input: { SecretId } })

    expect(bodyOf(await read('arn:secret'))).toMatchObject({ SecretString: 'value' })
    expect(bodyOf(await read('arn:other')).__type).toBe('ResourceNotFoundException')
  })

  it('stand in the field of a JSON object where the template says so', () => {
    expect(secretText({ arn: '', template: undefined, field: undefined }, 'v')).toBe('v')
    expect(secretText({ arn: '', template: '{"user":"root"}', field: 'password' }, 'v')).toBe(
      '{"user":"root","password":"v"}',
    )
  })
})
