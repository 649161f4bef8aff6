import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { type AfterOthersDeps, AfterOthers } from '../../../connector/events/after-others.ts'
import { textEvent } from '../../../adapters/events/text-event.ts'
import { sizeOf } from '../../../connector/buffer/waiting.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import type { ConnectorReport } from '../../../core/connectors/connector-report.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { anEngineEvent } from '../../support/engine/engine-event.ts'
import { type ManualTime, manualTime } from '../../support/processes/manual-time.ts'
import { anEvent, aReport } from '../../support/records/records.ts'

const engine = '192.0.2.1:8021'
const last = { coreUuid: '981a5c5a-d057-447a-be95-4b13f8d004b6', sequence: '7' }

/** A connector whose link to the engine comes up now, and another whose reports a test writes. */
async function aPlace(given: Partial<AfterOthersDeps> = {}) {
  const time = manualTime()
  const { connectorStatus: store } = memoryPorts({ clock: time.clock, random: systemRandomness })
  const passed: string[] = []
  class Giving extends AfterOthers {
    give(event: PlatformEvent, engine: string): void {
      this.add(event, engine, sizeOf(textEvent(event)), () => void passed.push(event.id))
    }
  }
  const inOrder = new Giving({
    ...time,
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

test('events of a call that had begun before the gap wait until the other connector has handed over what it read earlier', async () => {
  const { time, inOrder, passed, other, linkedAt } = await aPlace()
  await other()
  inOrder.heardAgain(engine)

  inOrder.give(ofCall('a'), engine)
  await reportEvery5Seconds(time, () => other({ handedOverTo: linkedAt - 10 }), 3)
  inOrder.give(ofCall('b'), engine)
  expect([passed, inOrder.waiting]).toEqual([[], 2])

  await other({ handedOverTo: linkedAt + 1_000 })
  await time.advance(1_000)
  inOrder.give(ofCall('c'), engine)

  expect(passed).toEqual(['a', 'b', 'c'])
  expect([inOrder.waiting, inOrder.bytes]).toEqual([0, 0])
})

test.each([
  ['alone', async () => {}],
  [
    'next to one that stopped',
    async (other: (report: Partial<ConnectorReport>) => Promise<void>) => other({ stoppedAt: 1 }),
  ],
  [
    'next to one without a link to this engine',
    async (other: (report: Partial<ConnectorReport>) => Promise<void>) => other({ eventLinks: [] }),
  ],
])('a connector %s holds nothing', async (_what, prepare) => {
  const { time, inOrder, passed, other } = await aPlace()
  await prepare(other)
  inOrder.heardAgain(engine)
  inOrder.give(ofCall('a'), engine)

  await time.advance(0)

  expect(passed).toEqual(['a'])
})

test("events do not wait for a connector whose link came up later than this one's", async () => {
  const { time, inOrder, passed, other, linkedAt } = await aPlace()
  await other({ eventLinks: [{ engine, last, upSince: linkedAt + 5 }], handedOverTo: 0 })
  inOrder.heardAgain(engine)
  inOrder.give(ofCall('a'), engine)

  await time.advance(0)

  expect(passed).toEqual(['a'])
})

test('events wait 7 s at most for a connector that falls silent, and a minute for one that never catches up', async () => {
  const silent = await aPlace()
  await silent.other()
  silent.inOrder.heardAgain(engine)
  silent.inOrder.give(ofCall('a'), engine)
  await silent.time.advance(7_000)
  expect(silent.passed).toEqual([])
  await silent.time.advance(1_000)
  expect(silent.passed).toEqual(['a'])

  const slow = await aPlace()
  await slow.other({ handedOverTo: 0 })
  slow.inOrder.heardAgain(engine)
  slow.inOrder.give(ofCall('a'), engine)
  await reportEvery5Seconds(slow.time, () => slow.other({ handedOverTo: 0 }), 11)
  await slow.other({ handedOverTo: 0 })
  await slow.time.advance(4_000)
  expect(slow.passed).toEqual([])
  await slow.time.advance(2_000)
  expect(slow.passed).toEqual(['a'])
})

/** The times of a channel that was created at an epoch millisecond of the engine's clock. */
const created = (at: number) => ({ fields: { 'Caller-Channel-Created-Time': `${at}000` } })

/** Makes an event that the engine sent at an epoch millisecond of its clock. */
const sentAt = (at: number) => anEngineEvent({ headers: { 'Event-Date-Timestamp': `${at}000` } })

test('events of a call that began after the first event of the new link pass at once, as do those without a call', async () => {
  const { inOrder, passed, other, linkedAt } = await aPlace()
  await other()
  inOrder.heardAgain(engine)
  inOrder.heard(sentAt(linkedAt + 3), engine)
  const ofNew = { uuid: 'new', ...created(linkedAt + 1_004) }

  inOrder.give(ofCall('state', { ...ofNew, name: 'CHANNEL_STATE' }), engine)
  inOrder.give(ofCall('begun', { ...ofNew, name: 'CHANNEL_CREATE' }), engine)
  inOrder.give(ofCall('no call', { uuid: '' }), engine)
  inOrder.give(ofCall('no time', { uuid: 'newer' }), engine)
  inOrder.give(ofCall('after that', { ...ofNew, uuid: 'newer' }), engine)

  expect(passed).toEqual(['state', 'begun', 'no call'])
  expect(inOrder.waiting).toBe(2)
})

test('events of a call that began before the first event of the new link wait, however late its CHANNEL_CREATE arrives', async () => {
  const { time, inOrder, passed, other, linkedAt } = await aPlace()
  await other()
  inOrder.heardAgain(engine)
  inOrder.heard(sentAt(linkedAt + 3), engine)
  await time.advance(3_000)

  inOrder.give(ofCall('begun', { name: 'CHANNEL_CREATE', ...created(linkedAt - 1) }), engine)

  expect(passed).toEqual([])
})

test('no event of a call passes before the new link has delivered an event', async () => {
  const { time, inOrder, passed, other, linkedAt } = await aPlace()
  await other()
  inOrder.heardAgain(engine)
  await time.advance(0)

  inOrder.give(ofCall('begun', { name: 'CHANNEL_CREATE', ...created(linkedAt + 60_000) }), engine)

  expect(passed).toEqual([])
})

test('a second gap while events wait makes all of them wait until the other connector has handed over both gaps', async () => {
  const { time, inOrder, passed, other, linkedAt } = await aPlace()
  await other()
  inOrder.heardAgain(engine)
  inOrder.give(ofCall('a'), engine)
  await time.advance(3_000)
  inOrder.heardAgain(engine)
  inOrder.give(ofCall('b'), engine)

  await other({ handedOverTo: linkedAt + 2_000 })
  await time.advance(3_000)
  expect(passed).toEqual([])
  await other({ handedOverTo: linkedAt + 4_000 })
  await time.advance(1_000)

  expect(passed).toEqual(['a', 'b'])
})

test('when more events wait than allowed, they leave at once and in order, and are counted', async () => {
  const { time, inOrder, passed, other } = await aPlace({ limits: { events: 3, bytes: 1_000_000 } })
  await other()
  inOrder.heardAgain(engine)
  await time.advance(0)

  for (const id of ['a', 'b', 'c', 'd', 'e']) inOrder.give(ofCall(id), engine)

  expect(passed).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(inOrder.overflows).toBe(1)
})

test('a stop releases all waiting events, and no further event waits', async () => {
  const { time, inOrder, passed, other } = await aPlace()
  await other()
  inOrder.heardAgain(engine)
  await time.advance(0)
  inOrder.give(ofCall('a'), engine)

  inOrder.stop()
  inOrder.heardAgain(engine)
  inOrder.give(ofCall('b'), engine)

  expect(passed).toEqual(['a', 'b'])
})

test('while the reports cannot be read, events wait for other connectors as for silent ones', async () => {
  const { time, inOrder, passed } = await aPlace({ store: { list: async () => Promise.reject(new Error('gone')) } })
  inOrder.heardAgain(engine)
  inOrder.give(ofCall('a'), engine)

  await time.advance(6_000)
  expect(passed).toEqual([])
  await time.advance(2_000)

  expect(passed).toEqual(['a'])
})

test('events of one engine do not wait for the link to another, unless they continue a call of that engine', async () => {
  const { time, inOrder, passed, other } = await aPlace()
  await other()
  inOrder.heardAgain(engine)
  await time.advance(0)

  inOrder.give(ofCall('held'), engine)
  inOrder.give(ofCall('elsewhere', { uuid: 'another' }), '192.0.2.2:8021')
  inOrder.give(ofCall('recovered'), '192.0.2.2:8021')

  expect(passed).toEqual(['elsewhere'])
  inOrder.stop()
  expect(passed).toEqual(['elsewhere', 'held', 'recovered'])
})

test('events wait for a connector that reads late until it has handed over a later event than the first one read here', async () => {
  const { time, inOrder, passed, other, linkedAt } = await aPlace()
  const upTo = (handedOverTo: number) => [{ engine, last, upSince: linkedAt - 60_000, handedOverTo }]
  await other()
  inOrder.heardAgain(engine)
  inOrder.heard(sentAt(linkedAt + 3), engine)
  inOrder.heard(sentAt(linkedAt + 4), engine)
  inOrder.give(ofCall('a'), engine)

  await reportEvery5Seconds(time, () => other({ eventLinks: upTo(linkedAt + 3) }), 3)
  expect(passed).toEqual([])
  await other({ eventLinks: upTo(linkedAt + 4) })
  await time.advance(1_000)

  expect(passed).toEqual(['a'])
})

test('a connector counts a silent engine as completely read after 21 s', async () => {
  const { time, inOrder, passed, other, linkedAt } = await aPlace()
  const eventLinks = [{ engine, last, upSince: linkedAt - 60_000, handedOverTo: linkedAt + 3 }]
  await other({ eventLinks })
  inOrder.heardAgain(engine)
  inOrder.heard(sentAt(linkedAt + 3), engine)
  inOrder.give(ofCall('a'), engine)

  await reportEvery5Seconds(time, () => other({ eventLinks }), 4)
  expect(passed).toEqual([])
  await reportEvery5Seconds(time, () => other({ eventLinks }), 2)

  expect(passed).toEqual(['a'])
})

test('events that are missed again while the reports are read wait for what another connector read meanwhile', async () => {
  const reports: ConnectorReport[] = []
  const reading = Promise.withResolvers<void>()
  let reads = 0
  const list = async () => {
    reads += 1
    const found = [...reports]
    if (reads === 1) await reading.promise
    return found
  }
  const { time, inOrder, passed, linkedAt } = await aPlace({ store: { list } })
  const other = (handedOverTo: number) =>
    reports.splice(
      0,
      1,
      aReport({
        connectorId: 'other',
        reportedAt: time.clock.now(),
        eventLinks: [{ engine, last, upSince: linkedAt - 60_000 }],
        handedOverTo,
      }),
    )
  other(linkedAt + 1_000)
  inOrder.heardAgain(engine)
  inOrder.give(ofCall('a'), engine)
  await time.advance(2_000)
  inOrder.heardAgain(engine)
  other(linkedAt + 1_000)

  reading.resolve()
  await time.advance(2_000)
  expect([reads > 1, passed]).toEqual([true, []])
  other(linkedAt + 3_000)
  await time.advance(1_000)

  expect(passed).toEqual(['a'])
})
