import { expect, test } from 'vitest'
import type { ConnectorReport } from '../../../core/connectors/connector-report.ts'
import { statusReporter } from '../../../connector/health/status-report.ts'
import type { Engine } from '../../../connector/runtime/engine.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { type FakeEslSession, fakeEslSession } from '../../support/engine/fake-esl-session.ts'
import { manualTime } from '../../support/processes/manual-time.ts'

interface Played extends Engine {
  readonly commands: FakeEslSession
  readonly events: FakeEslSession
}

const anEngine = (name: string): Played => ({
  name,
  commands: fakeEslSession(),
  events: fakeEslSession(),
  coreUuid: `core of ${name}`,
  reasons: {},
})

const byDomain = Array.from({ length: 501 }, (_, index) => ({
  domain: `d${index}.example.com`,
  inFlight: 1,
  waiting: 0,
}))

/** The reports on two engines with both links up, as they are stored. */
function twoEngines() {
  const time = manualTime()
  const [fs1, fs2] = [anEngine('fs1:8021'), anEngine('fs2:8021')]
  for (const { commands, events } of [fs1, fs2]) {
    commands.answer = () => 'UP\n'
    commands.up()
    events.up()
  }
  const reports: ConnectorReport[] = []
  const stopping = new AbortController()
  const reporter = statusReporter({
    ...time,
    store: {
      report: async (report) => void reports.push(report),
      countStart: async () => 0,
    },
    engines: [fs1, fs2],
    channelsOf: (name) => (name === 'fs1:8021' ? 3 : undefined),
    eventLinks: () => [],
    handedOverTo: () => time.clock.now(),
    keptTo: () => time.clock.now(),
    connectorId: 'connector-1',
    version: '1.2.3',
    startedAt: time.clock.now(),
    queues: () => ({ inFlight: 0, waiting: 0, byDomain }),
    log: capturedLog(),
  })
  const reporting = reporter.follow(stopping.signal)
  const stop = async () => {
    stopping.abort()
    await time.advance(10_000)
    await reporting
  }
  return { time, fs1, fs2, reports, stop }
}

test('every engine is reported with its id, its status text, and its number of calls as far as that is known', async () => {
  const { time, reports, stop } = twoEngines()

  await time.advance(0)

  expect(reports.at(-1)?.engines).toEqual([
    { name: 'fs1:8021', coreUuid: 'core of fs1:8021', connected: true, heardAt: 0, status: 'UP\n', channels: 3 },
    { name: 'fs2:8021', coreUuid: 'core of fs2:8021', connected: true, heardAt: 0, status: 'UP\n' },
  ])
  await stop()
})

test('the commands of the five hundred busiest domains are reported, so that a report fits into an item', async () => {
  const { time, reports, stop } = twoEngines()

  await time.advance(0)

  expect(reports.at(-1)?.commandsByDomain).toEqual(byDomain.slice(0, 500))
  await stop()
})

test('the loss of one engine is reported within a quarter of a second, while the other stays', async () => {
  const { time, fs2, reports, stop } = twoEngines()
  await time.advance(1_000)
  const before = reports.length

  fs2.events.down()
  await time.advance(250)

  expect(reports).toHaveLength(before + 1)
  expect(reports.at(-1)).toMatchObject({
    engines: [
      { connected: true, status: 'UP\n' },
      { connected: false, status: '' },
    ],
  })
  await stop()
})

test('an engine that hangs delays a report by a second at most, is asked once, and keeps its status text for a while', async () => {
  const { time, fs1, reports, stop } = twoEngines()
  await time.advance(0)
  fs1.commands.answer = () => new Promise(() => {})

  await time.advance(6_100)
  const [first, second] = reports
  await time.advance(14_000)

  expect(second && first && second.reportedAt - first.reportedAt).toBe(6_000)
  expect(second?.engines).toMatchObject([{ status: 'UP\n' }, { status: 'UP\n' }])
  expect(reports.at(-1)?.engines).toMatchObject([{ connected: true, status: '' }, { status: 'UP\n' }])
  expect(fs1.commands.asked).toEqual(['status', 'status'])
  await stop()
})

test('a status text is reported up to its first 2 048 characters', async () => {
  const { time, fs1, reports, stop } = twoEngines()
  fs1.commands.answer = () => 'x'.repeat(5_000)

  await time.advance(0)

  expect(reports.at(-1)?.engines?.[0]?.status).toHaveLength(2_048)
  await stop()
})
