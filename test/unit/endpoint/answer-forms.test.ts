import { describe, expect, it } from 'vitest'
import { readRecording } from '../../../contracts/routes/recordings.ts'
import { readStatus } from '../../../contracts/routes/status.ts'
import { Bytes, Redirect, createEndpoint } from '../../../functions/endpoint.ts'
import { acceptsGzip } from '../../../functions/endpoint/compression.ts'
import { accepting } from '../../../functions/endpoint/use-case-call.ts'
import { aContext, anApi, gatewayEvent } from '../../support/platform/api.ts'

const uuid = '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f'

async function asked(route: typeof readRecording | typeof readStatus, result: Redirect | Bytes) {
  const api = anApi()
  await api.account()
  const headers = { ...(await api.as('root')) }
  const handler = createEndpoint(route, api.ports, async () => result, api.tools)
  return handler(gatewayEvent(route, { params: { uuid }, headers, query: 'domain=a.example.com' }), aContext)
}

describe('an answer in a form of its own', () => {
  it('a redirect has no body', async () => {
    const answer = await asked(readRecording, new Redirect('https://files.test/a', { 'Cache-Control': 'private' }))

    expect([answer.statusCode, answer.body]).toEqual([302, undefined])
    expect(answer.headers).toMatchObject({ Location: 'https://files.test/a', 'Cache-Control': 'private' })
    expect(answer.headers['Content-Type']).toBe('text/plain; charset=utf-8')
    expect(answer.headers['X-Request-Id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('a response of bytes is in base64, as the gateway expects', async () => {
    const answer = await asked(readRecording, new Bytes(new Uint8Array([0, 255, 10]), 'audio/wav'))

    expect(answer).toMatchObject({ statusCode: 200, isBase64Encoded: true, body: 'AP8K' })
    expect(answer.headers).toMatchObject({
      'Content-Type': 'audio/wav',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
  })

  it.each([[new Redirect('https://files.test/a')], [new Bytes(new Uint8Array(), 'audio/wav')]])(
    'is a failure of the service where the route does not declare it',
    async (result) => {
      const answer = await asked(readStatus, result)

      expect(answer.statusCode).toBe(500)
      expect(answer.headers).not.toHaveProperty('Location')
    },
  )
})

describe('an Accept header', () => {
  it.each([
    [undefined, 'audio/wav', true],
    ['', 'audio/wav', true],
    ['*/*', 'audio/wav', true],
    ['audio/*', 'audio/wav', true],
    ['AUDIO/WAV', 'audio/wav', true],
    ['application/json', 'audio/wav', false],
    ['application/json; charset=utf-8', 'application/json', true],
    ['audio/*;q=0, */*', 'audio/wav', false],
    ['audio/wav ; Q = 0.1, audio/*;q=0', 'audio/wav', true],
    ['audio/wav;q=none', 'audio/wav', false],
    [',,;;', 'audio/wav', false],
    [`${'text/html,'.repeat(40)}audio/wav`, 'audio/wav', false],
  ])('the Accept header %j accepts %s: %j', (header, type, expected) => {
    expect(accepting(header)(type)).toBe(expected)
  })
})

describe('an Accept-Encoding header', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['deflate, GZIP', true],
    ['*', true],
    ['gzip;q=0, *', false],
    ['identity, *;q=0', false],
    ['br', false],
  ])('%s accepts gzip: %s', (header, expected) => {
    expect(acceptsGzip(header)).toBe(expected)
  })
})
