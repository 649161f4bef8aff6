import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../../adapters/memory/memory-ports.ts'
import { type AfterOthersParts, afterOthers } from '../../../connector/events/after-others.ts'
import type { ConnectorReport, PlatformEvent } from '../../../core/model.ts'
import { capturedLog } from '../../support/captured-log.ts'
import { type ManualTime, manualTime } from '../../support/manual-time.ts'
import { anEvent, aReport } from '../../support/records.ts'

const engine = '192.0.2.1:8021'
const last = { coreUuid: '981a5c5a-d057-447a-be95-4b13f8d004b6', sequence: '7' }

/** A connector whose link to the engine comes up now, and another whose reports a test writes. */
async function aPlace(given: Partial<AfterOthersParts> = {}) {
  const time = manualTime()
  const { connectorStatus: store } = memoryPorts({ clock: time.clock, random: systemRandomness })
  const passed: string[] = []
  const inOrder = afterOthers({
    ...time,
    outbox: { add: ({ id }) => passed.push(id) > 0 },
    store,
    connectorId: 'own',
    log: capturedLog(),
    ...given,
  })
  const linkedAt = time.clock.now()
  const other = (report: Partial<ConnectorReport> = {}) =>
    store.report(
      aReport({
        connectorId: 'other',
        reportedAt: time.clock.now(),
        eventLinks: [{ engine, last, upSince: linkedAt - 60_000 }],
        handedOverTo: time.clock.now(),
        ...report,
      }),
    )
  return { time, inOrder, passed, other, linkedAt, store }
}

const ofCall = (id: string, given: Partial<PlatformEvent> = {}) =>
  anEvent({ id, uuid: 'old', name: 'CHANNEL_HOLD', ...given })

async function reportEvery5Seconds(time: ManualTime, report: () => Promise<void>, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    await report()
    await time.advance(5_000)
  }
}

test('events of a call that had begun wait until the other connector has handed over what it read before', async () => {
  const { time, inOrder, passed, other, linkedAt } = await aPlace()
  await other()
  inOrder.heardAgain(engine)

  inOrder.add(ofCall('a'))
  await reportEvery5Seconds(time, () => other({ handedOverTo: linkedAt - 10 }), 3)
  inOrder.add(ofCall('b'))
  expect([passed, inOrder.waiting, inOrder.oldestAt]).toEqual([[], 2, linkedAt])

  await other({ handedOverTo: linkedAt + 1_000 })
  await time.advance(1_000)
  inOrder.add(ofCall('c'))

  expect(passed).toEqual(['a', 'b', 'c'])
  expect([inOrder.waiting, inOrder.bytes, inOrder.oldestAt]).toEqual([0, 0, undefined])
})

test.each([
  ['alone', async () => {}],
  [
    'beside one that stopped',
    async (other: (report: Partial<ConnectorReport>) => Promise<void>) => other({ stoppedAt: 1 }),
  ],
  [
    'beside one without a link to this engine',
    async (other: (report: Partial<ConnectorReport>) => Promise<void>) => other({ eventLinks: [] }),
  ],
])('a connector %s holds nothing', async (_what, prepare) => {
  const { time, inOrder, passed, other } = await aPlace()
  await prepare(other)
  inOrder.heardAgain(engine)
  inOrder.add(ofCall('a'))

  await time.advance(0)

  expect(passed).toEqual(['a'])
})

test('a connector whose link came up later is not waited for', async () => {
  const { time, inOrder, passed, other, linkedAt } = await aPlace()
  await other({ eventLinks: [{ engine, last, upSince: linkedAt + 5 }], handedOverTo: 0 })
  inOrder.heardAgain(engine)
  inOrder.add(ofCall('a'))

  await time.advance(0)

  expect(passed).toEqual(['a'])
})

test('one that falls silent is waited for no longer than 7 s, one that never catches up a minute', async () => {
  const silent = await aPlace()
  await silent.other()
  silent.inOrder.heardAgain(engine)
  silent.inOrder.add(ofCall('a'))
  await silent.time.advance(7_000)
  expect(silent.passed).toEqual([])
  await silent.time.advance(1_000)
  expect(silent.passed).toEqual(['a'])

  const slow = await aPlace()
  await slow.other({ handedOverTo: 0 })
  slow.inOrder.heardAgain(engine)
  slow.inOrder.add(ofCall('a'))
  await reportEvery5Seconds(slow.time, () => slow.other({ handedOverTo: 0 }), 11)
  await slow.other({ handedOverTo: 0 })
  await slow.time.advance(4_000)
  expect(slow.passed).toEqual([])
  await slow.time.advance(2_000)
  expect(slow.passed).toEqual(['a'])
})

test('a call that begins meanwhile, and what belongs to no call, passes at once', async () => {
  const { time, inOrder, passed, other } = await aPlace()
  await other()
  inOrder.heardAgain(engine)
  await time.advance(1_000)

  inOrder.add(ofCall('begun', { uuid: 'new', name: 'CHANNEL_CREATE' }))
  inOrder.add(ofCall('next', { uuid: 'new' }))
  inOrder.add(ofCall('no call', { uuid: '' }))
  inOrder.add(ofCall('early', { uuid: 'newer', name: 'CHANNEL_STATE' }))
  inOrder.add(ofCall('late', { uuid: 'newer', name: 'CHANNEL_CREATE' }))
  inOrder.add(ofCall('made', { uuid: 'old', name: 'CHANNEL_CREATE', fields: { Synthetic: 'true' } }))

  expect(passed).toEqual(['begun', 'next', 'no call'])
  expect(inOrder.waiting).toBe(3)
})

test('a call whose beginning comes in the first second may have had an event before it, and waits', async () => {
  const { time, inOrder, passed, other } = await aPlace()
  await other()
  inOrder.heardAgain(engine)
  await time.advance(900)

  inOrder.add(ofCall('begun', { name: 'CHANNEL_CREATE' }))

  expect(passed).toEqual([])
})

test('events that are missed while others are held are waited for with them', async () => {
  const { time, inOrder, passed, other, linkedAt } = await aPlace()
  await other()
  inOrder.heardAgain(engine)
  inOrder.add(ofCall('a'))
  await time.advance(3_000)
  inOrder.heardAgain(engine)
  inOrder.add(ofCall('b'))

  await other({ handedOverTo: linkedAt + 2_000 })
  await time.advance(3_000)
  expect(passed).toEqual([])
  await other({ handedOverTo: linkedAt + 4_000 })
  await time.advance(1_000)

  expect(passed).toEqual(['a', 'b'])
})

test('more than may be held leaves at once, in order, and that is counted', async () => {
  const { time, inOrder, passed, other } = await aPlace({ limits: { events: 3, bytes: 1_000_000 } })
  await other()
  inOrder.heardAgain(engine)
  await time.advance(0)

  for (const id of ['a', 'b', 'c', 'd', 'e']) inOrder.add(ofCall(id))

  expect(passed).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(inOrder.overflows).toBe(1)
})

test('a stop lets go of all that is held, and holds no more', async () => {
  const { time, inOrder, passed, other } = await aPlace()
  await other()
  inOrder.heardAgain(engine)
  await time.advance(0)
  inOrder.add(ofCall('a'))

  inOrder.stop()
  inOrder.heardAgain(engine)
  inOrder.add(ofCall('b'))

  expect(passed).toEqual(['a', 'b'])
})

test('while the reports cannot be read the others are waited for as if they were silent', async () => {
  const { time, inOrder, passed } = await aPlace({ store: { list: async () => Promise.reject(new Error('gone')) } })
  inOrder.heardAgain(engine)
  inOrder.add(ofCall('a'))

  await time.advance(6_000)
  expect(passed).toEqual([])
  await time.advance(2_000)

  expect(passed).toEqual(['a'])
})
