import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
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

function startConnector(healthPort: number): ChildProcess {
  const child = spawn(process.execPath, [main], {
    env: { ...environment, HEALTH_PORT: String(healthPort) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('a connector that cannot have its health port ends, and says why', async () => {
  const server = createServer().listen(0)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const child = startConnector(typeof address === 'object' && address !== null ? address.port : 0)
  let printed = ''
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()))

  const [code] = await once(child, 'close')

  expect(code).toBe(1)
  expect(printed).toContain('the connector cannot start')
})
