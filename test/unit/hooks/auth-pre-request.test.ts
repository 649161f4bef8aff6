import { describe, expect, it } from 'vitest'
import type { HookReply } from '../../../core/hooks/request/hook-client.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { answered, setUpAttempt } from '../../support/hooks/attempt-setup.ts'

describe('the auth pre-request', () => {
  const auth = {
    enabled: true,
    url: 'https://auth.example.com/token',
    method: 'POST',
    headers: { 'X-Id': '${id}' },
    map: { client: '${id}', kind: 'x' },
    cookie: false,
  }
  const event = { fields: { id: '7' } }
  const loginReply = answered(200, {
    body: '{"token":"T","n":1,"nested":{"a":"b"}}',
    headers: {
      'x-session': 'S',
      'set-cookie': 'sid=abc; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT\nuid=u; Secure',
    },
  })

  const withReply = async (hook: Partial<Hook>, reply: HookReply) => {
    const setup = await setUpAttempt({ hook, event })
    setup.ports.hookClient.answer = ({ url }) => (url.startsWith(auth.url) ? reply : answered(200))
    await setup.attempt()
    return setup
  }

  it('the auth pre-request sends its map as JSON, and its reply fills headers and body', async () => {
    const headers = { Authorization: 'Bearer ${auth:body:token}', 'X-S': '${auth:header:x-session}' }
    const rawBody = '{"sid":"${auth:header:sid}","n":"${auth:body:n}"}'

    const { ports } = await withReply({ auth, headers, customBody: true, rawBody }, loginReply)

    const [first, second] = ports.hookClient.sent
    expect(first).toMatchObject({ method: 'POST', url: auth.url, body: '{"client":"7","kind":"x"}' })
    expect(first?.headers).toEqual({ 'content-type': 'application/json', 'x-id': '7' })
    expect(second?.headers).toMatchObject({ authorization: 'Bearer T', 'x-s': 'S' })
    expect(second?.headers).not.toHaveProperty('cookie')
    expect(second?.body).toBe('{"sid":"abc","n":""}')
  })

  it.each(['PUT', 'PATCH', 'DELETE'])('the auth pre-request by %s sends its map as JSON, too', async (method) => {
    const { ports } = await withReply({ auth: { ...auth, method } }, loginReply)

    expect(ports.hookClient.sent[0]).toMatchObject({ method, url: auth.url, body: '{"client":"7","kind":"x"}' })
  })

  it('the auth pre-request by GET sends its map as query', async () => {
    const { ports } = await withReply({ auth: { ...auth, method: 'GET' } }, loginReply)

    expect(ports.hookClient.sent[0]).toMatchObject({ method: 'GET', url: `${auth.url}?client=7&kind=x`, body: '' })
  })

  it("the auth pre-request passes its cookies on if the hook wants it, together with the hook's own cookie", async () => {
    const hook = { auth: { ...auth, cookie: true }, headers: { Cookie: 'own=1' } }

    const { ports } = await withReply(hook, loginReply)

    expect(ports.hookClient.sent[1]?.headers).toMatchObject({ cookie: 'own=1; sid=abc; uid=u' })
  })

  it.each([
    ['201', answered(201)],
    ['401', answered(401)],
    ['302', answered(302)],
    ['no answer', { outcome: 'failed', reason: 'timeout', durationMs: 1 } as const],
  ])(
    'an auth pre-request that is answered with %s fails the attempt, and nothing else is sent',
    async (_title, reply) => {
      const { ports, outcome } = await withReply({ auth }, reply)

      expect(ports.hookClient.sent).toHaveLength(1)
      expect(await outcome()).toMatchObject({ state: 'failed', attempts: [{ reason: 'auth_failed' }] })
    },
  )

  it.each([
    ['a header', { headers: { 'X-Id': '${id}' } }],
    ['its data', { map: Object.fromEntries(Array.from({ length: 40 }, (_, name) => [`n${name}`, '${id}'])) }],
  ])('the auth pre-request that would be too long by %s is not made, now or later', async (_title, given) => {
    const { ports, attempt, outcome } = await setUpAttempt({
      hook: { auth: { ...auth, headers: {}, map: {}, ...given }, retries: 8 },
      event: { fields: { id: 'x'.repeat(9_000) } },
    })

    await attempt()

    expect(ports.hookClient.sent).toEqual([])
    expect(await outcome()).toMatchObject({ state: 'failed', attempts: [{ reason: 'bad_template' }] })
  })

  it('no auth pre-request is made if it is not enabled', async () => {
    const { ports } = await withReply({ auth: { ...auth, enabled: false } }, loginReply)

    expect(ports.hookClient.sent).toHaveLength(1)
    expect(ports.hookClient.sent[0]?.url).not.toContain(auth.url)
  })
})
