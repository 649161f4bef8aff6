import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { DomainError } from '../../../core/errors.ts'
import { startScriptedEngine } from '../../support/engine/scripted-engine.ts'
import { anOriginate } from '../../support/connector/command-message.ts'
import { checkConnector } from '../../support/invariants/connector-invariants.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { memoryDisk, spoolOwner } from '../../support/connector/memory-disk.ts'
import { aHook } from '../../support/records/records.ts'
import { type RunningConnector, aRunningConnector, tenant } from '../../support/connector/running-connector.ts'

/** An engine, stores, a queue that can be away, and a disk, for one connector after another. */
async function aPlace() {
  const engine = await startScriptedEngine()
  onTestFinished(() => engine.close())
  let time = manualTime()
  const ports = memoryPorts({ clock: { now: () => time.clock.now() }, random: systemRandomness })
  await ports.hooks.create([aHook({ event: 'CHANNEL_HOLD', domain: tenant.domain ?? '' })], 100)
  const disk = memoryDisk()
  const publish = ports.events.publish.bind(ports.events)
  const sent: { readonly id: string; readonly at: number }[] = []
  const place = {
    engine,
    ports,
    disk,
    isQueueAway: false,
    /** A connector on this disk, which the one before has left; it has found the engine and knows the hooks. */
    start: async (name: string): Promise<RunningConnector> => {
      // The killed process keeps a clock of its own, which stands still.
      time = manualTime(time.clock.now())
      const spool = { folder: '/spool', bytes: 64 * 1_048_576, files: disk, owner: spoolOwner(name) }
      const address = { host: '127.0.0.1', port: engine.port, password: 'ClueCon' }
      const running = await aRunningConnector([address], { time, ports, spool, connectorId: `connector-${name}` })
      onTestFinished(() => running.stop())
      await running.until(() => running.connector.health().status === 'OK')
      await running.time.advance(2_000)
      return running
    },
    /** So many events of calls, until the connector has read them. */
    tell: async ({ connector, atOnce }: RunningConnector, count: number) => {
      const before = connector.health().counters['eventsRead'] ?? 0
      for (let index = 0; index < count; index += 1) {
        const uuid = randomUUID()
        const sequence = `${1_000_000 + sent.length}`
        engine.emit({
          'Event-Name': 'CHANNEL_HOLD',
          'Unique-ID': uuid,
          'Event-Sequence': sequence,
          'Caller-Context': tenant.domain ?? '',
          'Event-Date-Timestamp': `${time.clock.now()}000`,
        })
        sent.push({ id: `${engine.coreUuid}:${sequence}`, at: time.clock.now() })
      }
      await atOnce(() => (connector.health().counters['eventsRead'] ?? 0) >= before + count)
    },
    /** Lists every event of the engine with the ids that it was published under. */
    wanted: () =>
      sent.map(({ id, at }) => ({
        id,
        at,
        publishedAs: ports.events.published.flatMap((event) =>
          event.fields['Event-Sequence'] === id.split(':')[1] ? event.id : [],
        ),
      })),
  }
  ports.events.publish = async (batch) => {
    if (place.isQueueAway) throw new DomainError('store_unavailable', 'the queue does not answer, try again')
    return publish(batch)
  }
  return place
}

const unpublished = (wanted: readonly { readonly publishedAs: readonly string[] }[]) =>
  wanted.filter(({ publishedAs }) => publishedAs.length === 0)

test('F29 a connector that is stopped under load without a queue receives no further commands and ends within 25 s', async () => {
  const place = await aPlace()
  const first = await place.start('1')
  place.isQueueAway = true
  await place.tell(first, 200)
  const ringing = await first.post(anOriginate())
  await first.until(() => place.engine.jobs.some(({ id }) => id === ringing.id))

  const stoppedAt = first.time.clock.now()
  let lost: number | undefined
  void first.connector.stop(20_000).then((count) => (lost = count))
  const late = await first.post(anOriginate())
  await place.tell(first, 50)
  await first.until(() => lost !== undefined)

  expect(first.time.clock.now() - stoppedAt).toBeLessThanOrEqual(25_000)
  expect(lost).toBe(0)
  expect(await first.outcome(ringing)).toMatchObject({ state: 'unknown' })
  expect(await place.ports.commands.read(late.id)).not.toHaveProperty('claimedBy')
  // The commands of the first connector are checked here; later ones belong to the next.
  expect(place.engine.jobs.splice(0).map(({ id }) => id)).toEqual([ringing.id])
  expect(place.engine.links).toBe(0)

  const next = await place.start('2')
  place.isQueueAway = false
  await next.until(() => unpublished(place.wanted()).length === 0)
  await checkConnector(next, { engine: place.engine, wanted: place.wanted() })
})

test('F29 a connector that is stopped ends within 25 s, also when queue, disk, engine and stores answer nothing', async () => {
  const place = await aPlace()
  const first = await place.start('1')
  place.isQueueAway = true
  place.disk.beforeWrite = () => new Promise(() => {})
  await place.tell(first, 10)
  const { answer } = place.engine
  place.engine.answer = () => new Promise(() => {})
  // A report asks the engine, whose command link hangs from then on.
  await first.time.advance(6_000)
  const report = place.ports.connectorStatus.report.bind(place.ports.connectorStatus)
  place.ports.connectorStatus.report = () => new Promise(() => {})

  const stoppedAt = first.time.clock.now()
  let lost: number | undefined
  void first.connector.stop(20_000).then((count) => (lost = count))
  await first.until(() => lost !== undefined)

  expect(first.time.clock.now() - stoppedAt).toBeLessThanOrEqual(25_000)
  expect(lost).toBe(10)

  place.ports.connectorStatus.report = report
  place.engine.answer = answer
  place.disk.beforeWrite = async () => {}
  place.isQueueAway = false
  const next = await place.start('2')
  // Its last report, from before the stop, says what it had on no disk; it counts as killed after half a minute.
  await next.until(async () => (await place.ports.gaps.list(0)).some(({ reason }) => reason === 'connector-killed'))
  await checkConnector(next, { engine: place.engine, wanted: place.wanted() })
})

test('a connector writes its line of metrics each half minute until its stop has ended', async () => {
  const place = await aPlace()
  const running = await place.start('1')
  const { connector, time, written, until } = running
  place.isQueueAway = true
  await place.tell(running, 10)
  const before = written.length

  let isOver = false
  void connector.stop(100_000).then(() => (isOver = true))
  await time.advance(95_000)
  expect([isOver, written.length - before]).toEqual([false, 3])
  await until(() => isOver)

  expect(written.length - before).toBe(4)
})

test('F30 a connector killed under load loses at most the last second of events, and the next one records the gap', async () => {
  const place = await aPlace()
  const killed = await place.start('1')
  place.isQueueAway = true
  await place.tell(killed, 200)
  await killed.time.advance(1_000)
  await place.tell(killed, 3)
  place.engine.cut()

  const next = await place.start('2')
  place.isQueueAway = false
  await next.until(async () => (await place.ports.gaps.list(0)).some(({ reason }) => reason === 'connector-killed'))

  const wanted = place.wanted()
  expect(unpublished(wanted)).toEqual(wanted.slice(-3))
  await checkConnector(next, { engine: place.engine, wanted })
})
