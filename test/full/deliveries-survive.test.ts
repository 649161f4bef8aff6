import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { aPlatform } from '../support/platform/platform.ts'

const domain = 'survive.example.com'
let receiver: Server
let arrivals: string[]
let answering: boolean

beforeEach(async () => {
  arrivals = []
  answering = false
  receiver = createServer((request, response) => {
    arrivals.push(String(request.headers['webhook-id']))
    request.resume()
    if (answering) response.writeHead(204).end()
    receiver.emit('arrival')
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
})

afterEach(async () => {
  receiver.closeAllConnections()
  await new Promise((resolve) => receiver.close(resolve))
})

function address(): string {
  const at = receiver.address()
  return typeof at === 'object' && at !== null ? `http://127.0.0.1:${at.port}/events` : ''
}

it('a delivery that was under way when the platform ended is made by the next one, under the same id', async () => {
  const first = await aPlatform()
  const admin = await first.tenant(domain)
  await admin.call('createHooks', {
    query: { domain },
    body: { event: 'CHANNEL_ANSWER', action: { type: 'web', method: 'POST', url: address() } },
  })
  await first.hooksInForce(admin, domain)
  const attempted = once(receiver, 'arrival')
  await admin.call('originateCall', { body: { callerId: '1001', calledId: '9199' } })
  await attempted
  await first.stop()

  answering = true
  const repeated = once(receiver, 'arrival')
  const second = await aPlatform({}, first.dataDir)
  await repeated
  await second.close()

  expect(new Set(arrivals).size).toBe(1)
  expect(arrivals.length).toBeGreaterThan(1)
})
