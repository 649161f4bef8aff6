import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, it } from 'vitest'
import { startCommand } from '../support/platform/command.ts'
import { aPlatform } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'

const platform = opened(() => aPlatform())
const kept = 'smoke-kept.example.com'

beforeAll(async () => {
  const root = await platform().root()
  await root.call('createDomain', { body: { domain_name: kept, customer_id: 'test' } })
})

function smoke(words: readonly string[], password = platform().platform.kept.rootPassword) {
  return startCommand(process.execPath, ['local/smoke.ts', ...words], {
    cwd: process.cwd(),
    env: { PATH: process.env['PATH'], ROOT_PASSWORD: password },
  }).ended()
}

const smokeDomains = async () => {
  const { data } = await (await platform().root()).call('listDomains')
  return Object.keys(data).filter((name) => name.startsWith('smoke-'))
}

it('npm run smoke tries the running platform as a user would, and removes what it created', async () => {
  const { status, output } = await smoke(['--url', platform().url])

  expect(output).toContain('everything works')
  expect(output).toMatch(/ 8\. Send a test delivery to 127\.0\.0\.1:\d+: \d+ ms/)
  expect(status).toBe(0)
  expect(await smokeDomains()).toEqual([kept])
})

it('npm run smoke fails if a receiver refuses, names the step, and removes what it created', async () => {
  const server = createServer((_request, response) => response.writeHead(500).end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  const { status, output } = await smoke(['--url', platform().url, '--receiver', receiver])
  server.close()

  expect(output).toMatch(/Remove the domain: \d+ ms\nsmoke failed: Send a test delivery to .*: the delivery failed/)
  expect(status).toBe(1)
  expect(await smokeDomains()).toEqual([kept])
})

it('npm run smoke fails with one sentence when the password of root is wrong', async () => {
  const { status, output } = await smoke(['--url', platform().url], 'wrong')

  expect(output).toMatch(/smoke failed: Log in as root: POST \/login was answered 401/)
  expect(status).toBe(1)
})

it.each([
  [['--url', 'http://platform.example.com'], 'must begin with https://'],
  [['--url', 'https://root:planted@platform.example.com'], 'must not contain a credential'],
  [[], '--url must be an address'],
  [['--unknown=planted'], 'there are no other words'],
])('npm run smoke refuses the words %s before it connects', async (words, problem) => {
  const { status, output } = await smoke(words)

  expect(output).toContain(problem)
  expect(output).not.toContain('planted')
  expect(status).toBe(2)
})
