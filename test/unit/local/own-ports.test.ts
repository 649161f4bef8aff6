import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { guardedHookClient } from '../../../adapters/http/guarded-hook-client.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { ownPorts } from '../../../local/platform/own-ports.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'

test('the ports that are closed to hooks are those of event sockets and of stores on this machine', () => {
  const urls = ['http://127.0.0.1:4000', 'https://localhost', 'http://[::1]:4001/', 'https://store.example.com:4002']

  expect(ownPorts([{ port: 8321 }, { port: 4000 }], urls)).toBe('8321,4000,443,4001')
})

test('a hook reaches a receiver on this machine, and no port of the platform itself', async () => {
  let requests = 0
  const server = createServer((_request, response) => {
    requests += 1
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sendWith = (closed: string) => {
    const env = { HOOK_ALLOWED_NETWORKS: '127.0.0.0/8', OWN_PORTS: closed }
    const client = guardedHookClient({ env, clock: movableClock(), random: systemRandomness })
    return client.send({ method: 'POST', url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' })
  }

  const answers = [await sendWith(`1,${port}`), await sendWith('1')]

  expect(answers).toMatchObject([
    { outcome: 'failed', reason: 'blocked address' },
    { outcome: 'answered', status: 200 },
  ])
  expect(requests).toBe(1)
  server.closeAllConnections()
  server.close()
})
