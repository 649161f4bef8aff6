import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { dynamoCommandStore } from '../../adapters/dynamodb/calls/dynamo-command-store.ts'
import { dynamoGapStore } from '../../adapters/dynamodb/events/dynamo-gap-store.ts'
import { dynamoKnownCallStore } from '../../adapters/dynamodb/calls/dynamo-known-call-store.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import { memoryPorts } from '../support/memory/memory-ports.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import type { CommandOutcome } from '../../core/commands/commands.ts'
import type { Gap } from '../../core/events/gap.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { readStatus } from '../../core/status/read-status.ts'
import { dynamoConnectorStatusStore } from '../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { type CallStream, callStream } from '../support/engine/call-stream.ts'
import { type ConnectorPair, startConnectorPair } from '../support/connector/connector-pair.ts'
import { type EventConsumer, startEventConsumer } from '../support/hooks/event-consumer.ts'
import { type EventLedger, type SentEvent, eventLedger } from '../support/invariants/event-ledger.ts'
import { checkAllInvariants } from '../support/invariants/invariants.ts'
import { type ReplayedCall, recordedCall } from '../support/engine/recorded-call.ts'
import { seeded } from '../support/records/seeded.ts'
import { turnKiller } from '../support/connector/turn-killer.ts'
import { aRoot } from '../support/platform/caller.ts'

const total = 100_000
const domains = Array.from({ length: 20 }, (_, index) => `tenant${index}.example.com`)
const liveCalls = 300

/** A tenant with the same hooks that has no calls. */
const quiet = 'quiet.example.com'

/** The most lines that a connector logs from a start to an end: a kill takes every link and every queue with it. */
const linesOfOneProcess = 60

/** The most events that are sent and not yet delivered: about a second of an engine. */
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

/** The ids under which each event of the engine was delivered, by its number, and the domains by its call. */
const deliveredAs = { ids: new Map<string, Set<string>>(), domains: new Map<string, Set<string>>() }

/** The outcomes of the lists that were asked for while connectors were killed. */
const lists: { readonly id: string; readonly outcome: CommandOutcome | undefined }[] = []

beforeAll(async () => {
  const call = recordedCall('events/echo-call.json', 'tenant1.example.com')
  pair = await startConnectorPair({ folder, domains: [...domains, quiet], events: [...new Set(call.names)] })
  const ports = memoryPorts(pair.context)
  await ports.hooks.create(pair.hooks, pair.hooks.length)
  consumer = startEventConsumer({
    env: pair.env,
    // Numbers and deliveries are kept; what the events carry is not, or the test would hold all of it.
    ports: {
      ...ports,
      eventLogWriter: {
        ...ports.eventLogWriter,
        write: (taken, entries) =>
          ports.eventLogWriter.write(
            taken,
            entries.map((entry) => ({ ...entry, isWanted: false, event: { ...entry.event, fields: {} } })),
          ),
      },
      deliveries: { ...ports.deliveries, keepEvent: async () => {} },
      deliveryQueue: { send: async () => [] },
    },
    onDelivery: (event) => {
      ledger.delivered(event)
      noteDelivery(event)
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

function noteDelivery({ id, uuid, domain, fields }: PlatformEvent): void {
  const add = (to: Map<string, Set<string>>, key: string, value: string) =>
    void to.set(key, (to.get(key) ?? new Set()).add(value))
  const { 'Event-Sequence': sequence } = fields
  if (sequence !== undefined && fields['Synthetic'] !== 'true') add(deliveredAs.ids, sequence, id)
  if (uuid !== '') add(deliveredAs.domains, uuid, domain)
}

/** Asks for the calls of a tenant, as somebody does whom dying connectors are no concern of. */
async function listCalls(domain: string): Promise<CommandOutcome | undefined> {
  const id = randomUUID()
  const command = { kind: 'list-channels' } as const
  const outcome = await sqsCallEngine(pair.context).run(command, { domain, presenceId: null }, 20_000, id)
  lists.push({ id, outcome })
  return outcome
}

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

/** Returns true if a gap covers the time of an event. */
function covers({ from, to }: Gap, { at }: SentEvent): boolean {
  return from <= at && at <= to
}

async function allDelivered(): Promise<void> {
  await vi.waitFor(() => expect([ledger.missing, ...ledger.made]).toEqual([[]]), patience)
}

/** Waits until the stores know of calls, whose connectors are going to be killed. */
async function allStored(calls: readonly ReplayedCall[]): Promise<void> {
  const knownCalls = dynamoKnownCallStore(pair.context)
  await vi.waitFor(async () => {
    const legs = await Promise.all(domains.map((domain) => knownCalls.listOf(domain)))
    const stored = new Set(legs.flat().map(({ uuid }) => uuid))
    expect(calls.filter(({ uuid }) => !stored.has(uuid))).toEqual([])
  }, patience)
}

/** How often each call's ends were delivered, of those where that is not once each. */
function wronglyEnded(calls: readonly ReplayedCall[]): unknown[] {
  return calls
    .map(({ uuid }) => [uuid, ...ends.map((name) => ledger.timesOf(uuid, name))])
    .filter(([, hangup, destroy]) => hangup !== 1 || destroy !== 1)
}

async function hooksOf(domain: string): Promise<(string | undefined)[]> {
  const ids = pair.hooks.filter((hook) => hook.domain === domain).map(({ id }) => id)
  const found = await Promise.all(ids.map((id) => dynamoHookStore(pair.context).read(domain, id)))
  return found.map((hook) => hook && JSON.stringify(hook))
}

/** Checks every invariant over the events that were sent and delivered while connectors were killed. */
async function check(given: {
  readonly hooks: readonly (string | undefined)[]
  readonly kills: number
  readonly backAfterMs: number
}): Promise<void> {
  const { hooks, kills, backAfterMs } = given
  const owners = new Map([...stream.ended, ...stream.live].map(({ uuid, domain }) => [uuid, domain]))
  const logs = pair.connectors.map(({ log }) => readFileSync(log, 'utf8'))
  const reports = await pair.reports()
  const own = await Promise.all(domains.map((domain) => hooksOf(domain)))
  checkAllInvariants({
    acknowledged: [
      ...own.flat().map((hook) => ({ what: 'a hook', isFound: hook !== undefined })),
      ...(await Promise.all(
        lists.map(async ({ id }) => ({
          what: `command ${id}`,
          isFound: (await dynamoCommandStore(pair.context).read(id)) !== undefined,
        })),
      )),
    ],
    events: {
      wanted: [
        ...Array.from(deliveredAs.ids.values(), (ids) => ({ id: [...ids][0] ?? '', publishedAs: [...ids] })),
        ...ledger.missing.map(({ uuid, name }) => ({ id: `${uuid} ${name}`, publishedAs: [] })),
      ],
      recordedAsLost: 0,
    },
    // A list has no effect that could be doubled.
    commands: lists.map(({ id, outcome }) => ({ id, outcome, effects: outcome?.state === 'done' ? 1 : 0 })),
    others: {
      before: { hooks, delivered: [], mixed: [] },
      after: {
        hooks: await hooksOf(quiet),
        delivered: [...deliveredAs.domains].filter(([, of]) => of.has(quiet)),
        mixed: [...deliveredAs.domains].filter(([uuid, of]) => of.size !== 1 || !of.has(owners.get(uuid) ?? '')),
      },
    },
    secrets: { values: ['ClueCon'], seen: [...logs, ...reports, ...lists] },
    bounds: [
      { of: 'kills', value: kills, limit: 12 },
      { of: 'connectors that listen', value: pair.engine.listeners, limit: 2 },
      ...logs.map((text) => ({
        of: 'lines in the log of a connector',
        value: text.split('\n').length,
        limit: linesOfOneProcess * (kills + 1) + lists.length,
      })),
    ],
    backAfterMs,
  })
}

test(
  'F13 each of 100 000 events is delivered once and in the order of its call, whichever connector is killed and whenever',
  async () => {
    const killer = turnKiller(pair, random, { within: 2_000, most: 12 })
    const hooks = await hooksOf(quiet)
    let sent = 0
    const asked: Promise<unknown>[] = []

    await tell(total, () => {
      killer.tick()
      sent += 1
      if (sent % 5_000 === 0) asked.push(listCalls(domains[sent % 20] ?? ''))
    })
    killer.stop()
    const overAt = Date.now()
    await endAll()
    await allDelivered()
    await Promise.all(asked)
    await vi.waitFor(async () => expect((await listCalls(quiet))?.state).toBe('done'), patience)
    const backAfterMs = Date.now() - overAt

    expect(killer.kills).toBeGreaterThanOrEqual(4)
    expect(ledger.size).toBeGreaterThanOrEqual(total)
    expect(ledger.doubled).toEqual([])
    expect(ledger.overtaken).toEqual([])
    expect(consumer.heldOff).toBeGreaterThan(0)
    expect(wronglyEnded(stream.ended)).toEqual([])
    expect(deliveredAs.ids.size).toBe(ledger.size)
    await check({ hooks, kills: killer.kills, backAfterMs })
  },
  longest,
)

test('no gap is recorded and no read event is lost while at least one of two connectors is connected', async () => {
  expect(await dynamoGapStore(pair.context).list(0)).toEqual([])
})

test('the status shows both connectors and their starts correctly after all kills', async () => {
  const ports = {
    connectorStatus: dynamoConnectorStatusStore(pair.context),
    sessions: { count: async () => ({ users: 0, highest: 0, domains: 0 }) },
  }
  const connected = { status: 'Connected', sid: pair.engine.coreUuid, apiQueue: 0, cmdQueue: 0 }

  await vi.waitFor(async () => {
    const status = await readStatus(ports, aRoot(), Date.now())
    expect(status.wConsole).toMatchObject(connected)
    expect(Number(status.crashCount)).toBe((await pair.reports()).length - 1)
  }, patience)
})

test(
  'events missed while both connectors were dead are in a recorded gap, and each call of that time has one end',
  async () => {
    const gaps = dynamoGapStore(pair.context)
    await tell(3_000)
    await allDelivered()
    const before = stream.live.filter(({ sent, callState }) => sent > 1 && callState !== 'HANGUP')
    await allStored(before)

    for (const { pid } of pair.connectors) if (pid !== undefined) process.kill(pid, 'SIGKILL')
    while (pair.engine.listeners > 0) await new Promise((resolve) => setImmediate(resolve))
    for (let count = 0; count < 2_000; count += 1) stream.tell()
    await vi.waitFor(() => expect(pair.engine.listeners).toBe(2), patience)
    await tell(2_000)
    await vi.waitFor(async () => {
      const found = await gaps.list(0)
      expect(ledger.missing.filter((event) => !found.some((gap) => covers(gap, event)))).toEqual([])
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

test('no event waits on disk after both connectors were stopped in order', async () => {
  await Promise.all(pair.connectors.map((connector) => connector.stop()))

  await vi.waitFor(() => expect(pair.queue.waiting('events')).toEqual([]), patience)
  for (const { home } of pair.connectors) expect(readdirSync(join(home, 'spool'))).toEqual([])
})
