import { describe, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { recordDeadConnectors } from '../../../connector/recovery/dead-connectors.ts'
import type { ConnectorReport, EventLinkReport } from '../../../core/connectors/connector-report.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { aCoreUuid } from '../../support/engine/engine-event.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aReport } from '../../support/records/records.ts'

const engine = '192.0.2.1:8021'
const last = { coreUuid: aCoreUuid, sequence: '4711' }

/** Stores with reports, and connectors that look after each other. */
function someReports() {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const start = time.clock.now()
  const stopping = new AbortController()
  return {
    time,
    ports,
    start,
    stop: () => stopping.abort(),
    report: (given: Partial<ConnectorReport>, upSince = start - 60_000) =>
      ports.connectorStatus.report(aReport({ reportedAt: start, eventLinks: [{ engine, last, upSince }], ...given })),
    /** Starts a connector that reports its links whenever it looks for dead ones, and returns the ids that it found. */
    watchFrom: (connectorId: string, links: () => readonly EventLinkReport[], refuse = () => false) => {
      const found: string[] = []
      const onDeadConnector = (dead: string) => {
        found.push(dead)
        if (refuse()) throw new Error('the store is gone')
      }
      const store = {
        list: async (since: number) => {
          await ports.connectorStatus.report(
            aReport({ connectorId, reportedAt: time.clock.now(), handedOverTo: 0, eventLinks: links() }),
          )
          return ports.connectorStatus.list(since)
        },
      }
      void recordDeadConnectors(
        { ...time, store, gaps: ports.gaps, connectorId, onDeadConnector, log: capturedLog() },
        stopping.signal,
      )
      return found
    },
  }
}

const up = (upSince: number): EventLinkReport => ({ engine, last: { coreUuid: aCoreUuid, sequence: '9' }, upSince })

test.each([
  ['had handed over all', 0, 0],
  ['had a lag of 300 ms', 300, 300],
  ['had a lag of a minute, with everything older than a second on its disk', 60_000, 1_000],
])('the gap of a connector that %s begins where its last events may be lost', async (_what, lagMs, lostMs) => {
  const { time, ports, start, report, watchFrom, stop } = someReports()
  await report({ connectorId: 'killed', handedOverTo: start - lagMs })

  watchFrom('successor', () => [up(start + 4_000)])
  await time.advance(60_000)

  expect(await ports.gaps.list(0)).toMatchObject([{ reason: 'connector-killed', from: start - lostMs }])
  stop()
})

test('the gap of a connector that reported what was on its disk begins after that, although another process took over the disk', async () => {
  const { time, ports, start, report, watchFrom, stop } = someReports()
  await report({
    connectorId: 'killed',
    handedOverTo: start - 60_000,
    keptTo: start - 20_000,
    spool: { owner: '1-2-boot', taken: [] },
  })
  await report({ connectorId: 'next', spool: { owner: '1-9-boot', taken: ['1-2-boot'] } }, start + 4_000)

  watchFrom('successor', () => [up(start + 4_000)])
  await time.advance(300_000)

  const gaps = (await ports.gaps.list(0)).filter(({ connectorId }) => connectorId === 'killed')
  expect(gaps).toMatchObject([{ reason: 'connector-killed', from: start - 20_000, to: start + 4_000 }])
  stop()
})

test('two connectors killed together with events in memory leave one recorded gap, that of the one seen later, up to the successor', async () => {
  const { time, ports, start, report, watchFrom, stop } = someReports()
  await report({ connectorId: 'a', reportedAt: start - 1_000, handedOverTo: start - 4_000, keptTo: start - 4_000 })
  await report({ connectorId: 'b', handedOverTo: start - 4_000, keptTo: start - 4_000 })

  watchFrom('successor', () => [up(start + 4_000)])
  await time.advance(60_000)

  expect(await ports.gaps.list(0)).toMatchObject([
    { connectorId: 'b', reason: 'connector-killed', from: start - 4_000, to: start + 4_000 },
  ])
  stop()
})

test('a connector killed with events that another had not read yet leaves a gap until the other was connected', async () => {
  const { time, ports, start, report, watchFrom, stop } = someReports()
  await report({ connectorId: 'killed', handedOverTo: start - 800, keptTo: start - 800 })

  watchFrom('other', () => [up(start - 300)])
  await time.advance(60_000)

  expect(await ports.gaps.list(0)).toMatchObject([{ reason: 'connector-killed', from: start - 800, to: start - 300 }])
  stop()
})

test("a gap begins with the last persisted event by the engine's clock, since events may be read late", async () => {
  const { time, ports, start, report, watchFrom, stop } = someReports()
  const link = { engine, last, upSince: start - 60_000, keptTo: start - 3_000 }
  await report({ connectorId: 'killed', handedOverTo: start, keptTo: start, eventLinks: [link] })

  watchFrom('successor', () => [up(start - 2_500)])
  await time.advance(60_000)

  expect(await ports.gaps.list(0)).toMatchObject([
    { reason: 'connector-killed', from: start - 3_000, to: start - 2_500 },
  ])
  stop()
})

test('two deaths of one connector are two gaps, even if it persisted nothing in between', async () => {
  const { time, ports, start, report, watchFrom, stop } = someReports()
  const link = { engine, last, upSince: start - 60_000, keptTo: start - 3_000 }
  await report({ connectorId: 'silent', eventLinks: [link] })
  let upSince = start + 10_000
  watchFrom('other', () => [up(upSince)])
  await time.advance(60_000)

  await report({ connectorId: 'silent', reportedAt: time.clock.now(), eventLinks: [link] })
  upSince = start + 90_000
  await time.advance(60_000)

  const from = start - 3_000
  const gaps = await ports.gaps.list(0)
  expect(gaps).toMatchObject([{ from }, { from }])
  expect(gaps.map(({ to }) => to - start).toSorted((a, b) => a - b)).toEqual([10_000, 90_000])
  stop()
})

test('a connector whose clock may be slow does not count as having read events from just before its link came up', async () => {
  const { time, ports, start, report, watchFrom, stop } = someReports()
  await report({ connectorId: 'killed', keptTo: start - 500 })

  watchFrom('other', () => [up(start - 900)])
  await time.advance(60_000)

  expect(await ports.gaps.list(0)).toMatchObject([{ from: start, to: start }])
  stop()
})

test('the successor of a killed connector records the gap in which no connector was linked', async () => {
  const { time, ports, start, report, watchFrom, stop } = someReports()
  await report({ connectorId: 'killed' })
  await time.advance(20_000)

  const found = watchFrom('successor', () => [up(start + 20_000)])
  await time.advance(40_000)

  expect(found).toEqual(['killed'])
  expect(await ports.gaps.list(0)).toMatchObject([
    {
      connectorId: 'killed',
      recordedBy: 'successor',
      engine,
      reason: 'connector-killed',
      from: start,
      to: start + 20_000,
      before: last,
      after: { coreUuid: aCoreUuid },
    },
  ])
  stop()
})

test('a connector that was silent for less than 30 seconds is not recorded as dead', async () => {
  const { time, ports, start, report, watchFrom, stop } = someReports()
  await report({ connectorId: 'slow' })

  const found = watchFrom('other', () => [up(start + 1)])
  await time.advance(29_000)

  expect([found, await ports.gaps.list(0)]).toEqual([[], []])
  stop()
})

test('a connector that reported its stop leaves a gap at once, and counts as dead only after its last writes', async () => {
  const { time, ports, start, report, watchFrom, stop } = someReports()
  await report({ connectorId: 'stopped', stoppedAt: start })

  const found = watchFrom('successor', () => [up(start + 5_000)])
  await time.advance(10_000)

  expect(found).toEqual([])
  expect(await ports.gaps.list(0)).toMatchObject([{ reason: 'connector-stopped', from: start, to: start + 5_000 }])
  await time.advance(60_000)
  expect(found).toEqual(['stopped'])
  expect(await ports.gaps.list(0)).toHaveLength(1)
  stop()
})

test('a connector whose stop takes two minutes counts as dead half a minute after its last report, not after its stop began', async () => {
  const { time, start, report, watchFrom, stop } = someReports()
  const found = watchFrom('other', () => [up(start - 90_000)])
  for (let passedMs = 0; passedMs < 110_000; passedMs += 5_000) {
    await report({ connectorId: 'stopping', stoppedAt: start, reportedAt: time.clock.now() })
    await time.advance(5_000)
  }
  expect(found).toEqual([])

  await time.advance(45_000)

  expect(found).toEqual(['stopping'])
  stop()
})

test('a connector that was only silent for a while can be recorded as dead again later', async () => {
  const { time, report, watchFrom, start, stop } = someReports()
  await report({ connectorId: 'silent' })
  const found = watchFrom('other', () => [up(start - 90_000)])
  await time.advance(45_000)

  await report({ connectorId: 'silent', reportedAt: time.clock.now() })
  await time.advance(29_000)
  expect(found).toEqual(['silent'])
  await time.advance(20_000)

  expect(found).toEqual(['silent', 'silent'])
  stop()
})

test('there is no gap if another connector was connected all the time, be it this one or a third', async () => {
  const { time, ports, start, report, watchFrom, stop } = someReports()
  await report({ connectorId: 'killed' })
  await time.advance(40_000)
  await report({ connectorId: 'third', reportedAt: time.clock.now() })

  const found = watchFrom('successor', () => [up(start + 40_000)])
  await time.advance(20_000)

  expect(found).toEqual(['killed'])
  expect(await ports.gaps.list(0)).toEqual([])
  stop()
})

test('exactly one of several connectors that notice a dead one at once records the gap, and each reports it once', async () => {
  const { time, ports, start, report, watchFrom, stop } = someReports()
  await report({ connectorId: 'killed' })

  const found = ['a', 'b', 'c'].map((id, index) => watchFrom(id, () => [up(start + 20_000 + index)]))
  await time.advance(120_000)

  expect(found).toEqual([['killed'], ['killed'], ['killed']])
  expect(await ports.gaps.list(0)).toHaveLength(1)
  stop()
})

test('the gap of a dead connector stays open while no link to the engine is up', async () => {
  const { time, ports, start, report, watchFrom, stop } = someReports()
  await report({ connectorId: 'killed' })
  let links: EventLinkReport[] = [up(0)]

  watchFrom('successor', () => links)
  await time.advance(100_000)
  expect(await ports.gaps.list(0)).toEqual([])
  links = [up(start + 100_000)]
  await time.advance(20_000)

  expect(await ports.gaps.list(0)).toMatchObject([{ from: start, to: start + 100_000 }])
  stop()
})

test('a dead connector is reported again to a handler that has failed', async () => {
  const { time, start, report, watchFrom, stop } = someReports()
  await report({ connectorId: 'killed' })
  let isGone = true

  const found = watchFrom(
    'successor',
    () => [up(start)],
    () => isGone,
  )
  await time.advance(45_000)
  isGone = false
  await time.advance(60_000)

  expect(found).toEqual(['killed', 'killed'])
  stop()
})

test.each([
  ['down when it went', 0],
  ['up again, without the gap on record', -1_000],
])('the gap of a link that was %s begins where it was lost', async (_what, upSince) => {
  const { time, ports, start, watchFrom, stop } = someReports()
  const since = upSince === 0 ? 0 : start + upSince
  const eventLinks = [{ engine, last, upSince: since, lostAt: start - 9_000 }]
  await ports.connectorStatus.report(aReport({ connectorId: 'killed', reportedAt: start, eventLinks }))

  watchFrom('successor', () => [up(start + 4_000)])
  await time.advance(60_000)

  expect(await ports.gaps.list(0)).toMatchObject([
    { reason: 'connector-killed', from: start - 9_000, to: start + 4_000, before: last },
  ])
  stop()
})

test('a link of this connector counts only when its report is stored, since otherwise a later crash would go unnoticed', async () => {
  const { time, ports, start, report, watchFrom, stop } = someReports()
  await report({ connectorId: 'killed' })
  watchFrom('successor', () => [])
  await time.advance(60_000)
  expect(await ports.gaps.list(0)).toEqual([])

  watchFrom('next', () => [up(start + 50_000)])
  await time.advance(20_000)

  expect(await ports.gaps.list(0)).toMatchObject([{ from: start, to: start + 50_000 }])
  stop()
})

describe('events that waited on the disk of a connector that was killed', () => {
  const spool = { owner: '1-77-aaaaaaaa', taken: [] }

  /** Records the death of a connector with a lag of a minute, and returns the gaps of its disk some time later. */
  async function aDeath(meanwhile: (harness: ReturnType<typeof someReports>) => Promise<unknown>, ms = 160_000) {
    const harness = someReports()
    await harness.report(
      { connectorId: 'killed', handedOverTo: harness.start - 60_000, spool },
      harness.start - 300_000,
    )
    harness.watchFrom('successor', () => [up(harness.start + 4_000)])
    await meanwhile(harness)
    await harness.time.advance(ms)
    harness.stop()
    const gaps = await harness.ports.gaps.list(0)
    return { harness, lost: gaps.filter(({ reason }) => reason === 'spool-lost') }
  }

  test("events left on a killed connector's disk that no process took over are one recorded gap", async () => {
    const { harness, lost } = await aDeath(async ({ watchFrom, start }) =>
      watchFrom('third', () => [up(start + 5_000)]),
    )

    expect(lost).toMatchObject([
      { connectorId: 'killed', engine, from: harness.start - 60_000, to: harness.start, after: last },
    ])
  })

  test("events left on a stopped connector's disk are a gap from its last handed-over event to the beginning of its stop", async () => {
    const harness = someReports()
    const { start, time, report, watchFrom, ports } = harness
    const stop = { connectorId: 'stopped', stoppedAt: start, spool }
    await report({ ...stop, handedOverTo: start - 300 }, start - 300_000)
    watchFrom('successor', () => [up(start + 4_000)])
    await time.advance(20_000)
    await report({ ...stop, reportedAt: time.clock.now(), handedOverTo: start - 200, spool: { ...spool, left: 1 } })

    await time.advance(115_000)
    const early = await ports.gaps.list(0)
    await time.advance(20_000)

    expect(early.map(({ reason }) => reason)).toEqual(['connector-stopped'])
    expect((await ports.gaps.list(0)).filter(({ reason }) => reason === 'spool-lost')).toMatchObject([
      { connectorId: 'stopped', from: start - 200, to: start },
    ])
    harness.stop()
  })

  test('events left by a connector without a disk that only reported the beginning of its stop are a gap', async () => {
    const { harness, lost } = await aDeath(({ report, start }) =>
      report({ connectorId: 'stopped', stoppedAt: start, handedOverTo: start - 100 }, start - 300_000),
    )

    expect(lost.map(({ connectorId, from, to }) => [connectorId, from - harness.start, to - harness.start])).toEqual([
      ['killed', -60_000, 0],
      ['stopped', -100, 0],
    ])
  })

  test('events that a killed connector had taken over and left on disk are a gap even of engines that it never reached', async () => {
    const { lost } = await aDeath(({ report, start }) =>
      report({
        connectorId: 'heir',
        handedOverTo: start - 60_000,
        eventLinks: [],
        engines: [{ name: 'fs2:8021', coreUuid: '', connected: false, heardAt: 0, status: '' }],
        spool: { owner: '1-88-bbbbbbbb', taken: ['1-70-bbbbbbbb'] },
      }),
    )

    expect(lost).toMatchObject([{ connectorId: 'heir', engine: 'fs2:8021' }, { connectorId: 'killed' }])
  })

  test("events left on a killed connector's disk are not counted as lost for two minutes", async () => {
    expect((await aDeath(async () => {}, 115_000)).lost).toEqual([])
  })

  const nextWith = async (theirs: ConnectorReport['spool']) => {
    const { lost } = await aDeath(({ report, start }) =>
      report(
        { connectorId: 'next', startedAt: start + 2_000, reportedAt: start + 10_000, spool: theirs },
        start + 3_000,
      ),
    )
    return lost
  }

  test("events left on a killed connector's disk are not lost if another process reports that it took them over", async () => {
    expect(await nextWith({ owner: '9-99-bbbbbbbb', taken: ['5-55-aaaaaaaa', '1-77-aaaaaaaa'] })).toEqual([])
  })

  test('events left on the disk of a killed container are lost even if another container started on the same host', async () => {
    expect(await nextWith({ owner: '2-88-aaaaaaaa', taken: [] })).toHaveLength(1)
  })

  test("events left on a killed connector's disk are not lost once another connector has handed over what it read at that time", async () => {
    const listened = (harness: ReturnType<typeof someReports>, at: number, handedOverTo: number) =>
      harness.report({ connectorId: 'other', reportedAt: at, handedOverTo }, harness.start - 300_000)
    const { harness, lost } = await aDeath(async (harness) => {
      for (let seconds = 10; seconds <= 300; seconds += 10) {
        await listened(harness, harness.start + seconds * 1_000, harness.start - 50_000)
        await harness.time.advance(10_000)
      }
      expect((await harness.ports.gaps.list(0)).filter(({ reason }) => reason === 'spool-lost')).toEqual([])
      await listened(harness, harness.start + 301_000, harness.start + 301_000)
    })

    expect([lost, harness.time.clock.now() - harness.start]).toEqual([[], 460_000])
  })

  test("events left on a killed connector's disk are lost if the other connector that read them dies before handing them over", async () => {
    const { lost } = await aDeath(({ report, start }) =>
      report({ connectorId: 'other', reportedAt: start + 1_000, handedOverTo: start - 50_000 }, start - 300_000),
    )

    expect(lost.map(({ connectorId }) => connectorId).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'killed',
      'other',
    ])
  })
})
