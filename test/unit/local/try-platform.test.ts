import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tryPlatform } from '../../../local/smoke/try-platform.ts'

/** A platform that no engine is linked to, and that refuses every login. */
const server = createServer(({ url }, response) => {
  const [status, code] = url === '/health' ? [503, 'engine_unavailable'] : [401, 'not_authenticated']
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { code, message: code } }))
})
let url = ''

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => void server.close())

const tried = (needsEngine: boolean, said: string[] = []) =>
  tryPlatform({ url, receiver: url, rootPassword: 'x', needsEngine, say: (line) => void said.push(line) })

it('a smoke test of a platform without a linked engine ends at its health', async () => {
  await expect(tried(true)).rejects.toThrow(/^Ask for the health: /)
})

it('a smoke test that does without engines goes on to the login', async () => {
  const said: string[] = []

  await expect(tried(false, said)).rejects.toThrow(/^Log in as root: .*401/)
  expect(said).toEqual([expect.stringMatching(/^ 1\. Ask for the health: \d+ ms$/)])
})

it('a smoke test names the host that does not answer, also without engines', async () => {
  const trial = {
    url: 'http://127.0.0.1:1/',
    receiver: url,
    rootPassword: 'x',
    needsEngine: false,
    say: () => undefined,
  }

  await expect(tryPlatform(trial)).rejects.toThrow('Ask for the health: no answer from 127.0.0.1:1')
})

/** A platform that works until an account is created, which it never answers. */
async function aStuckPlatform(domains: readonly string[], onStuck: () => void) {
  const removed: string[] = []
  const stuck = createServer(({ method, url: path = '' }, response) => {
    const answer = (body: object) => void response.end(JSON.stringify(body))
    if (path.startsWith('/api/v2/accounts')) return onStuck()
    if (path === '/login') return answer({ status: 'OK', token: 't', key: 'k' })
    if (method === 'DELETE') removed.push(path.slice(path.lastIndexOf('/') + 1))
    answer({ status: 'OK', data: Object.fromEntries(domains.map((name) => [name, {}])), order: domains })
  })
  await once(stuck.listen(0, '127.0.0.1'), 'listening')
  const close = () => {
    stuck.closeAllConnections()
    stuck.close()
  }
  return { at: `http://127.0.0.1:${(stuck.address() as AddressInfo).port}/`, removed, [Symbol.dispose]: close }
}

it('a smoke test that takes too long removes its domain, and old ones of its naming before', async () => {
  const ending = new AbortController()
  const left = 'smoke-1700000000000-0a0a0a0a0a0a.example.com'
  const others = [
    `smoke-${Date.now()}-0a0a0a0a0a0a.example.com`,
    'smoke-1700000000000.example.com',
    'smoke.example.com',
  ]
  using platform = await aStuckPlatform([left, ...others], () => ending.abort(new Error('it took too long')))
  const trial = { url: platform.at, receiver: platform.at, rootPassword: 'x', needsEngine: true, say: () => undefined }

  await expect(tryPlatform({ ...trial, signal: ending.signal })).rejects.toThrow('Create an account: it took too long')
  expect(platform.removed).toEqual([left, expect.stringMatching(/^smoke-\d{13}-[0-9a-f]{12}\.example\.com$/)])
  expect(others).not.toContain(platform.removed[1])
})
