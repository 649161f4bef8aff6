import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFauxqs } from 'fauxqs'
import { type MockInstance, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { environment } from '../../contracts/environment.ts'
import type { Client } from '../../client/index.ts'
import type { ReceivedRequest, Receiver } from '../../local/demo/receiver.ts'
import { type CloudGate, startCloudGate } from '../support/stores/cloud-gate.ts'
import type { EngineSocket } from '../support/engine/engine-socket.ts'
import { opened } from '../support/processes/opened.ts'
import {
  type OutageTenant,
  type SpooledEvent,
  checkOutage,
  spoolFiles,
  spooledEvents,
} from '../support/invariants/outage-invariants.ts'
import { aPlatform } from '../support/platform/platform.ts'

const [domain, neighbour] = ['spool.example.com', 'spool.example.com.au']

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
      // A poller of the queues would wait to the end of its poll.
      await gate.close()
      await platform.close()
      await sqs.stop()
    },
  }
})

let socket: EngineSocket
let processes = 1
const clients = new Map<string, Client>()
beforeAll(async () => {
  const { platform } = rig()
  for (const name of [domain, neighbour]) clients.set(name, await platform.tenant(name))
  socket = await platform.engine()
})

afterEach(async () => {
  setQueue(rig().gate, 'there')
  vi.restoreAllMocks()
  await socket.api('hupall')
})

/** Passes everything on, but makes the event queue refuse what is sent while it is away. */
function setQueue(gate: CloudGate, state: 'there' | 'away'): void {
  gate.answer = ({ action, input }, forward) => {
    const isEvents = action === 'SendMessageBatch' && String(input['QueueUrl']).includes('Event')
    return isEvents && state === 'away' ? 'lost' : forward().catch(() => 'lost')
  }
}

/** Resolves when something is so; the test's own time limit ends the wait. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

/** Resolves when the next connector has its links to the engine, so that calls can be listed. */
async function untilCallsAreListed(client: Client): Promise<void> {
  const isListed = () =>
    client.call('listChannels').then(
      () => true,
      () => false,
    )
  while (!(await isListed()));
}

const clientOf = (name: string) => clients.get(name) ?? expect.fail(`no client of ${name}`)

/** A hook of a domain on an event, and what receives it. */
async function aHook(name: string, event: string) {
  const receiver = await rig().platform.receiver()
  const { insertedIds, secrets } = (
    await clientOf(name).call('createHooks', {
      query: { domain: name },
      body: { event, action: { type: 'web', method: 'POST', url: receiver.url } },
    })
  ).data
  const [hook = ''] = insertedIds
  return { hook, secret: secrets[hook] ?? '', receiver, domain: name, client: clientOf(name) }
}

/** The next request of an event; a connector that starts on a busy machine takes longer than a receiver waits. */
const whenItComes = (receiver: Receiver, name: string): Promise<ReceivedRequest> =>
  receiver.next(name).catch(() => whenItComes(receiver, name))

/** A tenant after as many requests as there are events of its own in a list. */
async function received(
  { receiver, ...tenant }: Awaited<ReturnType<typeof aHook>>,
  events: readonly SpooledEvent[],
): Promise<OutageTenant> {
  const all: ReceivedRequest[] = []
  for (const { name } of events.filter((event) => event.domain === tenant.domain))
    all.push(await whenItComes(receiver, name))
  return { ...tenant, received: all }
}

/**
 * Ends the connector while events of two tenants wait for the queue and a call is up; gives the queue back when the
 * next connector runs, and checks everything once all has come that waited.
 */
async function survive(subclass: string, end: (pid: number) => Promise<void>): Promise<void> {
  const { platform, gate } = rig()
  const { connector } = platform.platform
  const event = `CUSTOM->${subclass}`
  const hooks = [await aHook(domain, event), await aHook(neighbour, event)] as const
  await Promise.all([domain, neighbour].map((name) => platform.hooksInForce(clientOf(name), name)))
  const { info } = await clientOf(domain).call('originateCall', { body: { callerId: '1001', calledId: '9196' } })
  setQueue(gate, 'away')
  for (const name of [domain, neighbour]) socket.sendEvent(subclass, name)
  await until(() => spooledEvents(platform).filter(({ name }) => name === event).length === 2)
  const meanwhile = await aHook(domain, 'CUSTOM->engine::meanwhile')
  const waiting = spooledEvents(platform).filter(({ name }) => name === event)
  const ended = connector.pid ?? 0

  await end(ended)
  await until(() => connector.pid !== undefined && connector.pid !== ended)
  processes += 1
  setQueue(gate, 'there')
  const overAt = Date.now()
  const tenant = await received(hooks[0], waiting)
  const other = await received(hooks[1], waiting)
  await until(() => spoolFiles(platform.dataDir).length === 0)
  await untilCallsAreListed(clientOf(domain))

  await checkOutage({
    platform,
    gate,
    event,
    tenant,
    neighbour: other,
    waiting,
    hookMadeMeanwhile: meanwhile.hook,
    call: info.replace('+OK ', '').trim(),
    overAt,
    processes,
  })
}

/** Whether the platform has said that its connector ended. */
const hasEnded = (logged: MockInstance<typeof console.error>) => () =>
  logged.mock.calls.some(([text]) => String(text).includes('the connector ended'))

it('F30 events of a killed connector reach their hooks from the next one, when the queue is back', async () => {
  await survive('engine::killed', async (pid) => void process.kill(pid, 'SIGKILL'))
})

it('F29 a connector that gets two stop signals exits at once, and its events are not lost', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const log = join(rig().platform.dataDir, 'logs', 'connector.log')
  const stops = () => readFileSync(log, 'utf8').split('the connector stops').length
  const before = stops()

  await survive('engine::ended', async (pid) => {
    process.kill(pid, 'SIGTERM')
    await until(() => stops() > before)
    process.kill(pid, 'SIGTERM')
    await until(hasEnded(logged))
    // With an order to stop alone it would hand over for 20 s, and end with 0.
    expect(logged).toHaveBeenCalledWith(expect.stringContaining('the connector ended (code 1)'))
  })
})

it('F29 a connector that is stopped and can hand over its events exits in order', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { gate } = rig()

  await survive('engine::stopped', async (pid) => {
    process.kill(pid, 'SIGTERM')
    setQueue(gate, 'there')
    await until(hasEnded(logged))
    expect(logged).toHaveBeenCalledWith(expect.stringContaining('the connector ended (code 0)'))
  })
})
