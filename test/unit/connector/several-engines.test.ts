import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { isHealthy } from '../../../core/status/health.ts'
import { readStatus } from '../../../core/status/read-status.ts'
import { type ScriptedEngine, jsonRows, startScriptedEngine } from '../../support/engine/scripted-engine.ts'
import { anEavesdrop, anOriginate } from '../../support/connector/command-message.ts'
import { freePort } from '../../../packages/laptop/processes/free-port.ts'
import { aReport } from '../../support/records/records.ts'
import { type RunningConnector, aRunningConnector, tenant } from '../../support/connector/running-connector.ts'
import { aRoot } from '../../support/platform/caller.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const part of opened.splice(0).toReversed()) await part.close()
})

/** A connector with its links up to engines that a test plays: `fs1`, `fs2`, …, on real sockets. */
async function aConnectorOn(count: number) {
  const engines: ScriptedEngine[] = []
  for (let index = 0; index < count; index += 1) engines.push(await startScriptedEngine())
  opened.push(...engines)
  const running = await aRunningConnector(engines.map(({ port }) => ({ host: '127.0.0.1', port, password: 'ClueCon' })))
  opened.push({ close: () => running.stop() })
  await running.until(() => running.connector.health().status === 'OK')
  await running.until(() => engines.every(({ asked }) => asked.includes('show channels as json')))
  // By then commands are taken.
  await running.time.advance(500)
  const [fs1, fs2] = engines
  if (fs1 === undefined || fs2 === undefined) throw new Error('two engines at least')
  return { ...running, engines, fs1, fs2 }
}

/** A row of an engine's list. */
const row = (uuid: string, domain = 'a.example.com') => ({
  uuid,
  context: domain,
  created_epoch: '1795217445',
  presence_id: `1000@${domain}`,
})

/** Gives the engine these channels: it lists them, dumps them, and reports them by events. */
function holds(engine: ScriptedEngine, ...rows: ReturnType<typeof row>[]) {
  engine.answer = (command) => {
    if (command === 'show channels as json') return jsonRows(rows)
    if (command.startsWith('show ')) return jsonRows([])
    const uuid = /^uuid_dump (\S+) json$/.exec(command)?.[1]
    const channel = rows.find((one) => one.uuid === uuid)
    if (channel === undefined) return '-ERR No such channel!\n'
    return JSON.stringify({ 'Unique-ID': uuid, 'Caller-Context': channel.context, 'Channel-Call-State': 'ACTIVE' })
  }
  for (const { uuid, context, presence_id } of rows) {
    engine.emit({
      'Event-Name': 'CHANNEL_CREATE',
      'Unique-ID': uuid,
      'Caller-Context': context,
      'Channel-Presence-ID': presence_id,
      'Channel-Call-State': 'ACTIVE',
    })
  }
}

const knows = ({ connector }: RunningConnector, channels: number) =>
  connector.health().counters['channels'] === channels

/** Cuts an engine off for good, and waits until the connector has noticed. */
async function lose(running: RunningConnector, engine: ScriptedEngine) {
  await engine.close()
  const name = `127.0.0.1:${engine.port}`
  await running.atOnce(() =>
    running.connector
      .health()
      .engines.some((one) => one.name === name && one.commands.state === 'down' && one.events.state === 'down'),
  )
}

describe('an order goes to the engine that has the channel', () => {
  test('an order goes to the engine that has the channel that events have reported', async () => {
    const running = await aConnectorOn(2)
    const { fs1, fs2 } = running
    const uuid = randomUUID()
    holds(fs2, row(uuid))
    await running.until(() => knows(running, 1))
    const asked = fs1.asked.length

    const message = await running.post({ kind: 'hold', uuid })
    await running.atOnce(() => fs2.jobs.length === 1)
    fs2.finishJob(message.id, '+OK Success\n')
    await running.atOnce(async () => (await running.outcome(message)) !== undefined)

    expect(await running.outcome(message)).toEqual({ state: 'done', text: '+OK Success\n' })
    expect(fs2.jobs).toEqual([{ id: message.id, line: `uuid_hold ${uuid}` }])
    expect([fs1.jobs, fs1.asked.length]).toEqual([[], asked])
  })

  test.each(['hangup', 'eavesdrop'] as const)(
    'all engines are asked for a channel without events (%s)',
    async (kind) => {
      const running = await aConnectorOn(3)
      const uuid = randomUUID()
      const [, , third] = running.engines
      if (third === undefined) throw new Error('three engines')
      third.answer = (command) =>
        command === `uuid_dump ${uuid} json`
          ? JSON.stringify({ 'Unique-ID': uuid, 'Caller-Context': tenant.domain })
          : '-ERR No such channel!\n'

      const command = kind === 'hangup' ? { kind, uuid, cause: 'NORMAL_CLEARING' } : anEavesdrop({ target: uuid })
      await running.post(command)
      await running.atOnce(() => third.jobs.length === 1)

      expect(running.engines.map(({ jobs }) => jobs.length)).toEqual([0, 0, 1])
      for (const { asked } of running.engines) expect(asked).toContain(`uuid_dump ${uuid} json`)
    },
  )

  test('an order finds no channel when every engine answers that it has no such channel', async () => {
    const running = await aConnectorOn(2)
    for (const engine of running.engines) holds(engine)

    expect(await running.run({ kind: 'hold', uuid: randomUUID() })).toEqual({ state: 'absent' })
  })

  test('an order is not sent when an engine gives any other answer, which does not prove that the channel is gone', async () => {
    const running = await aConnectorOn(2)
    holds(running.fs1)
    running.fs2.answer = (command) =>
      command.startsWith('uuid_dump') ? '-ERR uuid_dump Command not found!\n' : jsonRows([])

    expect(await running.run({ kind: 'hold', uuid: randomUUID() })).toEqual({ state: 'unsent', reason: 'disconnected' })
  })

  test("an order to another domain's channel finds no channel, at once, even if its engine is away", async () => {
    const running = await aConnectorOn(2)
    const uuid = randomUUID()
    holds(running.fs2, row(uuid, 'b.example.com'))
    await running.until(() => knows(running, 1))
    await lose(running, running.fs2)

    const message = await running.post({ kind: 'hold', uuid })
    await running.atOnce(async () => (await running.outcome(message)) !== undefined)

    expect(await running.outcome(message)).toEqual({ state: 'absent' })
  })
})

describe('a call is placed', () => {
  const contacts = (engine: ScriptedEngine, contact: string | null) => {
    const { answer } = engine
    engine.answer = (command) => (command.startsWith('sofia_contact') ? contact : answer(command))
  }
  const placed = (engines: readonly ScriptedEngine[]) => engines.map(({ jobs }) => jobs.length)

  test('a call is placed at the engine at which the phone of its caller is registered', async () => {
    const running = await aConnectorOn(3)
    const { engines, fs1, fs2 } = running
    for (const engine of engines) contacts(engine, 'error/user_not_registered')
    contacts(fs2, 'sofia/internal/sip:1000@192.0.2.7:5060')

    await running.post(anOriginate({ callerId: '1000' }))
    await running.atOnce(() => fs2.jobs.length === 1)

    expect(placed(engines)).toEqual([0, 1, 0])
    expect(fs1.asked).toContain('sofia_contact 1000@a.example.com')
  })

  test("a call is placed at the engine with the fewest calls of those that have the caller's phone, or of all if none has", async () => {
    const running = await aConnectorOn(3)
    const { engines, fs1, fs2 } = running
    holds(fs1, row(randomUUID()))
    await running.until(() => knows(running, 1))
    for (const engine of [fs1, fs2]) contacts(engine, 'sofia/internal/sip:1000@192.0.2.7:5060')

    await running.post(anOriginate())
    await running.atOnce(() => fs2.jobs.length === 1)
    for (const engine of engines) contacts(engine, 'error/user_not_registered')
    await running.post(anOriginate())
    await running.atOnce(() => placed(engines).join() === '0,1,1')
    await running.post(anOriginate())
    await running.atOnce(() => placed(engines).join() !== '0,1,1')

    expect(placed(engines)).toEqual([1, 1, 1])
  })

  test('a call is placed after a second at an engine that answers, although another does not', async () => {
    const running = await aConnectorOn(2)
    contacts(running.fs1, null)
    contacts(running.fs2, 'error/user_not_registered')

    const message = await running.post(anOriginate())
    await running.atOnce(() => running.engines.every(({ asked }) => asked.some((line) => line.startsWith('sofia_c'))))
    await running.time.advance(999)
    expect(placed(running.engines)).toEqual([0, 0])
    await running.time.advance(1)
    await running.atOnce(() => running.fs2.jobs.length === 1)

    expect(running.fs2.jobs[0]?.id).toBe(message.id)
  })

  test('a call is refused within 3 s while no engine is connected', async () => {
    const running = await aConnectorOn(2)
    for (const engine of running.engines) await lose(running, engine)
    const postedAt = running.time.clock.now()

    expect(await running.run(anOriginate())).toEqual({ state: 'unsent', reason: 'disconnected' })

    expect(running.time.clock.now() - postedAt).toBeLessThanOrEqual(3_000)
  })

  test('a call is refused at once while an engine has a command link and no event link', async () => {
    const running = await aConnectorOn(2)
    await lose(running, running.fs2)
    running.fs1.cutEvents()
    await running.atOnce(() => running.connector.health().engines[0]?.events.state === 'down')

    const message = await running.post(anOriginate())
    await running.atOnce(async () => (await running.outcome(message)) !== undefined)

    expect(await running.outcome(message)).toEqual({ state: 'unsent', reason: 'disconnected' })
  })
})

describe('an engine that was away when the connector started', () => {
  const list = { kind: 'list-channels' } as const

  test('the list of calls is refused until an engine that was away when the connector started is connected', async () => {
    const { running, other } = await aConnectorWithoutOne()
    expect(await running.run(list)).toEqual({ state: 'unsent', reason: 'disconnected' })

    const back = await startScriptedEngine(other)
    opened.push(back)
    await running.until(() => running.connector.health().status === 'OK')

    expect(await running.run(list)).toEqual({ state: 'done', text: '{"row_count":0,"rows":[]}' })
  })

  test.each([
    ['without calls', 0, false, 'done'],
    ['with calls', 2, false, 'unsent'],
    ['and is still there for it', 0, true, 'unsent'],
  ])(
    'an engine that was away when the connector started and that another connector left %s',
    async (_what, channels, connected, state) => {
      const { running, other } = await aConnectorWithoutOne()
      const engine = { name: `127.0.0.1:${other}`, coreUuid: '', status: '', heardAt: 1, channels, connected }
      await running.ports.connectorStatus.report(aReport({ connectorId: 'connector-2', engines: [engine] }))

      await running.time.advance(5_000)

      expect(await running.run(list)).toMatchObject({ state })
    },
  )

  /** A connector on two engines, the second of which is not there. */
  async function aConnectorWithoutOne() {
    const [engine, other] = [await startScriptedEngine(), await freePort()]
    opened.push(engine)
    const running = await aRunningConnector(
      [engine.port, other].map((port) => ({ host: '127.0.0.1', port, password: 'ClueCon' })),
    )
    opened.push({ close: () => running.stop() })
    await running.until(() => running.connector.health().engines[0]?.status === 'OK')
    return { running, other }
  }
})

describe('while an engine is away', () => {
  test.each(['hold', 'hangup'] as const)(
    'a %s of a channel of its own is not sent, and not "no such channel"',
    async (kind) => {
      const running = await aConnectorOn(2)
      const uuid = randomUUID()
      holds(running.fs2, row(uuid))
      await running.until(() => knows(running, 1))
      await lose(running, running.fs2)

      const message = await running.post(kind === 'hold' ? { kind, uuid } : { kind, uuid, cause: 'NORMAL_CLEARING' })
      await running.atOnce(async () => (await running.outcome(message)) !== undefined)

      expect(await running.outcome(message)).toEqual({ state: 'unsent', reason: 'disconnected' })
    },
  )

  test('an order to a channel that no connected engine has is not sent, since the absent engine may have it', async () => {
    const running = await aConnectorOn(2)
    await lose(running, running.fs2)

    expect(await running.run({ kind: 'hold', uuid: randomUUID() })).toEqual({ state: 'unsent', reason: 'disconnected' })
  })

  test('an order to a channel of a connected engine is sent while another engine is away', async () => {
    const running = await aConnectorOn(2)
    const uuid = randomUUID()
    holds(running.fs1, row(uuid))
    await lose(running, running.fs2)

    await running.post({ kind: 'hold', uuid })
    await running.atOnce(() => running.fs1.jobs.length === 1)

    expect(running.fs1.jobs[0]?.line).toBe(`uuid_hold ${uuid}`)
  })

  test('calls are placed at the other engines while one is away', async () => {
    const running = await aConnectorOn(2)
    await lose(running, running.fs1)

    for (let calls = 0; calls < 3; calls += 1) await running.post(anOriginate())
    await running.atOnce(() => running.fs2.jobs.length === 3)

    expect(running.fs2.jobs.map(({ line }) => line.split(' ')[0])).toEqual(['originate', 'originate', 'originate'])
  })

  test('the calls of a domain do not count as ended while an engine is away, even if it had none there', async () => {
    const running = await aConnectorOn(2)
    const uuid = randomUUID()
    holds(running.fs1, row(uuid))
    await running.until(() => knows(running, 1))
    await lose(running, running.fs2)

    const outcome = await running.run({ kind: 'hang-up-domain' })

    expect(outcome).toEqual({ state: 'unsent', reason: 'disconnected' })
    expect(running.fs1.asked).toContain(`uuid_kill ${uuid} MANAGER_REQUEST`)
  })

  test('a domain with calls at an absent engine gets no list of calls instead of an incomplete one', async () => {
    const running = await aConnectorOn(2)
    holds(running.fs1, row(randomUUID()), row(randomUUID(), 'b.example.com'))
    holds(running.fs2, row(randomUUID()))
    await running.until(() => knows(running, 3))
    const list = (domain: string | null) => running.run({ kind: 'list-channels' }, { domain, presenceId: null })
    expect(await list(null)).toMatchObject({ state: 'done', text: expect.stringContaining('"row_count":3') })

    await lose(running, running.fs2)

    expect(await list('a.example.com')).toEqual({ state: 'unsent', reason: 'disconnected' })
    expect(await list(null)).toEqual({ state: 'unsent', reason: 'disconnected' })
    expect(await list('b.example.com')).toMatchObject({ state: 'done', text: expect.stringContaining('"row_count":1') })
  })

  test('an absent engine that had no calls does not prevent lists of calls, however long it is away', async () => {
    const running = await aConnectorOn(2)
    holds(running.fs1, row(randomUUID()))
    await running.until(() => knows(running, 1))
    await lose(running, running.fs2)
    const lostAt = running.time.clock.now()
    await running.until(() => running.time.clock.now() > lostAt + 60_000)

    const list = await running.run({ kind: 'list-channels' }, { domain: 'a.example.com', presenceId: null })

    expect(list).toMatchObject({ state: 'done', text: expect.stringContaining('"row_count":1') })
  })

  test('the status shows a lost engine within the second, and the links of the others', async () => {
    const running = await aConnectorOn(2)
    for (const engine of running.engines) {
      engine.answer = (command) => (command === 'status' ? 'UP 0 years, 0 days\n' : jsonRows([]))
    }
    await running.time.advance(5_000)
    await running.until(async () => (await statusOf(running)).freeSWITCH.includes('UP'))
    expect((await statusOf(running)).freeSWITCH).not.toContain('not connected')
    expect(await isHealthy(running.ports.connectorStatus, running.time.clock.now())).toBe(true)

    await lose(running, running.fs2)
    await running.time.advance(1_000)

    expect(await statusOf(running)).toMatchObject({
      wConsole: { status: 'Connected', sid: running.fs1.coreUuid },
      freeSWITCH: `127.0.0.1:${running.fs1.port}\nUP 0 years, 0 days\n\n127.0.0.1:${running.fs2.port}\nengine not connected`,
    })
    expect(await isHealthy(running.ports.connectorStatus, running.time.clock.now())).toBe(false)
    expect(running.connector.health()).toMatchObject({
      status: 'error',
      engines: [{ status: 'OK' }, { status: 'error', problem: expect.stringContaining('engine') }],
    })
  })
})

test('an engine that hangs with its links open is reported as lost within 45 s, and the others as up', async () => {
  const running = await aConnectorOn(2)
  for (const engine of running.engines) {
    engine.answer = (command) => (command === 'status' ? 'UP 0 years, 0 days\n' : jsonRows([]))
  }
  const startedAt = running.time.clock.now()
  await running.until(() => running.time.clock.now() >= startedAt + 10_000)
  running.fs2.answer = () => null
  const hangsSince = running.time.clock.now()

  await running.until(async () => (await statusOf(running)).freeSWITCH.includes('engine not connected'))

  expect(running.time.clock.now() - hangsSince).toBeLessThanOrEqual(45_000)
  expect((await statusOf(running)).freeSWITCH).toMatch(
    new RegExp(`^127.0.0.1:${running.fs1.port}\nUP[^]*127.0.0.1:${running.fs2.port}\nengine not connected$`),
  )
})

test('a command that concerns all engines is sent to each, and is done when all have done it', async () => {
  const running = await aConnectorOn(2)

  const message = await running.post({ kind: 'flush-account', login: '1000' })
  await running.atOnce(() => running.engines.every(({ jobs }) => jobs.length === 1))
  running.fs1.finishJob(message.id, '+OK cleared 1 entry\n')
  await running.time.advance(100)
  expect(await running.outcome(message)).toBeUndefined()
  running.fs2.finishJob(message.id, '+OK cleared 0 entries\n')
  await running.atOnce(async () => (await running.outcome(message)) !== undefined)

  expect(await running.outcome(message)).toEqual({
    state: 'done',
    text: '+OK cleared 1 entry\n+OK cleared 0 entries\n',
  })
  expect(running.engines.map(({ jobs }) => jobs[0]?.line)).toEqual(
    Array.from({ length: 2 }, () => 'xml_flush_cache id 1000 a.example.com'),
  )
})

test('the calls of a domain are hung up at every engine', async () => {
  const running = await aConnectorOn(2)
  const [first, second, other] = [randomUUID(), randomUUID(), randomUUID()]
  holds(running.fs1, row(first), row(other, 'b.example.com'))
  holds(running.fs2, row(second))

  expect(await running.run({ kind: 'hang-up-domain' })).toEqual({ state: 'done', text: '+OK 2\n' })

  expect(running.fs1.asked).toContain(`uuid_kill ${first} MANAGER_REQUEST`)
  expect(running.fs2.asked).toContain(`uuid_kill ${second} MANAGER_REQUEST`)
  expect([...running.fs1.asked, ...running.fs2.asked].join()).not.toContain(`uuid_kill ${other}`)
})

test('an engine that does not answer does not delay orders to another engine', async () => {
  const running = await aConnectorOn(2)
  const uuid = randomUUID()
  holds(running.fs2, row(uuid))
  await running.until(() => knows(running, 1))
  running.fs1.answer = () => null
  running.fs1.onJob = () => {}

  for (let calls = 0; calls < 5; calls += 1) await running.post({ kind: 'flush-account', login: `100${calls}` })
  await running.atOnce(() => running.fs1.jobs.length > 0)
  await running.post({ kind: 'hangup', uuid, cause: 'NORMAL_CLEARING' })
  await running.atOnce(() => running.fs2.jobs.some(({ line }) => line.startsWith('uuid_kill')))

  expect(running.fs2.jobs.at(-1)?.line).toBe(`uuid_kill ${uuid} NORMAL_CLEARING`)
})

test('a connector that is stopped disconnects from all engines together, and open commands at any of them end as unknown', async () => {
  const running = await aConnectorOn(2)
  const { engines, fs1, fs2, connector, time } = running
  fs1.answer = (command) => (command.startsWith('sofia_contact') ? 'sofia/internal/sip:1000@192.0.2.7' : jsonRows([]))
  const here = await running.post(anOriginate())
  await running.atOnce(() => fs1.jobs.length === 1)
  fs2.answer = fs1.answer
  const there = await running.post(anOriginate())
  await running.atOnce(() => fs2.jobs.length === 1)

  let isStopped = false
  const stopping = connector.stop(25_000).finally(() => (isStopped = true))
  const late = await running.post({ kind: 'flush-account', login: '1000' })
  const stoppedAt = time.clock.now()
  await running.atOnce(() => engines.every(({ asked }) => asked.length > 0))
  await time.advance(2_900)
  expect(engines.map(({ links }) => links)).toEqual([2, 2])
  await running.until(() => isStopped)

  expect(await stopping).toBe(0)
  expect(time.clock.now() - stoppedAt).toBeLessThanOrEqual(8_000)
  expect(await Promise.all([here, there, late].map(running.outcome))).toEqual([
    { state: 'unknown', reason: 'disconnected' },
    { state: 'unknown', reason: 'disconnected' },
    undefined,
  ])
  await running.atOnce(() => engines.every(({ links }) => links === 0))
  expect(engines.map(({ jobs }) => jobs.length)).toEqual([1, 1])
})

async function statusOf({ ports, time }: RunningConnector) {
  return readStatus(ports, aRoot(), time.clock.now())
}
