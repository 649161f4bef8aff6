import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AdapterContext } from '../../adapters/context.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import { systemClock } from '../../adapters/system/system-time.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { sharedEnvironment } from '../../local/platform/local-environment.ts'
import { platformRole } from '../../local/platform/platform-context.ts'
import type { Platform } from '../../local/platform/start-platform.ts'
import { readSettings } from '../../local/settings/settings.ts'
import { freePort } from '../../packages/laptop/processes/free-port.ts'
import { type TestPlatform, aPlatform } from '../support/platform/platform.ts'
import { anEvent } from '../support/records/records.ts'

const domain = 'backlog.example.com'
const subclass = 'engine::backlog'
/** More than functions work off in the time that a stop gives them. */
const sent = 2000
const name = `CUSTOM->${subclass}`

let dataDir: string
let enginePort: string
let running: TestPlatform | undefined
let receiver: Server
/** Ids of deliveries that came. */
let came: Set<string>
/** Called for each one. */
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

/** The dependencies of an adapter of the platform itself. */
function contextOf({ assembly, gate, storesUrl }: Platform): AdapterContext {
  const resources: Record<string, string> = Object.assign({}, ...assembly.functions.map((each) => each.environment))
  const shared = sharedEnvironment(readSettings({}), storesUrl, gate.issue(platformRole.arn))
  return { env: { ...resources, ...shared }, clock: systemClock, random: systemRandomness }
}

/** An event of one of twenty calls, as the connector hands it over. */
function waitingEvent(_: unknown, index: number): PlatformEvent {
  const uuid = `00000000-0000-4000-8000-0000000000${10 + (index % 20)}`
  return anEvent({ id: `core:${index}`, name, domain, uuid, fields: { 'Event-Domain': domain } })
}

/** Returns the connector's log once something stands in it; the test's own time limit ends the wait. */
async function untilLogged(pattern: RegExp): Promise<string> {
  for (;;) {
    const log = readFileSync(join(dataDir, 'logs/connector.log'), 'utf8')
    if (pattern.test(log)) return log
    await new Promise((resolve) => setImmediate(resolve))
  }
}

it('a platform that is stopped in order with thousands of waiting events delivers each of them, and reports an orderly stop', async () => {
  const first = await start()
  const admin = await first.tenant(domain)
  const { port } = receiver.address() as AddressInfo
  await admin.call('createHooks', {
    body: { event: name, action: { type: 'web', method: 'POST', url: `http://127.0.0.1:${port}/` } },
  })
  const notTaken = await sqsEventSink(contextOf(first.platform)).publish(Array.from({ length: sent }, waitingEvent))

  await first.stop()
  await start()
  await untilCame(sent)
  const log = await untilLogged(/"reason":"connector-\w+"/)

  expect([notTaken, came.size]).toEqual([[], sent])
  expect(log).toContain('"reason":"connector-stopped"')
  expect(log).not.toMatch(/"reason":"(connector-killed|dropped|spool-lost)"/)
})
