import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { dynamoGapStore } from '../../adapters/dynamodb/dynamo-gap-store.ts'
import { dynamoPresenceStore } from '../../adapters/dynamodb/dynamo-presence-store.ts'
import { memoryPorts } from '../../adapters/memory/memory-ports.ts'
import type { Gap } from '../../core/model.ts'
import { readStatus } from '../../core/status/read-status.ts'
import { dynamoConnectorStatusStore } from '../../adapters/dynamodb/dynamo-connector-status-store.ts'
import { type CallStream, callStream } from '../support/call-stream.ts'
import { type ConnectorPair, startConnectorPair } from '../support/connector-pair.ts'
import { type EventConsumer, startEventConsumer } from '../support/event-consumer.ts'
import { type EventLedger, type Told, eventLedger } from '../support/event-ledger.ts'
import { type ReplayedCall, recordedCall } from '../support/recorded-call.ts'
import { seeded } from '../support/seeded.ts'
import { turnKiller } from '../support/turn-killer.ts'

const total = 100_000
const domains = Array.from({ length: 20 }, (_, index) => `tenant${index}.example.com`)
const liveCalls = 300

/** Events that were told and are not delivered yet: what an engine would tell in about a second. */
const window = 1_000

/** One batch in fifty is handled, and its messages are not removed: the queue hands them out again. */
const consumerDies = 0.02

/**
 * How long a machine that has much else to do may take: a dead connector is known by its silence of 30 s, and a minute
 * after a fault all is as before.
 */
const patience = { timeout: 180_000, interval: 250 }

/** Two minutes on two cores that have nothing else to do. */
const longest = 1_200_000

const ends = ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']

const folder = mkdtempSync(join(tmpdir(), 'callplane-pair-'))
const random = seeded(20_260_115)
const ledger: EventLedger = eventLedger()
let pair: ConnectorPair
let consumer: EventConsumer
let stream: CallStream
let delivered = Promise.withResolvers<void>()

beforeAll(async () => {
  const call = recordedCall('events/echo-call.json', 'tenant1.example.com')
  pair = await startConnectorPair({ folder, domains, events: [...new Set(call.names)] })
  const ports = memoryPorts(pair.context)
  await ports.hooks.create(pair.hooks, pair.hooks.length)
  consumer = startEventConsumer({
    env: pair.env,
    // Numbers and deliveries are kept; what the events carry is not, or the test would hold all of it.
    ports: {
      ...ports,
      eventLog: { append: (event, since) => ports.eventLog.append({ ...event, fields: {} }, since) },
      deliveries: { ...ports.deliveries, keepEvent: async () => {} },
      deliveryQueue: { send: async () => [] },
    },
    onDelivery: (event) => {
      ledger.delivered(event)
      delivered.resolve()
    },
    dies: () => random() < consumerDies,
  })
  stream = callStream({ engine: pair.engine, ledger, call, domains, live: liveCalls, random })
  await vi.waitFor(() => expect(pair.engine.listeners).toBe(2), patience)
})

afterAll(async () => {
  await consumer.close()
  await pair.close()
  rmSync(folder, { recursive: true, force: true })
})

/**
 * Lets the engine tell events until `next` says that there is none left, so that no more of them than the window are on
 * their way at a time.
 */
async function tellAll(next: () => boolean): Promise<void> {
  const lost = ledger.missing.length
  for (let count = 1; ; count += 1) {
    while (ledger.waiting - lost >= window) {
      delivered = Promise.withResolvers()
      await Promise.race([delivered.promise, consumer.failed])
    }
    if (!next()) return
    // The sockets want their turn.
    if (count % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** So many events of calls that begin, go on and end; `tick` after each. */
function tell(count: number, tick: () => void = () => {}): Promise<void> {
  let left = count
  return tellAll(() => {
    left -= 1
    if (left < 0) return false
    stream.tell()
    tick()
    return true
  })
}

/** The rest of every call. */
function endAll(): Promise<void> {
  return tellAll(() => stream.endOne())
}

/** Whether a gap is told to have been when an event was. */
function covers({ from, to }: Gap, { at }: Told): boolean {
  return from <= at && at <= to
}

async function allDelivered(): Promise<void> {
  await vi.waitFor(() => expect([ledger.missing, ...ledger.made]).toEqual([[]]), patience)
}

/** Waits until the stores know of calls, whose connectors are going to be killed. */
async function allStored(calls: readonly ReplayedCall[]): Promise<void> {
  const presence = dynamoPresenceStore(pair.context)
  await vi.waitFor(async () => {
    const accounts = await Promise.all(domains.map((domain) => presence.list(domain)))
    const stored = new Set(accounts.flat().flatMap((account) => account.calls))
    expect(calls.filter(({ uuid }) => !stored.has(uuid))).toEqual([])
  }, patience)
}

/** How often each call's ends were delivered, of those where that is not once each. */
function wronglyEnded(calls: readonly ReplayedCall[]): unknown[] {
  return calls
    .map(({ uuid }) => [uuid, ...ends.map((name) => ledger.timesOf(uuid, name))])
    .filter(([, hangup, destroy]) => hangup !== 1 || destroy !== 1)
}

test(
  'F13 of 100 000 events each is delivered once and in the order of its call, whichever connector is killed whenever',
  async () => {
    const killer = turnKiller(pair, random, { within: 2_000, most: 12 })

    await tell(total, () => killer.tick())
    killer.stop()
    await endAll()
    await allDelivered()

    expect(killer.kills).toBeGreaterThanOrEqual(4)
    expect(ledger.size).toBeGreaterThanOrEqual(total)
    expect(ledger.doubled).toEqual([])
    expect(ledger.overtaken).toEqual([])
    expect(consumer.heldOff).toBeGreaterThan(0)
    expect(wronglyEnded(stream.ended)).toEqual([])
  },
  longest,
)

test('all that while one of them listened: no gap is recorded, and none of what they read was given up', async () => {
  expect(await dynamoGapStore(pair.context).list(0)).toEqual([])
})

test('the status tells of both connectors, and of their starts, as they are after all that', async () => {
  const ports = {
    connectorStatus: dynamoConnectorStatusStore(pair.context),
    sessions: { count: async () => ({ users: 0, highest: 0, domains: 0 }) },
  }
  const connected = { status: 'Connected', sid: pair.engine.coreUuid, apiQueue: 0, cmdQueue: 0 }

  await vi.waitFor(async () => {
    const status = await readStatus(ports, Date.now())
    expect(status.wConsole).toMatchObject(connected)
    expect(Number(status.crashCount)).toBe((await pair.reports()).length - 1)
  }, patience)
})

test(
  'what no connector heard, since both were killed, is in a recorded gap, and each call of then has one end',
  async () => {
    const gaps = dynamoGapStore(pair.context)
    await tell(3_000)
    await allDelivered()
    const before = stream.live.filter(({ told, callState }) => told > 1 && callState !== 'HANGUP')
    await allStored(before)

    for (const { pid } of pair.connectors) if (pid !== undefined) process.kill(pid, 'SIGKILL')
    while (pair.engine.listeners > 0) await new Promise((resolve) => setImmediate(resolve))
    for (let count = 0; count < 2_000; count += 1) stream.tell()
    await vi.waitFor(() => expect(pair.engine.listeners).toBe(2), patience)
    await tell(2_000)
    await vi.waitFor(async () => {
      const found = await gaps.list(0)
      expect(ledger.missing.filter((told) => !found.some((gap) => covers(gap, told)))).toEqual([])
    }, patience)
    await endAll()
    await vi.waitFor(() => expect(wronglyEnded(before)).toEqual([]), patience)

    const found = await gaps.list(0)
    expect(ledger.missing.length).toBeGreaterThan(0)
    expect(ledger.doubled).toEqual([])
    expect(ledger.overtaken).toEqual([])
    for (const { uuid } of stream.ended) expect(ledger.timesOf(uuid, 'CHANNEL_DESTROY')).toBeLessThanOrEqual(1)
    for (const gap of found) expect(gap).toMatchObject({ reason: 'connector-killed' })
  },
  longest,
)

test('when both are stopped in order nothing waits on a disk', async () => {
  await Promise.all(pair.connectors.map((connector) => connector.stop()))

  await vi.waitFor(() => expect(pair.queue.waiting('events')).toEqual([]), patience)
  for (const { home } of pair.connectors) expect(readdirSync(join(home, 'spool'))).toEqual([])
})
