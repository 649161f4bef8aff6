import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import type { EngineShare } from '../../../contracts/settings/connector.ts'
import { relayedEngines } from '../../../connector/assembly/engine-share.ts'
import { callsOf } from '../../support/connector/calls-of.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { type AnsweringEngine, jsonRows, startAnsweringEngine } from '../../support/engine/answering-engine.ts'
import { memoryEventSink } from '../../support/memory/memory-event-sink.ts'
import { type RunningConnector, aRunningConnector } from '../../support/connector/running-connector.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aDomain, aHook } from '../../support/records/records.ts'

const domain = 'a.example.com'
const wanted = ['CHANNEL_CREATE', 'CUSTOM->svc::account_status', 'CUSTOM->svc::engine_connected']

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const part of opened.splice(0).toReversed()) await part.close()
})

/** Two connectors, each of which relays one of two engines. They share stores and time, and each has a queue of its own to look into. */
async function twoShares() {
  const engines = [await startAnsweringEngine(), await startAnsweringEngine()] as const
  opened.push(...engines)
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  await ports.domains.create(aDomain({ name: domain }))
  await ports.hooks.create(
    wanted.map((event) => aHook({ event, domain, filter: {} })),
    wanted.length,
  )
  const addresses = engines.map(({ port }) => ({ host: '127.0.0.1', port, password: 'ClueCon' }))
  const start = async (part: number, connectorId = `connector-${part}`) => {
    const own = {
      ...ports,
      events: memoryEventSink(),
      cdrQueue: memoryPorts({ ...time, random: systemRandomness }).cdrQueue,
    }
    const running = await aRunningConnector(addresses, {
      time,
      domains: [],
      ports: own,
      connectorId,
      share: { part, of: 2 },
    })
    opened.push({ close: () => running.stop() })
    await running.until(() => running.connector.health().status === 'OK')
    return { ...running, queued: () => own.events.published.map(({ id, name, uuid }) => ({ id, name, uuid })) }
  }
  return { time, ports, engines, start, shares: [await start(1), await start(2)] as const }
}

/** The engine says this of a channel of the account 1000. */
function says(engine: AnsweringEngine, name: string, uuid: string, more: Readonly<Record<string, string>> = {}) {
  engine.emit({
    'Event-Name': name,
    'Unique-ID': uuid,
    'Caller-Context': domain,
    'Channel-Presence-ID': `1000@${domain}`,
    'Channel-Call-State': name === 'CHANNEL_CREATE' ? 'ACTIVE' : 'HANGUP',
    variable_user_name: '1000',
    variable_domain_name: domain,
    ...more,
  })
}

const named = ({ queued }: { queued: () => readonly { name: string }[] }, name: string) =>
  queued().filter((event) => event.name === name)

const knows = ({ connector }: Pick<RunningConnector, 'connector'>, channels: number) =>
  connector.health().counters['channels'] === channels

test('an engine that is added at the end of the list leaves the others with the connector that relays them', () => {
  const engine = (host: string) => ({ host, port: 8021, password: 'ClueCon' })
  const hosts = ['fs1', 'fs2', 'fs3', 'fs4']
  const relayed = (count: number, share?: EngineShare) =>
    hosts.filter((host) => relayedEngines(hosts.slice(0, count).map(engine), share)(`${host}:8021`))

  expect(relayed(3, { part: 1, of: 2 })).toEqual(['fs1', 'fs3'])
  expect(relayed(3, { part: 2, of: 2 })).toEqual(['fs2'])
  expect(relayed(4, { part: 1, of: 2 })).toEqual(['fs1', 'fs3'])
  expect(relayed(3)).toEqual(['fs1', 'fs2', 'fs3'])
})

test('each event of an engine is queued by the connector that relays the engine, and by no other', async () => {
  const { engines, shares } = await twoShares()
  const uuids = engines.map(() => randomUUID())

  engines.forEach((engine, index) => says(engine, 'CHANNEL_CREATE', uuids[index] ?? ''))

  for (const share of shares) await share.until(() => knows(share, 2) && named(share, 'CHANNEL_CREATE').length > 0)
  expect(shares.map((share) => named(share, 'CHANNEL_CREATE'))).toMatchObject([
    [{ uuid: uuids[0] }],
    [{ uuid: uuids[1] }],
  ])
  expect(shares.map((share) => named(share, 'CUSTOM->svc::engine_connected').length)).toEqual([1, 1])
})

test('an account with calls at engines of two connectors is free when the last of them has ended', async () => {
  const { engines, shares, ports, time } = await twoShares()
  const [first, second] = engines
  const [one, other] = [randomUUID(), randomUUID()]
  const stored = () => callsOf(ports, domain, '1000')
  const calls =
    (...expected: string[]) =>
    async () =>
      (await stored()).join() === expected.toSorted().join()

  says(first, 'CHANNEL_CREATE', one)
  await shares[0].until(calls(one))
  says(second, 'CHANNEL_CREATE', other)
  await shares[0].until(calls(one, other))
  says(first, 'CHANNEL_HANGUP_COMPLETE', one)
  await shares[0].until(calls(other))
  says(second, 'CHANNEL_HANGUP_COMPLETE', other)
  await shares[0].until(calls())

  await time.advance(5_000)
  expect(await stored()).toEqual([])
})

test('a command for a channel reaches its engine through the connector of another part', async () => {
  const { engines, shares } = await twoShares()
  const uuid = randomUUID()
  const row = { uuid, context: domain, created_epoch: '1795217445', presence_id: `1000@${domain}` }
  engines[1].answer = (command) => jsonRows(command === 'show channels as json' ? [row] : [])
  says(engines[1], 'CHANNEL_CREATE', uuid)
  await shares[0].until(() => knows(shares[0], 1))

  const message = await shares[0].post({ kind: 'hold', uuid })

  await shares[0].until(() => engines[1].jobs.length === 1)
  expect(engines[1].jobs).toEqual([{ id: message.id, line: `uuid_hold ${uuid}` }])
})

test('the gap of a lost link is recorded by the connector that relays its engine alone', async () => {
  const { engines, shares, ports, time } = await twoShares()

  engines[1].cutEvents()
  await shares[1].until(() => shares[1].connector.health().status !== 'OK')
  for (const share of shares) await share.until(() => share.connector.health().status === 'OK')
  await time.advance(30_000)

  const gaps = await ports.gaps.list(0)
  expect(gaps.map(({ engine, recordedBy }) => [engine, recordedBy])).toEqual([
    [`127.0.0.1:${engines[1].port}`, 'connector-2'],
  ])
})

test('while no connector relays an engine its events count as missed, although those of another part hear it', async () => {
  const { engines, shares, ports, time, start } = await twoShares()
  const [first, second] = shares

  await second.stop()
  await time.advance(60_000)
  await start(2, 'connector-3')
  await time.advance(60_000)

  await first.until(async () => (await ports.gaps.list(0)).length > 0)
  const gaps = await ports.gaps.list(0)
  expect(gaps.map(({ engine, connectorId, reason }) => [engine, connectorId, reason])).toEqual([
    [`127.0.0.1:${engines[1].port}`, 'connector-2', 'connector-stopped'],
  ])
})

test('a recording at an engine that no connector relays is noted by a connector of another part', async () => {
  const { engines, shares, ports } = await twoShares()
  const [first, second] = shares
  const uuid = randomUUID()
  await second.stop()

  says(engines[1], 'CHANNEL_CREATE', uuid)
  says(engines[1], 'RECORD_START', uuid, { 'Record-File-Path': `/recordings/${uuid}.wav` })

  await first.until(async () => (await ports.recordings.list(domain, uuid)).length > 0)
  expect(named(first, 'CHANNEL_CREATE')).toEqual([])
})

test('a call that an engine of another part recovers is stored as one of that engine by its own connector alone', async () => {
  const { engines, shares, ports, time } = await twoShares()
  const [from, to] = engines.map(({ port }) => `127.0.0.1:${port}`)
  const uuid = randomUUID()
  const put = ports.knownCalls.put.bind(ports.knownCalls)
  const written: string[] = []
  ports.knownCalls.put = async (call) => {
    written.push(call.engine)
    await put(call)
  }
  says(engines[0], 'CHANNEL_CREATE', uuid)
  await shares[0].until(() => written.length > 0)

  says(engines[0], 'CHANNEL_DESTROY', uuid)
  for (const share of shares) await share.until(() => knows(share, 0))
  says(engines[1], 'CHANNEL_CREATE', uuid)
  for (const share of shares) await share.until(() => knows(share, 1))
  await time.advance(60_000)

  expect(written).toEqual([from, to])
  expect((await ports.knownCalls.read(domain, uuid))?.engine).toBe(to)
})
