import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { queues, tables } from '../../../contracts/resources.ts'

const main = fileURLToPath(new URL('../../../connector/main.ts', import.meta.url))

/** Everything that the connector reads at its start; nothing is at any of the addresses. */
const environment = {
  ...Object.fromEntries([...Object.values(tables), ...Object.values(queues)].map(({ variable }) => [variable, 'none'])),
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'nobody',
  AWS_SECRET_ACCESS_KEY: 'nothing',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
  ENGINE_URL: 'esl://:ClueCon@127.0.0.1:1',
}

function startConnector(settings: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(process.execPath, [main], {
    env: { ...environment, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('a connector that cannot open its health port exits with the reason', async () => {
  const server = createServer().listen(0)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0

  const { code, printed } = await ended(startConnector({ HEALTH_PORT: String(port) }))

  expect(code).toBe(1)
  expect(printed).toContain('the connector cannot start')
})

test.each([
  ['LOG_LEVEL', 'l0ud', 'must be trace, debug, info, warn or error'],
  ['HEALTH_PORT', '70000', 'must be a whole number from 0 to 65535'],
  ['ENGINE_MODE', 'wrong', 'must be control or observe'],
])('a connector with a wrong %s ends with one line that names it', async (name, value, words) => {
  const { code, printed } = await ended(startConnector({ HEALTH_PORT: '0', [name]: value }))

  expect(code).toBe(1)
  expect(JSON.parse(printed)).toMatchObject({ message: `the connector cannot start: ${name} ${words}` })
  expect(printed).not.toMatch(new RegExp(`${value}|node:internal`))
})

test('a second SIGTERM ends a connector that stops at once', async () => {
  const child = startConnector({ HEALTH_PORT: '0' })
  let printed = ''
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const end = once(child, 'close')
  await vi.waitUntil(() => printed.includes('the connector has started'), { timeout: 20_000 })

  child.kill('SIGTERM')
  await vi.waitUntil(() => printed.includes('the connector stops'), { timeout: 20_000 })
  child.kill('SIGTERM')

  // An orderly end has the code 0.
  expect((await end)[0]).toBe(1)
})

/** How a connector ended that could not start, and what it printed to standard error. */
async function ended(child: ChildProcess): Promise<{ code: unknown; printed: string }> {
  let printed = ''
  child.stdout?.resume()
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const [code] = await once(child, 'close')
  return { code, printed }
}
