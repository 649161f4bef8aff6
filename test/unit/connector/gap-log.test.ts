import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { gapLog } from '../../../connector/recovery/gap-log.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { gone } from '../../support/stores/flaky.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aGap } from '../../support/records/records.ts'

function aLog(
  isGone = () => false,
  limit?: number,
  sentBefore?: (moment: number) => number,
  before: () => Promise<void> = async () => {},
) {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const log = capturedLog()
  const store = gone(ports.gaps, 'record', isGone)
  const slowly: typeof store = { ...store, record: (gap) => before().then(() => store.record(gap)) }
  const gaps = gapLog({ ...time, store: slowly, connectorId: 'connector-1', random: () => 0, log, limit, sentBefore })
  return { time, ports, log, gaps, stored: () => ports.gaps.list(0) }
}

test('a gap is stored under an id of its own, and logged', async () => {
  const { time, gaps, log, stored } = aLog()

  gaps.add(aGap({ reason: 'silent' }))
  await time.advance(0)

  expect(await stored()).toMatchObject([{ reason: 'silent', connectorId: 'connector-1', recordedBy: 'connector-1' }])
  expect(log.lines).toMatchObject([{ level: 'warn', keys: { reason: 'silent' } }])
  expect(gaps.counts.found).toBe(1)
})

test('a gap that is recorded twice is one gap', async () => {
  const { time, gaps, stored } = aLog()

  gaps.add(aGap({ from: 5 }))
  gaps.add(aGap({ from: 5 }))
  await time.advance(0)

  expect(await stored()).toHaveLength(1)
})

test.each([
  ['reasons', { reason: 'silent' }],
  ['engines', { engine: '192.0.2.2:8021' }],
  ['beginnings', { from: 6 }],
  ['classes of dropped events', { dropped: { class: 'calls', count: 1 } }],
])('gaps with different %s are two gaps, however alike they are otherwise', async (_what, other) => {
  const { time, gaps, stored } = aLog()

  gaps.add(aGap({ from: 5, dropped: { class: 'others', count: 1 } }))
  gaps.add(aGap({ from: 5, dropped: { class: 'others', count: 1 }, ...other }))
  await time.advance(0)

  expect(await stored()).toHaveLength(2)
})

test('while the store is away gaps wait, and are then stored in order', async () => {
  let isGone = true
  const { time, gaps, stored } = aLog(() => isGone)
  for (const from of [1, 2, 3]) gaps.add(aGap({ from }))
  await time.advance(60_000)
  expect(gaps.waiting).toBe(3)

  isGone = false
  await time.advance(6_000)

  expect((await stored()).map(({ from }) => from)).toEqual([1, 2, 3])
  expect(gaps.waiting).toBe(0)
})

test('a gap above the limit evicts the oldest one, which is counted', async () => {
  const { time, gaps, stored } = aLog(() => true, 2)

  for (const from of [1, 2, 3]) gaps.add(aGap({ from }))
  await time.advance(60_000)

  expect([gaps.waiting, gaps.counts.lost, await stored()]).toEqual([2, 1, []])
})

test('a gap that is evicted while it is being stored does not remove another one', async () => {
  const held = Promise.withResolvers<void>()
  const { time, gaps, stored } = aLog(
    () => false,
    2,
    undefined,
    () => held.promise,
  )
  for (const from of [1, 2, 3]) {
    gaps.add(aGap({ from }))
    await time.advance(0)
  }

  held.resolve()
  await time.advance(0)

  expect(gaps.counts.lost).toBe(1)
  expect((await stored()).map(({ from }) => from)).toEqual([1, 2, 3])
  expect(gaps.waiting).toBe(0)
})

test('event drops of one class within ten seconds are one gap with their number', async () => {
  const { time, gaps, stored } = aLog()

  gaps.recordDrop({ class: 3, count: 2, from: 10, to: 20 })
  gaps.recordDrop({ class: 1, count: 1, from: 15, to: 15 })
  await time.advance(9_000)
  gaps.recordDrop({ class: 3, count: 5, from: 30, to: 40 })
  await time.advance(2_000)
  gaps.recordDrop({ class: 3, count: 7, from: 50, to: 60 })
  await time.advance(10_000)

  expect(await stored()).toMatchObject([
    { from: 10, to: 40, reason: 'dropped', dropped: { class: '3', count: 7 } },
    { from: 15, to: 15, reason: 'dropped', dropped: { class: '1', count: 1 } },
    { from: 50, to: 60, reason: 'dropped', dropped: { class: '3', count: 7 } },
  ])
})

test('event drops of two classes whose first events are of the same moment are two gaps', async () => {
  const { time, gaps, stored } = aLog()

  gaps.recordDrop({ class: 1, count: 1, from: 10, to: 20 })
  gaps.recordDrop({ class: 2, count: 1, from: 10, to: 20 })
  await time.advance(10_000)

  expect(new Set((await stored()).map(({ dropped }) => dropped?.class))).toEqual(new Set(['1', '2']))
})

test('a stop waits for gaps that can be stored, and not for a store that is away', async () => {
  let isGone = true
  const { time, gaps, stored } = aLog(() => isGone)
  gaps.add(aGap({ from: 1 }))
  gaps.recordDrop({ class: 2, count: 1, from: 2, to: 2 })
  await time.advance(100)

  await gaps.flushed()
  expect(await stored()).toEqual([])
  isGone = false
  await time.advance(6_000)

  expect((await stored()).map(({ from }) => from)).toEqual([1, 2])
})

test('the time from which events of an engine are missing is known until the gap is stored, including drops of any engine', async () => {
  let isGone = true
  const { time, gaps } = aLog(() => isGone)
  expect(gaps.unstoredFrom('fs1:8021')).toBeUndefined()

  gaps.add(aGap({ engine: 'fs1:8021', from: 50 }))
  gaps.add(aGap({ engine: 'fs2:8021', from: 20 }))
  gaps.recordDrop({ class: 1, count: 3, from: 40, to: 60 })
  expect(['fs1:8021', 'fs2:8021', 'fs3:8021'].map((name) => gaps.unstoredFrom(name))).toEqual([40, 20, 40])
  await time.advance(20_000)
  expect(gaps.unstoredFrom('fs1:8021')).toBe(40)

  isGone = false
  await time.advance(10_000)
  expect(gaps.unstoredFrom('fs1:8021')).toBeUndefined()
})

test('event drops begin at the time of their first event at the engine, and stay two gaps when that time is the same', async () => {
  const { time, gaps, stored } = aLog(undefined, undefined, () => 7)

  gaps.recordDrop({ class: 3, count: 1, from: 10, to: 20 })
  await time.advance(10_000)
  gaps.recordDrop({ class: 3, count: 2, from: 30, to: 40 })
  await time.advance(10_000)

  const found = (await stored()).toSorted((a, b) => a.to - b.to)
  expect(found.map(({ from, to, dropped }) => [from, to, dropped?.count])).toEqual([
    [7, 20, 1],
    [7, 40, 2],
  ])
})
