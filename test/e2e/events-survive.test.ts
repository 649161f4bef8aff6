import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startFauxqs } from 'fauxqs'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { environment } from '../../contracts/environment.ts'
import { createHooks } from '../../contracts/routes/hooks.ts'
import type { Receiver } from '../../local/demo/receiver.ts'
import { type CloudGate, startCloudGate } from '../support/cloud-gate.ts'
import type { EngineSocket } from '../support/engine-socket.ts'
import { opened } from '../support/opened.ts'
import { type TestPlatform, aPlatform } from '../support/platform.ts'

const domain = 'spool.example.com'

/** A platform whose event queue takes nothing while a test says so; its other queues go on. */
const rig = opened(async () => {
  const sqs = await startFauxqs({ port: 0, logger: false, defaultRegion: 'us-east-1' })
  const gate = await startCloudGate({ AmazonSQS: sqs.address })
  setQueue(gate, 'there')
  const platform = await aPlatform({ SQS_ENDPOINT: gate.env[environment.sqsEndpoint] ?? '' })
  return {
    gate,
    platform,
    close: async () => {
      // What polls the queues would wait to the end of its poll.
      await gate.close()
      await platform.close()
      await sqs.stop()
    },
  }
})

/** What the engine tells while the queue is away, in each test another. */
const subclasses = ['engine::killed', 'engine::ended'] as const

let receiver: Receiver
let socket: EngineSocket
beforeAll(async () => {
  const { platform } = rig()
  const admin = await platform.tenant(domain)
  receiver = await platform.receiver()
  socket = await platform.engine()
  for (const subclass of subclasses) {
    const event = `CUSTOM->${subclass}`
    await admin.call(createHooks, {
      query: { domain },
      body: { event, action: { type: 'web', method: 'POST', url: receiver.url } },
    })
  }
  await platform.hooksInForce(admin, domain)
})
afterAll(() => receiver.close())

/** Passes everything on, but makes the event queue refuse what is sent while it is away. */
function setQueue(gate: CloudGate, state: 'there' | 'away'): void {
  gate.answer = ({ action, input }, forward) => {
    const isEvents = action === 'SendMessageBatch' && String(input['QueueUrl']).includes('Event')
    return isEvents && state === 'away' ? 'lost' : forward().catch(() => 'lost')
  }
}

/** Every file of the connector's spool. */
function spoolFiles({ dataDir }: TestPlatform): string[] {
  const folder = join(dataDir, 'connector', 'spool')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  )
}

function spooled(platform: TestPlatform): string {
  try {
    return spoolFiles(platform)
      .map((path) => readFileSync(path, 'utf8'))
      .join('')
  } catch {
    return ''
  }
}

/** Resolves when something is so; the test's own time limit ends the wait. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

/** Ends the connector while an event waits for the queue; gives the queue back when the next connector runs. */
async function endWhileQueueIsAway(
  subclass: (typeof subclasses)[number],
  end: (pid: number) => Promise<void>,
): Promise<void> {
  const { platform, gate } = rig()
  const { connector } = platform.platform
  setQueue(gate, 'away')
  // A connector that has just started may not hear the engine yet.
  const resend = setInterval(() => socket.sendEvent(subclass, domain), 50)
  await until(() => spooled(platform).includes(`"CUSTOM->${subclass}"`)).finally(() => clearInterval(resend))
  const ended = connector.pid ?? 0

  await end(ended)
  await until(() => connector.pid !== undefined && connector.pid !== ended)
  setQueue(gate, 'there')
}

/** The event comes, and nothing stays on disk. */
async function expectEvent(subclass: (typeof subclasses)[number]): Promise<void> {
  await receiver.next(`CUSTOM->${subclass}`)
  await until(() => spoolFiles(rig().platform).length === 0)
}

it('F30 events of a killed connector reach their hooks from the next one, when the queue is back', async () => {
  await endWhileQueueIsAway('engine::killed', async (pid) => void process.kill(pid, 'SIGKILL'))

  await expectEvent('engine::killed')
})

it('F29 a connector that is told twice to end does so at once, and its events are not lost', async () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {})
  const log = join(rig().platform.dataDir, 'logs', 'connector.log')
  const stops = () => readFileSync(log, 'utf8').split('the connector stops').length
  const before = stops()

  await endWhileQueueIsAway('engine::ended', async (pid) => {
    process.kill(pid, 'SIGTERM')
    await until(() => stops() > before)
    process.kill(pid, 'SIGTERM')
  })

  expect(told).toHaveBeenCalledWith(expect.stringContaining('the connector ended (code 1)'))
  told.mockRestore()
  await expectEvent('engine::ended')
})

it('F29 a connector that is told to end, and can hand over what it has, ends in order', async () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { connector } = rig().platform.platform
  const { pid = 0 } = connector

  process.kill(pid, 'SIGTERM')
  await until(() => connector.pid !== pid)

  expect(told).toHaveBeenCalledWith(expect.stringContaining('the connector ended (code 0)'))
  told.mockRestore()
})
