import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { listEvents } from '../../contracts/routes/events.ts'
import { createHooks } from '../../contracts/routes/hooks.ts'
import { freePort } from '../support/free-port.ts'
import { type TestPlatform, aPlatform, tenantPassword } from '../support/platform.ts'

const domain = 'backlog.example.com'
const subclass = 'engine::backlog'
/** More than a laptop delivers while a stop waits for its functions. */
const sent = 2000

let dataDir: string
let enginePort: string
let running: TestPlatform | undefined
let receiver: Server
/** Ids of deliveries that came. */
let came: Set<string>
/** Told of each one. */
let news: () => void

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'callplane-backlog-'))
  enginePort = String(await freePort())
  came = new Set()
  news = () => {}
  receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      came.add(String(request.headers['webhook-id']))
      response.writeHead(204).end()
      news()
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
})

afterEach(async () => {
  await running?.stop()
  receiver.closeAllConnections()
  receiver.close()
  rmSync(dataDir, { recursive: true, force: true })
})

async function start(): Promise<TestPlatform> {
  // Gaps are recorded by the name of the engine, which holds its port.
  running = await aPlatform({ ENGINE_PORT: enginePort }, dataDir)
  return running
}

/** Settles when so many different deliveries have come; the test's own time limit ends the wait. */
async function untilCame(count: number): Promise<void> {
  while (came.size < count) await new Promise<void>((resolve) => (news = resolve))
}

it('a platform that is stopped in order with thousands of events waiting delivers each of them, and says that it was stopped', async () => {
  const first = await start()
  const admin = await first.tenant(domain)
  const { port } = receiver.address() as AddressInfo
  await admin.call(createHooks, {
    body: { event: `CUSTOM->${subclass}`, action: { type: 'web', method: 'POST', url: `http://127.0.0.1:${port}/` } },
  })
  await first.hooksInForce(admin, domain)
  const socket = await first.engine()
  for (let index = 0; index < sent; index += 1) socket.sendEvent(subclass, domain)
  // Commands of a socket are done in order: now the engine has told all of its events.
  await socket.api('status')

  await first.stop()
  const second = await start()
  await untilCame(sent)

  const again = await second.logIn(`1000@${domain}`, tenantPassword('1000'))
  const reasons = async () =>
    (await again.call(listEvents, { query: { limit: '1' } })).data.gaps.map(({ reason }) => reason)
  while (!(await reasons()).includes('connector_ended'));
  const log = readFileSync(join(dataDir, 'logs/connector.log'), 'utf8')
  expect(came.size).toBe(sent)
  expect(log).toContain('"reason":"connector-stopped"')
  expect(log).not.toContain('connector-killed')
  expect(await reasons()).not.toContain('events_dropped')
})
