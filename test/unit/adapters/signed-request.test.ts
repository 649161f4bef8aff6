import { createHash, createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { addressOf, signedRequest } from '../../../adapters/aws/signed-request.ts'
import { environment } from '../../../contracts/environment.ts'
import { startCloudGate } from '../../support/cloud-gate.ts'
import { movableClock } from '../../support/movable-clock.ts'
import { opened } from '../../support/opened.ts'

describe('a request to a service of the cloud', () => {
  const rig = opened(async () => {
    const gate = await startCloudGate()
    return { gate, close: () => gate.close() }
  })

  test('carries the signature that the service works out for itself, over body, target and session token', async () => {
    const { gate } = rig()
    gate.answer = () => ({ status: 200, body: {} })
    const env = { ...gate.env, AWS_SECRET_ACCESS_KEY: 'wJalr/secret', AWS_SESSION_TOKEN: 'session' }

    await signedRequest({ env, clock: movableClock(Date.UTC(2026, 0, 2, 3, 4, 5)) }, toKms(gate.env))

    const headers: Record<string, unknown> = gate.calls.at(-1)?.headers ?? {}
    const authorization = String(headers['authorization'])
    const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? []
    expect(signed).toEqual(expect.arrayContaining(['host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target']))
    const canonicalHeaders = signed.map((name) => `${name}:${String(headers[name])}\n`).join('')
    const canonical = ['POST', '/', '', canonicalHeaders, signed.join(';'), sha256(JSON.stringify({ a: 'ü' }))].join(
      '\n',
    )
    expect(authorization).toContain('Credential=test/20260102/eu-central-1/kms/aws4_request')
    expect(authorization).toContain(`Signature=${signature(canonical, 'wJalr/secret')}`)
  })

  test.each([undefined, ''])('goes to the region of the process when the address named is %s', (endpoint) => {
    expect(addressOf('sqs', 'eu-central-1', endpoint).href).toBe('https://sqs.eu-central-1.amazonaws.com/')
    expect(addressOf('sqs', 'eu-central-1', 'http://127.0.0.1:9').href).toBe('http://127.0.0.1:9/')
  })

  test('is refused before it is sent when the process has no credentials', async () => {
    const { gate } = rig()
    gate.calls.length = 0
    const env = { ...gate.env, AWS_ACCESS_KEY_ID: undefined }

    const call = signedRequest({ env, clock: movableClock() }, toKms(gate.env))

    await expect(call).rejects.toThrow('no credentials')
    expect(gate.calls).toEqual([])
  })
})

const toKms = (env: Readonly<Record<string, string>>) => ({
  service: 'kms',
  endpoint: env[environment.kmsEndpoint],
  headers: { 'x-amz-target': 'TrentService.Encrypt' },
  body: JSON.stringify({ a: 'ü' }),
  timeoutMs: 3_000,
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Signature Version 4 as its specification has it, for 2026-01-02 03:04:05 and the service `kms`. */
function signature(canonicalRequest: string, secret: string): string {
  const scope = '20260102/eu-central-1/kms/aws4_request'
  const toSign = ['AWS4-HMAC-SHA256', '20260102T030405Z', scope, sha256(canonicalRequest)].join('\n')
  const key = scope
    .split('/')
    .reduce<string | Buffer>((key, part) => createHmac('sha256', key).update(part).digest(), `AWS4${secret}`)
  return createHmac('sha256', key).update(toSign).digest('hex')
}
