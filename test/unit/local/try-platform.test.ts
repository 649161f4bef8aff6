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
