import { expect, test } from 'vitest'
import { EngineMarks } from '../../../connector/recovery/event-link.ts'
import { EventLinks } from '../../../connector/recovery/event-links.ts'
import type { GapFound } from '../../../connector/recovery/gap-log.ts'
import { aCoreUuid, anEngineEvent } from '../../support/engine/engine-event.ts'
import { manualTime } from '../../support/processes/manual-time.ts'

const engine = '192.0.2.1:8021'
const narrow: ReadonlySet<string> = new Set()
const nextCore = '11111111-2222-4333-8444-555555555555'

function someLinks() {
  const time = manualTime()
  const gaps: GapFound[] = []
  const unread: string[] = []
  const unreadable = () => links.unreadable(engine, () => void unread.push(engine))
  const links = new EventLinks({
    ...time,
    marks: new EngineMarks(),
    gaps: { add: (gap) => void gaps.push(gap), unstoredFrom: () => undefined },
  })
  const heard = (sequence: number, coreUuid = aCoreUuid) => {
    const headers = { 'Event-Date-Timestamp': `${time.clock.now()}000` }
    links.heard(anEngineEvent({ name: 'HEARTBEAT', sequence, coreUuid, headers }), engine)
  }
  return { time, gaps, unread, links, heard, unreadable, at: () => `${time.clock.now()}000` }
}

test('a link that is lost and restored is a gap between its last and its first event', async () => {
  const { time, gaps, links, heard } = someLinks()
  links.up(engine, aCoreUuid)
  heard(41)
  const from = time.clock.now()
  await time.advance(7_000)
  links.down(engine, 'silent')
  await time.advance(3_000)

  links.up(engine, aCoreUuid)
  await time.advance(1_000)
  heard(57)

  expect(gaps).toEqual([
    {
      engine,
      reason: 'silent',
      from,
      to: from + 10_000,
      before: { coreUuid: aCoreUuid, sequence: '41' },
      after: { coreUuid: aCoreUuid, sequence: '57' },
    },
  ])
})

test('a link that is lost again before its first event is a second gap, which begins when that link came up', async () => {
  const { time, gaps, links, heard } = someLinks()
  links.up(engine, aCoreUuid)
  heard(41)
  const from = time.clock.now()
  links.down(engine, 'closed')
  await time.advance(1_000)
  links.up(engine, aCoreUuid)
  await time.advance(2_000)

  links.down(engine, 'closed')
  await time.advance(60_000)
  links.up(engine, aCoreUuid)
  heard(42)

  expect(gaps).toMatchObject([
    { from, to: from + 1_000 },
    { from: from + 1_000, to: from + 63_000 },
  ])
})

test('minutes of unreadable events without a readable one are reported as one gap each half minute', async () => {
  const { time, gaps, links, heard, unreadable } = someLinks()
  links.up(engine, aCoreUuid)
  heard(41)
  const from = time.clock.now()
  for (const _half of [1, 2, 3]) {
    for (let count = 0; count < 10; count += 1) unreadable()
    await time.advance(30_000)
  }

  expect(gaps.map((gap) => [gap.from - from, gap.dropped?.count])).toEqual([
    [0, 10],
    [30_000, 10],
    [60_000, 10],
  ])
})

test('every time without a link is remembered, however often the link is lost', async () => {
  const { time, links, heard, at } = someLinks()
  links.up(engine, aCoreUuid)
  const missed: string[] = []
  for (let loss = 0; loss < 40; loss += 1) {
    heard(loss)
    links.down(engine, 'closed')
    await time.advance(5_000)
    missed.push(at())
    await time.advance(5_000)
    links.up(engine, aCoreUuid)
    await time.advance(1_000)
  }
  await time.advance(60_000)

  expect(missed.filter((moment) => !links.mayHaveMissed(engine, moment))).toEqual([])
  expect(links.mayHaveMissed(engine, at())).toBe(false)
})

test('the first link of a connector is no gap', () => {
  const { gaps, links, heard } = someLinks()

  expect(links.up(engine, aCoreUuid)).toEqual({ isFirst: true, endedCore: '', heardTo: 0 })
  heard(1)

  expect(gaps).toEqual([])
})

test('a restarted engine process is reported, and named in the gap', async () => {
  const { gaps, links, heard } = someLinks()
  links.up(engine, aCoreUuid)
  heard(4_711)
  const heardTo = links.down(engine, 'closed')

  expect(links.up(engine, nextCore)).toEqual({ isFirst: false, endedCore: aCoreUuid, heardTo })
  heard(1, nextCore)

  expect(gaps).toMatchObject([
    { reason: 'engine-restarted', before: { sequence: '4711' }, after: { coreUuid: nextCore, sequence: '1' } },
  ])
})

test('a gap is reported without a first event if none arrives, or if the link is lost before one does', async () => {
  const { time, gaps, links, heard } = someLinks()
  links.up(engine, aCoreUuid)
  heard(1)
  links.down(engine, 'closed')
  links.up(engine, aCoreUuid)
  await time.advance(25_000)
  expect(gaps).toMatchObject([{ reason: 'closed', after: { sequence: '' } }])

  links.down(engine, 'overflow')
  links.up(engine, aCoreUuid)
  links.down(engine, 'closed')

  expect(gaps.map(({ reason }) => reason)).toEqual(['closed', 'overflow'])
})

test('events may have been missed only between the last event before a gap and the first after it', async () => {
  const { time, links, heard, at } = someLinks()
  links.up(engine, aCoreUuid)
  const before = at()
  await time.advance(60_000)
  heard(1)
  links.down(engine, 'closed')
  await time.advance(10_000)
  const inside = at()
  links.up(engine, aCoreUuid)
  await time.advance(5_000)
  heard(2)
  await time.advance(60_000)

  expect([before, inside, at(), '', '0'].map((moment) => links.mayHaveMissed(engine, moment))).toEqual([
    false,
    true,
    false,
    false,
    false,
  ])
  expect(links.mayHaveMissed('192.0.2.2:8021', inside)).toBe(false)
})

test('events that cannot be read are reported as one gap with their number each half minute, and checked against the engine', async () => {
  const { time, gaps, unread, links, heard, unreadable } = someLinks()
  links.up(engine, aCoreUuid)
  heard(1)
  const from = time.clock.now()

  for (let count = 0; count < 5; count += 1) unreadable()
  heard(9)
  await time.advance(30_000)

  expect(gaps).toMatchObject([{ reason: 'unreadable', from, dropped: { class: 'unreadable', count: 5 } }])
  expect(unread).toEqual([engine])
})

test('the report states for each link how far it was read, and since when it is up', async () => {
  const { time, links, heard } = someLinks()
  links.up(engine, aCoreUuid)
  const upSince = time.clock.now()
  await time.advance(5_000)
  heard(12)
  const last = { coreUuid: aCoreUuid, sequence: '12' }
  const keptTo = time.clock.now() + 1
  expect(links.reports({ queuedTo: 0, keptTo, narrow })).toEqual([{ engine, last, upSince, keptTo: upSince + 5_000 }])

  links.down(engine, 'closed')

  expect(links.reports({ queuedTo: 0, keptTo, narrow })).toMatchObject([
    { engine, last, upSince: 0, lostAt: upSince + 5_000 },
  ])
})

test('a report states up to which moment of the engine all events are queued, however late they were read', async () => {
  const { time, links } = someLinks()
  links.up(engine, aCoreUuid)
  const start = time.clock.now()
  const read = (sentAt: number) => {
    const headers = { 'Event-Date-Timestamp': `${start + sentAt}000` }
    links.heard(anEngineEvent({ name: 'HEARTBEAT', headers }), engine)
  }
  const handedOver = (queuedTo: number) =>
    links.reports({ queuedTo: start + queuedTo, keptTo: 0, narrow })[0]?.handedOverTo
  await time.advance(3_000)
  read(-5)
  await time.advance(1_000)
  read(10)
  read(11)
  await time.advance(1_000)

  expect(handedOver(3_000)).toBeUndefined()
  expect(handedOver(4_000)).toBe(start - 5)
  expect(handedOver(4_001)).toBe(start + 11)
})

test('a report states since when events were missed until the gap is stored', async () => {
  const time = manualTime()
  let storedFrom: number | undefined
  const links = new EventLinks({
    ...time,
    marks: new EngineMarks(),
    gaps: { add: () => {}, unstoredFrom: () => storedFrom },
  })
  const lostAt = () => links.reports({ queuedTo: 0, keptTo: 0, narrow })[0]?.lostAt
  const start = time.clock.now()
  links.up(engine, aCoreUuid)
  links.heard(anEngineEvent(), engine)
  expect(lostAt()).toBeUndefined()
  await time.advance(2_000)

  links.down(engine, 'closed')
  expect(lostAt()).toBe(start)
  links.up(engine, aCoreUuid)
  expect(lostAt()).toBe(start)
  await time.advance(25_000)
  expect(lostAt()).toBeUndefined()

  const headers = { 'Event-Date-Timestamp': `${time.clock.now()}000` }
  links.heard(anEngineEvent({ headers }), engine)
  links.unreadable(engine, () => {})
  expect(lostAt()).toBe(start + 27_000)
  links.settle()
  storedFrom = 4
  expect(lostAt()).toBe(4)
})

test('a report states up to which moment of the engine all events are persisted, which is the last event read before it', async () => {
  const { time, links } = someLinks()
  const start = time.clock.now()
  const kept = (keptTo: number) =>
    (links.reports({ queuedTo: 0, keptTo: start + keptTo, narrow })[0]?.keptTo ?? 0) - start
  const read = (sentAt: number) => {
    const headers = { 'Event-Date-Timestamp': `${start + sentAt}000` }
    links.heard(anEngineEvent({ name: 'HEARTBEAT', headers }), engine)
  }
  links.up(engine, aCoreUuid)
  await time.advance(5_000)
  read(1_500)
  await time.advance(5_000)
  read(6_000)

  expect([kept(5_000), kept(5_001), kept(10_000), kept(10_001)]).toEqual([0, 1_500, 1_500, 6_000])
})

test('a lag is not computed from the time of an engine whose clock is years slow', async () => {
  const { time, links, gaps } = someLinks()
  links.up(engine, aCoreUuid)
  const from = time.clock.now()
  links.heard(anEngineEvent({ name: 'HEARTBEAT', headers: { 'Event-Date-Timestamp': '1000000' } }), engine)
  await time.advance(1_000)

  expect(links.reports({ queuedTo: 0, keptTo: from + 1, narrow })).toMatchObject([{ keptTo: from + 1 }])
  links.down(engine, 'closed')
  links.up(engine, aCoreUuid)
  links.settle()

  expect(gaps).toMatchObject([{ from }])
})
