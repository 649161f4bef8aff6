/** A connector whose engine misbehaves, on real sockets: its report, its recovery, and the outcomes of commands. */
import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { type ScriptedEngine, startScriptedEngine } from '../../support/engine/scripted-engine.ts'
import { readMetrics } from '../../../connector/health/metrics.ts'
import { anOriginate } from '../../support/connector/command-message.ts'
import { checkConnector } from '../../support/invariants/connector-invariants.ts'
import { freePort } from '../../../packages/laptop/processes/free-port.ts'
import { type RunningConnector, aRunningConnector } from '../../support/connector/running-connector.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const part of opened.splice(0).toReversed()) await part.close()
})

const password = 'a-password-that-must-stay-secret'

async function anEngine(port = 0): Promise<ScriptedEngine> {
  const engine = await startScriptedEngine(port)
  opened.push(engine)
  return engine
}

async function aConnectorFor(port: number, random?: () => number): Promise<RunningConnector> {
  const running = await aRunningConnector([{ host: '127.0.0.1', port, password }], random && { random })
  opened.push({ close: () => running.stop() })
  return running
}

/** Both links up, and commands taken. */
async function aConnectedConnector() {
  const engine = await anEngine()
  const running = await aConnectorFor(engine.port)
  await running.until(() => running.connector.health().status === 'OK')
  await running.time.advance(500)
  return { ...running, engine }
}

const engineOf = ({ connector }: RunningConnector) => connector.health().engines[0]

/** The waits before the next attempts of one link, in milliseconds, as they were logged. */
const waits = ({ log }: RunningConnector, link: string) =>
  log.lines.filter(({ keys }) => keys['link'] === link).flatMap(({ keys }) => keys['retryInMs'] ?? [])

describe('F01 an engine that is not there at the start', () => {
  test('an engine that is absent at the start is retried with growing, jittered waits of 250 ms to 10 s, and found within 10 s', async () => {
    const port = await freePort()
    let draws = 0
    const running = await aConnectorFor(port, () => (draws++ % 2) / 2)

    await running.until(() => waits(running, 'events').length >= 8)
    const tried = waits(running, 'events').map(Number)
    await running.time.advance(60_000)
    const engine = await anEngine(port)
    const backAt = running.time.clock.now()
    await running.until(() => running.connector.health().status === 'OK')

    expect(Math.min(...tried)).toBeGreaterThanOrEqual(250)
    expect(Math.max(...tried)).toBeLessThanOrEqual(10_000)
    expect(tried[5]).toBeGreaterThan(4 * (tried[0] ?? 0))
    expect(waits(running, 'commands')).not.toEqual(waits(running, 'events').slice(0, 8))
    expect(running.time.clock.now() - backAt).toBeLessThanOrEqual(10_000)
    expect(engine.passwords).toEqual([password, password])
    await checkConnector(running, { engine, password })
  })

  test('an engine that is absent at the start is reported as unreachable while it is retried', async () => {
    const port = await freePort()
    const running = await aConnectorFor(port)
    await running.until(() => waits(running, 'events').length > 0 && waits(running, 'commands').length > 0)
    const reports: unknown[] = []

    for (let looks = 0; looks < 500; looks += 1) {
      reports.push([running.connector.health().status, engineOf(running)?.problem])
      await running.time.advance(20)
    }

    expect(new Set(reports.map((one) => JSON.stringify(one)))).toEqual(new Set(['["error","engine unreachable"]']))
    await checkConnector(running, { engine: await anEngine(port), password })
  })

  test('orders to an engine that is absent at the start are refused at once', async () => {
    const port = await freePort()
    const running = await aConnectorFor(port)
    await running.time.advance(3_000)

    for (const command of [anOriginate(), { kind: 'hold', uuid: randomUUID() }, { kind: 'list-channels' }] as const) {
      const message = await running.post(command)
      const postedAt = running.time.clock.now()
      await running.until(async () => (await running.outcome(message)) !== undefined)

      expect(await running.outcome(message)).toEqual({ state: 'unsent', reason: 'disconnected' })
      expect(running.time.clock.now() - postedAt).toBeLessThanOrEqual(200)
    }
    await checkConnector(running, { engine: await anEngine(port), password })
  })
})

test('F04 an engine that accepts a connection and never greets is given up after 5 s and tried again', async () => {
  const engine = await anEngine()
  engine.welcome = 'stay silent'
  const running = await aConnectorFor(engine.port)
  await running.atOnce(() => engine.links === 2)

  await running.time.advance(4_990)
  expect(engineOf(running)).toMatchObject({ commands: { state: 'connecting' }, events: { state: 'connecting' } })
  await running.time.advance(20)
  expect(engineOf(running)).toMatchObject({ problem: 'engine accepts connections and does not greet' })
  engine.welcome = 'accept'
  await running.until(() => running.connector.health().status === 'OK')

  expect(engine.connections).toBe(4)
  await checkConnector(running, { engine, password })
})

describe.each([
  ['F05', 'refuse the password', 'engine refuses the password', 'auth-refused'],
  ['F06', 'reject the address', "engine's access list does not hold this address", 'access-rejected'],
] as const)('%s an engine that would %s', (_fault, welcome, problem, reason) => {
  test(`an engine that would ${welcome} is left alone for 5 s at a time, and reported with its reason`, async () => {
    const engine = await anEngine()
    engine.welcome = welcome
    const running = await aConnectorFor(engine.port)
    await running.atOnce(
      () => engineOf(running)?.commands.state === 'down' && engineOf(running)?.events.state === 'down',
    )

    await running.time.advance(4_900)
    expect(engine.connections).toBe(2)
    expect(running.connector.health()).toMatchObject({
      status: 'error',
      engines: [{ problem, commands: { reason }, events: { reason } }],
    })
    // The alarm of this fault stands on this metric.
    expect(readMetrics(running.connector.health()).levels).toMatchObject({ EnginesRefusing: 1, EnginesAway: 0 })
    await running.until(() => engine.connections === 4)
    engine.welcome = 'accept'
    await running.until(() => running.connector.health().status === 'OK')

    expect(engineOf(running)).not.toHaveProperty('problem')
    const errors = running.log.lines.filter(({ level, message }) => level === 'error' && message.includes('refuses'))
    expect(errors).toEqual([
      expect.objectContaining({ keys: expect.objectContaining({ engine: `127.0.0.1:${engine.port}`, reason }) }),
    ])
    await checkConnector(running, { engine, password })
  })

  test(`an engine that would ${welcome} is reported without its password`, async () => {
    const engine = await anEngine()
    engine.welcome = welcome
    const running = await aConnectorFor(engine.port)
    await running.time.advance(65_000)
    await running.until(() => waits(running, 'events').length > 1)

    expect(JSON.stringify([running.log.lines, running.connector.health()])).not.toContain(password)
    await checkConnector(running, { engine, password })
  })
})

describe.each([
  ['at once', 'Content-Type: text/disconnect-notice\nContent-Length: 13\n\nDisconnected\n'],
  [
    'after lingering',
    'Content-Type: text/disconnect-notice\nContent-Disposition: linger\nLinger-Time: 2\nContent-Length: 0\n\n',
  ],
])('F07 an engine that says goodbye and goes %s', (_when, notice) => {
  test('a command of unknown outcome is not sent twice to an engine that left and came back', async () => {
    const { engine, ...running } = await aConnectedConnector()
    const message = await running.post(anOriginate())
    await running.atOnce(() => engine.jobs.length === 1)

    engine.send(notice)
    if (notice.includes('linger')) {
      await running.time.advance(1_000)
      expect(await running.outcome(message)).toBeUndefined()
    }
    engine.cut()
    await running.atOnce(async () => (await running.outcome(message)) !== undefined)
    expect(await running.outcome(message)).toEqual({ state: 'unknown', reason: 'disconnected' })
    await running.until(() => running.connector.health().status === 'OK')
    engine.finishJob(message.id, '+OK\n')
    await running.time.advance(30_000)

    expect(engine.jobs).toHaveLength(1)
    expect(await running.outcome(message)).toEqual({ state: 'unknown', reason: 'disconnected' })
    await checkConnector(running, { engine, password })
  })
})
