import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { emfMetrics } from '../../../adapters/metrics/emf-metrics.ts'
import type { ConnectorHealth, EngineHealth, LinkHealth } from '../../../connector/health/connector-health.ts'
import { metricReporter, readMetrics, times } from '../../../connector/health/metrics.ts'
import { countMetrics, levelMetrics, timeMetrics } from '../../../contracts/metrics.ts'
import type { EngineCommand } from '../../../core/commands/commands.ts'
import { startScriptedEngine } from '../../support/engine/scripted-engine.ts'
import { aChannelFor } from '../../support/platform/api-commands.ts'
import { anEavesdrop } from '../../support/connector/command-message.ts'
import { aCommandPath } from '../../support/connector/command-path.ts'
import { manualTime, settle } from '../../support/processes/manual-time.ts'
import { aRunningConnector } from '../../support/connector/running-connector.ts'

const everyMetric = [...countMetrics, ...Object.keys(levelMetrics), ...timeMetrics]

function aLink(given: Partial<LinkHealth> = {}): LinkHealth {
  return {
    state: 'ready',
    heardAt: 0,
    connections: 1,
    unreadableEvents: 0,
    lateReplies: 0,
    strayReplies: 0,
    ...given,
  }
}

function anEngine(given: Partial<EngineHealth> = {}): EngineHealth {
  return { name: '192.0.2.1:8021', status: 'OK', coreUuid: '', commands: aLink(), events: aLink(), ...given }
}

function aHealth(given: Partial<ConnectorHealth> = {}): ConnectorHealth {
  return {
    status: 'OK',
    connectorId: 'connector-1',
    version: '1.2.3',
    startedAt: 0,
    engines: [],
    lagMs: 0,
    counters: {},
    ...given,
  }
}

/** A reporter whose process has the health that a test gives it, and the lines that it wrote. */
function aReporter(counted: Readonly<Record<string, number>> = {}, level?: number) {
  const time = manualTime()
  const lines: Record<string, unknown>[] = []
  const state = { health: aHealth() }
  const kept = { CommandDelay: times(100, () => 0), OrderTime: times(100, () => 0) }
  const reporter = metricReporter({
    ...time,
    metrics: emfMetrics({ clock: time.clock, write: (line) => lines.push(JSON.parse(line)) }),
    read: () => {
      const { totals, levels } = readMetrics(state.health)
      const raised = level === undefined ? {} : Object.fromEntries(Object.keys(levels).map((name) => [name, level]))
      return { totals: { ...totals, ...counted }, levels: { ...levels, ...raised } }
    },
    times: kept,
  })
  return { time, lines, state, kept, reporter }
}

describe('the lines of metrics', () => {
  test('each line of metrics counts from the one before, so that their sum is the total', async () => {
    const { time, lines, state, reporter } = aReporter()
    const stopping = new AbortController()
    const followed = reporter.follow(stopping.signal)

    for (const eventsRead of [5, 5, 12]) {
      state.health = aHealth({ counters: { eventsRead } })
      await time.advance(30_000)
    }

    expect(lines.map((line) => line['EventsRead'])).toEqual([5, undefined, 7])
    stopping.abort()
    await followed
  })

  test('a final line of metrics contains what came after the last regular one', async () => {
    const { time, lines, state, reporter } = aReporter()
    const stopping = new AbortController()
    const followed = reporter.follow(stopping.signal)
    state.health = aHealth({ counters: { eventsRead: 3 } })
    await time.advance(30_000)
    state.health = aHealth({ counters: { eventsRead: 4 } })

    stopping.abort()
    await followed
    reporter.write()

    expect(lines.map((line) => line['EventsRead'])).toEqual([3, 1])
  })

  test('a restarted process counts from zero and repeats no earlier count', () => {
    const [before, after] = [aReporter(), aReporter()]
    before.state.health = aHealth({ counters: { gaps: 2 } })
    before.reporter.write()

    after.state.health = aHealth({ counters: { gaps: 1 } })
    after.reporter.write()

    expect([before.lines[0]?.['Gaps'], after.lines[0]?.['Gaps']]).toEqual([2, 1])
  })

  test('a duration is reported once, and a line without any leaves the metric out', () => {
    const { lines, kept, reporter } = aReporter()
    kept.OrderTime.note(12)
    kept.OrderTime.note(-3)

    reporter.write()
    reporter.write()

    expect(lines[0]).toMatchObject({ OrderTime: [12, 0] })
    expect(lines[1]).not.toHaveProperty('OrderTime')
  })

  test('a count of zero is not written, nor is a level that has been zero for ten minutes, because each metric of an hour costs money', () => {
    const { lines, reporter } = aReporter()

    for (let line = 0; line <= 20; line += 1) reporter.write()

    expect(lines.map((line) => line['EnginesAway'])).toEqual([...Array(20).fill(0), undefined])
    expect(Object.keys(lines.at(-1) ?? {}).sort()).toEqual(['Lag', '_aws', 'service'])
  })

  test('a level that has become zero is written as zero for ten minutes, so that its alarm ends, and then no more', () => {
    const { lines, state, reporter } = aReporter()
    state.health = aHealth({ counters: { spoolEvents: 3 } })
    reporter.write()
    state.health = aHealth()

    for (let line = 0; line < 30; line += 1) reporter.write()

    expect(lines.map((line) => line['SpoolEvents'])).toEqual([3, ...Array(20).fill(0), ...Array(10).fill(undefined)])
  })

  test('a line of metrics contains exactly the metrics that are declared', () => {
    const { lines, kept, reporter } = aReporter(Object.fromEntries(countMetrics.map((name) => [name, 1])), 1)
    kept.OrderTime.note(1)
    kept.CommandDelay.note(1)

    reporter.write()

    const { _aws, service, ...values } = lines[0] ?? {}
    expect(Object.keys(values).sort()).toEqual(everyMetric.toSorted())
    expect(service).toBe('connector')
    expect(_aws).toMatchObject({ CloudWatchMetrics: [{ Namespace: 'Callplane/Connector', Dimensions: [['service']] }] })
  })
})

describe('what is measured of a health', () => {
  test('reopened links count as reconnects, and events that they could not read count as skipped', () => {
    const events = aLink({ connections: 4, unreadableEvents: 2, lateReplies: 1, strayReplies: 3 })
    const engines = [anEngine({ events }), anEngine({ commands: aLink({ connections: 2, lateReplies: 5 }) })]

    const { totals } = readMetrics(aHealth({ engines, counters: { eventsUnreadable: 7, answersLate: 1 } }))

    expect(totals).toMatchObject({ Reconnects: 4, EventsUnreadable: 9, AnswersLate: 7, AnswersStray: 3 })
  })

  test('an engine that refuses is distinguished from one that is away', () => {
    const refusing = (reason: 'auth-refused' | 'access-rejected') =>
      anEngine({ status: 'error', commands: aLink({ state: 'down', reason }) })
    const away = anEngine({ status: 'error', events: aLink({ state: 'down', reason: 'unreachable' }) })
    const engines = [refusing('auth-refused'), refusing('access-rejected'), away, anEngine()]

    const { levels } = readMetrics(aHealth({ engines }))

    expect(levels).toMatchObject({ EnginesRefusing: 2, EnginesAway: 1 })
  })

  test('gaps recorded for a dead connector are measured as well', () => {
    const counters = { gaps: 1, gapsOfLostConnectors: 2, commands_unknown: 1, commandsOfLostConnectors: 4 }

    expect(readMetrics(aHealth({ counters })).totals).toMatchObject({ Gaps: 3, CommandsUnknown: 5 })
  })
})

describe('the embedded metric format', () => {
  test('every metric has a unit, and no line has more than 99 values of one', () => {
    const lines: string[] = []
    const metrics = emfMetrics({ clock: { now: () => 7 }, write: (line) => lines.push(line) })

    metrics.put({ Lag: 4, Gaps: 1, SpoolBytes: 9, OrderTime: Array.from({ length: 150 }, (_, index) => index) })

    const { _aws, ...values } = JSON.parse(lines[0] ?? '')
    expect(_aws).toEqual({
      Timestamp: 7,
      CloudWatchMetrics: [
        {
          Namespace: 'Callplane/Connector',
          Dimensions: [['service']],
          Metrics: [
            { Name: 'Lag', Unit: 'Milliseconds' },
            { Name: 'Gaps', Unit: 'Count' },
            { Name: 'SpoolBytes', Unit: 'Bytes' },
            { Name: 'OrderTime', Unit: 'Milliseconds' },
          ],
        },
      ],
    })
    expect(values).toMatchObject({ service: 'connector', Lag: 4, Gaps: 1, SpoolBytes: 9 })
    expect(values.OrderTime).toHaveLength(99)
  })

  test('the metrics of a stage have a namespace of their own', () => {
    const lines: string[] = []
    const metrics = emfMetrics({ clock: { now: () => 7 }, stage: 'prod', write: (line) => lines.push(line) })

    metrics.put({ Gaps: 1 })

    expect(JSON.parse(lines[0] ?? '')._aws.CloudWatchMetrics[0].Namespace).toBe('Callplane/prod/Connector')
  })

  test('a metric that is not a number is left out, and a line without any number is not written', () => {
    const lines: string[] = []
    const metrics = emfMetrics({ clock: { now: () => 7 }, write: (line) => lines.push(line) })

    metrics.put({ Lag: Number.NaN, OrderTime: [] })
    metrics.put({ Lag: Number.POSITIVE_INFINITY, Gaps: 0 })

    expect(lines.map((line) => Object.keys(JSON.parse(line)))).toEqual([['_aws', 'service', 'Gaps']])
  })
})

test('a connector writes its metrics while it runs, and the last of them when it has stopped', async () => {
  const engine = await startScriptedEngine()
  const lines: Readonly<Record<string, unknown>>[] = []
  const running = await aRunningConnector([{ host: '127.0.0.1', port: engine.port, password: 'ClueCon' }], {
    metrics: { put: (values) => lines.push(values) },
  })
  await running.until(() => running.connector.health().status === 'OK')
  for (let seconds = 0; lines.length === 0 && seconds < 60; seconds += 1) {
    await running.time.advance(1_000)
    await settle()
  }
  expect(lines[0]).toMatchObject({ Lag: 0 })
  await running.until(() => engine.asked.includes('show channels as json'))
  const message = await running.post({ kind: 'hold', uuid: randomUUID() })
  await running.until(async () => (await running.outcome(message)) !== undefined)

  await running.stop()
  await engine.close()

  const sum = (name: string) => lines.reduce((all, line) => all + Number(line[name] ?? 0), 0)
  const outcomes = countMetrics.filter((name) => /^Commands(?:Done|Refused|Absent|Unsent|Unknown)$/.test(name))
  expect(outcomes.map(sum).reduce((all, count) => all + count)).toBe(1)
  // A level of 0 may be left out.
  expect([lines.at(-1)?.['CommandsInFlight'] ?? 0, lines.at(-1)?.['EventsWaiting'] ?? 0]).toEqual([0, 0])
})

test('the measured time of an order includes only what an engine does at once: no ringing, and no order that was never sent', async () => {
  const path = await aCommandPath()
  await path.connect()
  const scope = { domain: 'a.example.com', presenceId: null }
  const run = (command: EngineCommand) => path.finish(path.calls.run(command, scope, 20_000))
  path.engine.onJob = (job) => {
    job.accept()
    path.time.timers.after(job.line.startsWith('originate ') ? 15_000 : 40, () => job.finish(job.run()))
  }

  await run(anEavesdrop({ target: aChannelFor(path, 'eavesdrop') }))
  await run({ kind: 'hold', uuid: randomUUID() })
  await run({ kind: 'hold', uuid: aChannelFor(path, 'hold') })
  await path.time.advance(31_000)
  await path.close()

  const times = path.metrics.flatMap((line): readonly number[] => JSON.parse(line).OrderTime ?? [])
  expect(times).toEqual([expect.toSatisfy((ms: number) => ms >= 40 && ms < 1_000)])
})

test('a sample of more durations than fit may keep any of them, and taking the sample empties it', () => {
  const draws = [0.9, 0.25]
  const kept = times(2, () => draws.shift() ?? 0)

  for (const ms of [1, 2, 3, 4]) kept.note(ms)

  expect(kept.take()).toEqual([1, 2].with(1, 4))
  expect(kept.take()).toEqual([])
})
