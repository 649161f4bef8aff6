import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { Gap } from '../../../core/events/gap.ts'
import { eachNth } from '../../support/breadth.ts'
import { type ScriptedEngine, jsonRows, startScriptedEngine } from '../../support/engine/scripted-engine.ts'
import { anOriginate } from '../../support/connector/command-message.ts'
import { readMetrics } from '../../../connector/health/metrics.ts'
import { checkConnector } from '../../support/invariants/connector-invariants.ts'
import type { EventFact } from '../../support/invariants/invariants.ts'
import { aHook } from '../../support/records/records.ts'
import { seededCuts } from '../../support/engine/engine-recordings.ts'
import { type RunningConnector, aRunningConnector, tenant } from '../../support/connector/running-connector.ts'
import { type ProxiedConnection, type TcpProxy, startTcpProxy } from '../../support/processes/tcp-proxy.ts'

const life = ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'] as const

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** An engine with calls, and the events that it has sent for each. */
class Calls {
  readonly sent = new Map<string, string[]>()
  /** Each event under the id that every connector gives it. */
  readonly events: (Record<'id' | 'uuid' | 'name' | 'core', string> & { readonly at: number })[] = []
  readonly #live = new Map<string, { readonly row: Record<string, string>; readonly createdAt: number }>()
  readonly #now: () => number
  engine: ScriptedEngine

  constructor(engine: ScriptedEngine, now: () => number) {
    this.engine = engine
    this.#now = now
    this.serve(engine)
  }

  serve(engine: ScriptedEngine): void {
    this.engine = engine
    engine.answer = (command) => {
      if (command === 'show channels as json') return jsonRows([...this.#live.values()].map(({ row }) => row))
      if (command.startsWith('uuid_exists ')) return `${this.#live.has(command.slice('uuid_exists '.length))}`
      return command.startsWith('show ') ? jsonRows([]) : '-ERR no reply\n'
    }
  }

  /** Everything ends without a word. */
  loseAll(): void {
    this.#live.clear()
  }

  begin(uuid: string = randomUUID()): string {
    const createdAt = this.#now()
    const row = { uuid, context: 'a.example.com', callstate: 'RINGING', direction: 'inbound' }
    this.#live.set(uuid, { row: { ...row, created_epoch: `${Math.floor(createdAt / 1_000)}` }, createdAt })
    this.tell(uuid, 'CHANNEL_CREATE')
    return uuid
  }

  tell(uuid: string, name: (typeof life)[number]): void {
    const createdAt = this.#live.get(uuid)?.createdAt ?? this.#now()
    if (name === 'CHANNEL_DESTROY') this.#live.delete(uuid)
    this.sent.set(uuid, [...(this.sent.get(uuid) ?? []), name])
    const core = this.engine.coreUuid
    this.events.push({ id: `${core}:${uuid}:${name}`, uuid, name, core, at: this.#now() })
    this.engine.emit({
      'Event-Name': name,
      'Unique-ID': uuid,
      'Caller-Context': 'a.example.com',
      'Call-Direction': 'inbound',
      'Channel-Call-State': name === 'CHANNEL_CREATE' ? 'RINGING' : 'ACTIVE',
      'Caller-Channel-Created-Time': `${createdAt}000`,
      'Event-Date-Timestamp': `${this.#now()}000`,
    })
  }
}

interface Harness {
  readonly running: RunningConnector
  readonly calls: Calls
  readonly proxy: TcpProxy
  /** The connection that brings events now. */
  events(): ProxiedConnection
  readonly isUp: () => boolean
  gaps(): Promise<Gap[]>
  /** Lists the names of the published events of a call, made ones included. */
  readonly published: (uuid: string) => string[]
}

/** A connector whose links to an engine go through a proxy, with a hook on every event of a call's life. */
async function aHarness(): Promise<Harness> {
  const engine = await startScriptedEngine()
  const proxy = await startTcpProxy(engine.port)
  const running = await aRunningConnector([{ host: '127.0.0.1', port: proxy.port, password: 'ClueCon' }])
  const calls = new Calls(engine, () => running.time.clock.now())
  closing.push(
    () => calls.engine.close(),
    () => proxy.close(),
    () => running.stop(),
  )
  await running.ports.hooks.create(
    life.map((event) => aHook({ event, domain: tenant.domain ?? '' })),
    100,
  )
  const isUp = () => running.connector.health().status === 'OK'
  await running.until(isUp)
  await running.time.advance(2_000)
  return {
    running,
    calls,
    proxy,
    isUp,
    events: () => {
      const events = proxy.connections.findLast(({ asked }) => asked.includes('CHANNEL_CREATE'))
      if (events === undefined) throw new Error('no link for events was made')
      return events
    },
    gaps: () => running.ports.gaps.list(0),
    published: (uuid) => running.ports.events.published.filter((event) => event.uuid === uuid).map(({ name }) => name),
  }
}

/** Lives through an hour's worth of calls in which the link may break at any byte. */
async function liveOn({ running, calls }: Harness, count: number, arrived = async () => {}): Promise<string[]> {
  const uuids: string[] = []
  for (let index = 0; index < count; index += 1) {
    const uuid = calls.begin()
    uuids.push(uuid)
    if (index % 3 > 0) calls.tell(uuid, 'CHANNEL_ANSWER')
    const old = uuids[index - 4]
    if (old !== undefined && index % 5 > 0) for (const name of life.slice(2)) calls.tell(old, name)
    await arrived()
    await running.time.advance(100)
  }
  return uuids
}

/** Checks that every call has each event once, its end if it is over, and no end otherwise. */
function expectWhole({ calls, published }: Harness, uuids: readonly string[]): void {
  for (const uuid of uuids) {
    const names = published(uuid)
    expect(new Set(names).size, `${names.join()} of one call`).toBe(names.length)
    const isOver = calls.sent.get(uuid)?.includes('CHANNEL_DESTROY') === true
    if (isOver && names.length > 0) expect(names).toEqual(expect.arrayContaining(life.slice(2)))
    if (!isOver) expect(names).not.toContain('CHANNEL_DESTROY')
    if (!isOver) expect(names).toContain('CHANNEL_CREATE')
  }
}

/** Lists the events that the connector made for missed ones, by their mark. */
function made({ running }: Harness) {
  return running.ports.events.published.filter(({ fields }) => fields['Synthetic'] === 'true')
}

/** Checks the invariants over the events of the engine and the published ones. */
function expectInvariants({ running, calls }: Harness, links = 2): Promise<void> {
  const published = Map.groupBy(running.ports.events.published, ({ uuid, name }) => `${uuid} ${name}`)
  const wanted = calls.events.map(({ id, uuid, name, core, at }): EventFact & { at: number } => {
    const copies = (published.get(`${uuid} ${name}`) ?? []).filter(({ fields }) => fields['Core-UUID'] === core)
    return { id, publishedAs: copies.map((copy) => copy.id), at }
  })
  return checkConnector(running, { engine: calls.engine, links, wanted })
}

describe('F02 a link that is cut while events flow', () => {
  const cuts = seededCuts(20_261_121, 60_000, 9_000)

  test.each(eachNth(cuts, 2))(
    'an event link that is cut after %i bytes comes back, with a record of the gap, and every call is whole',
    async (bytes) => {
      const pipeline = await aHarness()
      const cut = pipeline.events().cutAfter(bytes % 20_000)
      const uuids = await liveOn(pipeline, 60)
      uuids.push(...(await liveOn(pipeline, 10)))
      await cut
      await pipeline.running.until(pipeline.isUp)
      uuids.push(...(await liveOn(pipeline, 10)))

      await pipeline.running.time.advance(60_000)

      expectWhole(pipeline, uuids)
      const [gap, ...more] = await pipeline.gaps()
      expect(more).toEqual([])
      expect(gap).toMatchObject({
        connectorId: 'connector-1',
        reason: 'closed',
        before: { coreUuid: pipeline.calls.engine.coreUuid },
        after: { coreUuid: pipeline.calls.engine.coreUuid, sequence: expect.stringMatching(/^\d+$/) },
      })
      expect(Number(gap?.after.sequence)).toBeGreaterThan(Number(gap?.before.sequence || 0))
      const recovered = made(pipeline)
      for (const { uuid, name } of recovered) expect(pipeline.calls.sent.get(uuid)).toContain(name)
      expect(pipeline.running.connector.health().counters['eventsRecovered']).toBeGreaterThanOrEqual(recovered.length)
      await expectInvariants(pipeline)
    },
  )

  test('the missed events of calls that are up after a cut link are synthesized, and marked as synthetic', async () => {
    const pipeline = await aHarness()
    const [ended, live] = [pipeline.calls.begin(), pipeline.calls.begin()]
    await pipeline.running.until(() => pipeline.published(live).length === 1)
    const before = pipeline.calls.events.length

    pipeline.events().reset()
    await pipeline.running.until(() => !pipeline.isUp())
    for (const name of life.slice(1)) pipeline.calls.tell(ended, name)
    const begun = pipeline.calls.begin()
    await pipeline.running.until(pipeline.isUp)
    await pipeline.running.time.advance(60_000)

    const marked = made(pipeline).map(({ uuid, name }) => `${uuid} ${name}`)
    const ends = life.slice(2).map((name) => `${ended} ${name}`)
    expect(marked.toSorted()).toEqual([...ends, `${begun} CHANNEL_CREATE`].toSorted())
    expect(pipeline.published(live)).toEqual(['CHANNEL_CREATE'])
    expect(await pipeline.gaps()).toMatchObject([{ before: { sequence: `${before}` } }])
    await expectInvariants(pipeline)
  })
})

test('F03 a link on which nothing arrives is given up within 45 seconds, and the gap states the reason', async () => {
  const pipeline = await aHarness()
  const uuid = pipeline.calls.begin()
  await pipeline.running.until(() => pipeline.published(uuid).length === 1)

  pipeline.events().drop()
  for (const name of life.slice(1)) pipeline.calls.tell(uuid, name)
  const from = pipeline.running.time.clock.now()
  await pipeline.running.until(() => !pipeline.isUp())
  expect(pipeline.running.time.clock.now() - from).toBeLessThanOrEqual(45_000)
  await pipeline.running.until(pipeline.isUp)
  await pipeline.running.time.advance(60_000)

  expectWhole(pipeline, [uuid])
  expect((await pipeline.gaps()).map(({ reason }) => reason)).toEqual(['silent'])
  // The host that is gone never said so to the engine.
  await expectInvariants(pipeline, 3)
})

test('F03 a host that vanishes breaks both links: orders sent then end as unknown, and everything works again after its return', async () => {
  const pipeline = await aHarness()
  const { running, calls, proxy } = pipeline
  const [engine] = running.connector.health().engines
  expect(engine).toMatchObject({ commands: { state: 'ready' }, events: { state: 'ready' } })

  for (const connection of proxy.connections) connection.drop()
  proxy.isRefusing = true
  const from = running.time.clock.now()
  const message = await running.post(anOriginate())
  await running.until(() => {
    const [now] = running.connector.health().engines
    return now?.commands.state !== 'ready' && now?.events.state !== 'ready'
  })
  expect(running.time.clock.now() - from).toBeLessThanOrEqual(45_000)
  expect(await running.outcome(message)).toMatchObject({ state: 'unknown' })
  expect(calls.engine.jobs).toEqual([])
  proxy.isRefusing = false
  await running.until(pipeline.isUp)
  await running.time.advance(60_000)

  expect((await pipeline.gaps()).map(({ reason }) => reason)).toEqual(['silent'])
  // The host that is gone never said so to the engine.
  await expectInvariants(pipeline, 4)
})

test('F08 an engine that drops its listener because of lost events causes a gap with that reason', async () => {
  const pipeline = await aHarness()
  const uuid = pipeline.calls.begin()
  await pipeline.running.until(() => pipeline.published(uuid).length === 1)

  const notice = 'Content-Type: text/disconnect-notice\nContent-Length: 39\n\nkilled listener because of lost events\n'
  pipeline.calls.engine.send(
    `Content-Length: 400\nContent-Type: text/event-json\n\n{"Event-Name":"CHANNEL_ANSW${notice}`,
  )
  pipeline.calls.engine.cut()
  await pipeline.running.until(() => !pipeline.isUp())
  await pipeline.running.until(pipeline.isUp)
  await pipeline.running.time.advance(60_000)

  expect((await pipeline.gaps()).map(({ reason }) => reason)).toEqual(['overflow'])
  expect(pipeline.published(uuid)).toEqual(['CHANNEL_CREATE'])
  await expectInvariants(pipeline)
})

test('F09 after a restart of the engine its old calls are ended and its new ones published, whatever their sequence numbers', async () => {
  const pipeline = await aHarness()
  const old = pipeline.calls.begin()
  await pipeline.running.until(() => pipeline.published(old).length === 1)
  const { port, coreUuid } = pipeline.calls.engine

  await pipeline.calls.engine.close()
  pipeline.calls.loseAll()
  await pipeline.running.until(() => !pipeline.isUp())
  pipeline.calls.serve(await startScriptedEngine(port))
  await pipeline.running.until(pipeline.isUp)
  const uuid = pipeline.calls.begin()
  for (const name of life.slice(1)) pipeline.calls.tell(uuid, name)
  await pipeline.running.time.advance(60_000)

  expect(pipeline.published(old)).toEqual(['CHANNEL_CREATE', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'])
  // The engine's word for an end of which no cause is known.
  expect(made(pipeline).map(({ uuid, fields }) => [uuid, fields['Hangup-Cause']])).toEqual([
    [old, 'NORMAL_UNSPECIFIED'],
    [old, 'NORMAL_UNSPECIFIED'],
  ])
  expect(pipeline.published(uuid)).toEqual(life)
  expect(await pipeline.gaps()).toMatchObject([
    { reason: 'engine-restarted', before: { coreUuid }, after: { coreUuid: pipeline.calls.engine.coreUuid } },
  ])
  await expectInvariants(pipeline)
})

describe('F10 a byte that is lost on the way', () => {
  test.each(eachNth(seededCuts(7, 12_000, 1_500), 2))(
    'an event link that is cut after %i bytes makes no event that was none',
    async (bytes) => {
      const pipeline = await aHarness()
      pipeline.events().loseByteAfter(bytes)

      const uuids = await liveOn(pipeline, 60)
      await pipeline.running.time.advance(60_000)

      const published = pipeline.running.ports.events.published.filter(
        ({ name }) => !name.startsWith('CUSTOM->svc::engine_'),
      )
      expect(published.filter(({ uuid }) => !uuids.includes(uuid))).toEqual([])
      const own = published.filter(({ fields }) => fields['Synthetic'] !== 'true')
      for (const { uuid, name, fields } of own) {
        expect(pipeline.calls.sent.get(uuid)).toContain(name)
        expect(fields['Caller-Context']).toBe('a.example.com')
      }
      const reasons = (await pipeline.gaps()).map(({ reason }) => reason)
      expect(reasons.length).toBeGreaterThan(0)
      expect(['framing-lost', 'unreadable']).toEqual(expect.arrayContaining(reasons))
      expectWhole(pipeline, uuids)
      await expectInvariants(pipeline)
    },
  )
})

test('F14 all of a storm of 20 000 simultaneous events arrive', async () => {
  const pipeline = await aHarness()
  const ids = new Set<string>()
  const { events } = pipeline.running.ports
  const queue = { ...events }
  const storm = Promise.withResolvers<void>()
  events.publish = async (batch) => {
    await storm.promise
    for (const { id } of batch) ids.add(id)
    return []
  }
  const { connector, time } = pipeline.running
  const read = () => connector.health().counters['eventsRead'] ?? 0
  const lag = () => readMetrics(connector.health()).levels.Lag

  for (let count = 0; count < 10_000; count += 1) pipeline.calls.tell(pipeline.calls.begin(), 'CHANNEL_ANSWER')
  // All events are read while none is published, and the metric shows the lag.
  await pipeline.running.atOnce(() => read() >= 20_000)
  await time.advance(5_000)
  expect([ids.size, lag()]).toEqual([0, expect.toSatisfy((ms: number) => ms >= 5_000)])
  storm.resolve()
  const endedAt = time.clock.now()
  await pipeline.running.until(() => ids.size === 20_000 && lag() < 1_000)

  expect(time.clock.now() - endedAt).toBeLessThanOrEqual(30_000)
  expect(connector.health()).toMatchObject({ lagMs: 0, counters: { eventsDropped: 0, channels: 10_000 } })
  Object.assign(events, queue)
  const wanted = pipeline.calls.events.map(({ id }) => ({ id, publishedAs: ids.has(id) ? [id] : [] }))
  await checkConnector(pipeline.running, { engine: pipeline.calls.engine, wanted })
})

test('F13 two connectors at one engine give every event the same id, and either may lose its link', async () => {
  const pipeline = await aHarness()
  const { ports, time } = pipeline.running
  const proxy = await startTcpProxy(pipeline.calls.engine.port)
  const address = { host: '127.0.0.1', port: proxy.port, password: 'ClueCon' }
  const second = await aRunningConnector([address], { ports, time, connectorId: 'connector-2' })
  closing.push(
    () => proxy.close(),
    () => second.stop(),
  )
  await second.until(() => second.connector.health().status === 'OK')
  await time.advance(2_000)

  const emitted = () => [...pipeline.calls.sent.values()].flat().length
  const arrived = () => second.atOnce(() => second.connector.health().counters['eventsRead'] === emitted())
  const uuids = await liveOn(pipeline, 20, arrived)
  pipeline.events().reset()
  uuids.push(...(await liveOn(pipeline, 20, arrived)))
  await time.advance(60_000)

  expectWhole(pipeline, uuids)
  for (const uuid of uuids)
    expect(pipeline.published(uuid)).toEqual(expect.arrayContaining(pipeline.calls.sent.get(uuid) ?? []))
  expect(ports.events.published.filter(({ fields }) => fields['Synthetic'] === 'true')).toEqual([])
  await expectInvariants(pipeline, 4)
})

test('the last report of an orderly stop states that it is one, and how far the events were read', async () => {
  const pipeline = await aHarness()
  const uuid = pipeline.calls.begin()
  await pipeline.running.until(() => pipeline.published(uuid).length === 1)

  await pipeline.running.stop()

  expect([...pipeline.running.ports.state.connectors.values()]).toMatchObject([
    {
      connectorId: 'connector-1',
      stoppedAt: expect.any(Number),
      eventLinks: [
        {
          engine: `127.0.0.1:${pipeline.proxy.port}`,
          last: { coreUuid: pipeline.calls.engine.coreUuid, sequence: '1' },
        },
      ],
    },
  ])
})
