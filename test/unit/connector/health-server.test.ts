import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { ConnectorHealth } from '../../../connector/health/connector-health.ts'
import { type HealthServer, startHealthServer } from '../../../connector/health/health-server.ts'

let server: HealthServer
afterEach(() => server.close())

const health: ConnectorHealth = {
  status: 'OK',
  connectorId: 'connector-1',
  version: '1.2.3',
  startedAt: 0,
  engines: [],
  lagMs: 0,
  counters: {},
}

async function ask(path: string, method = 'GET', status: ConnectorHealth['status'] = 'OK') {
  server = await startHealthServer(0, () => ({ ...health, status }))
  return fetch(`http://127.0.0.1:${server.port}${path}`, { method })
}

test('the health server answers 200 with the health while all is well', async () => {
  const response = await ask('/health')

  expect([response.status, await response.json()]).toEqual([200, health])
})

test('the health server answers 503 while a link is down', async () => {
  const response = await ask('/health', 'GET', 'error')

  expect([response.status, await response.json()]).toEqual([503, { ...health, status: 'error' }])
})

test('the health server answers no other path and no other method', async () => {
  expect((await ask('/')).status).toBe(404)
  await server.close()
  const response = await ask('/health', 'POST')

  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('the health server listens on 127.0.0.1 only', async () => {
  await ask('/health')

  const byAnother = once(connect({ host: '::1', port: server.port }), 'connect')

  await expect(byAnother).rejects.toMatchObject({ code: expect.stringMatching(/^(ECONNREFUSED|EADDRNOTAVAIL)$/) })
})
