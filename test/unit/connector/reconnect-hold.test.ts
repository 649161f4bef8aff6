import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { type ReconnectHoldDeps, ReconnectHold } from '../../../connector/events/reconnect-hold.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import type { ConnectorReport } from '../../../core/connectors/connector-report.ts'
import { anEngineEvent } from '../../support/engine/engine-event.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { anEvent, aReport } from '../../support/records/records.ts'

const engine = '192.0.2.1:8021'
const last = { coreUuid: '981a5c5a-d057-447a-be95-4b13f8d004b6', sequence: '7' }

/** A connector whose link to the engine comes up now, and another whose reports a test writes. */
async function aPlace(given: Partial<ReconnectHoldDeps> = {}) {
  const time = manualTime()
  const { connectorStatus: store } = memoryPorts({ clock: time.clock, random: systemRandomness })
  const passed: string[] = []
  class Giving extends ReconnectHold {
    give(event: PlatformEvent, engine: string): void {
      this.add(event, engine, () => void passed.push(event.id))
    }
  }
  const hold = new Giving({
    ...time,
    store,
    connectorId: 'own',
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
  return { time, hold, passed, other, linkedAt, store }
}

const ofCall = (id: string, given: Partial<PlatformEvent> = {}) =>
  anEvent({ id, uuid: 'old', name: 'CHANNEL_HOLD', ...given })

test('events of a call that had begun before are held for 8 s if another connector listened then', async () => {
  const { time, hold, passed, other } = await aPlace()
  await other()
  hold.heardAgain(engine)

  hold.give(ofCall('a'), engine)
  await time.advance(4_000)
  hold.give(ofCall('b'), engine)
  await time.advance(3_900)
  expect([passed, hold.waiting]).toEqual([[], 2])

  await time.advance(100)
  hold.give(ofCall('c'), engine)

  expect([passed, hold.waiting]).toEqual([['a', 'b', 'c'], 0])
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
  const { time, hold, passed, other } = await aPlace()
  await prepare(other)
  hold.heardAgain(engine)
  hold.give(ofCall('a'), engine)

  await time.advance(0)

  expect(passed).toEqual(['a'])
})

test("events do not wait for a connector whose link came up later than this one's", async () => {
  const { time, hold, passed, other, linkedAt } = await aPlace()
  await other({ eventLinks: [{ engine, last, upSince: linkedAt + 5 }], handedOverTo: 0 })
  hold.heardAgain(engine)
  hold.give(ofCall('a'), engine)

  await time.advance(0)

  expect(passed).toEqual(['a'])
})

test('events do not wait for a connector that was silent for 7 s when the link came up', async () => {
  const { time, hold, passed, other, linkedAt } = await aPlace()
  await other({ reportedAt: linkedAt - 7_001 })
  hold.heardAgain(engine)
  hold.give(ofCall('a'), engine)

  await time.advance(0)

  expect(passed).toEqual(['a'])
})

/** The times of a channel that was created at an epoch millisecond of the engine's clock. */
const created = (at: number) => ({ fields: { 'Caller-Channel-Created-Time': `${at}000` } })

/** Makes an event that the engine sent at an epoch millisecond of its clock. */
const sentAt = (at: number) => anEngineEvent({ headers: { 'Event-Date-Timestamp': `${at}000` } })

test('events of a call that began after the first event of the new link pass at once, as do those without a call', async () => {
  const { hold, passed, other, linkedAt } = await aPlace()
  await other()
  hold.heardAgain(engine)
  hold.heard(sentAt(linkedAt + 3), engine)
  const ofNew = { uuid: 'new', ...created(linkedAt + 1_004) }

  hold.give(ofCall('state', { ...ofNew, name: 'CHANNEL_STATE' }), engine)
  hold.give(ofCall('begun', { ...ofNew, name: 'CHANNEL_CREATE' }), engine)
  hold.give(ofCall('no call', { uuid: '' }), engine)
  hold.give(ofCall('no time', { uuid: 'newer' }), engine)
  hold.give(ofCall('after that', { ...ofNew, uuid: 'newer' }), engine)

  expect(passed).toEqual(['state', 'begun', 'no call'])
  expect(hold.waiting).toBe(2)
})

test('events of a call that began before the first event of the new link wait, however late its CHANNEL_CREATE arrives', async () => {
  const { time, hold, passed, other, linkedAt } = await aPlace()
  await other()
  hold.heardAgain(engine)
  hold.heard(sentAt(linkedAt + 3), engine)
  await time.advance(3_000)

  hold.give(ofCall('begun', { name: 'CHANNEL_CREATE', ...created(linkedAt - 1) }), engine)

  expect(passed).toEqual([])
})

test('no event of a call passes before the new link has delivered an event', async () => {
  const { time, hold, passed, other, linkedAt } = await aPlace()
  await other()
  hold.heardAgain(engine)
  await time.advance(0)

  hold.give(ofCall('begun', { name: 'CHANNEL_CREATE', ...created(linkedAt + 60_000) }), engine)

  expect(passed).toEqual([])
})

test('a second gap while events wait does not make them wait for longer, and the next ones wait for 8 s from then on', async () => {
  const { time, hold, passed, other } = await aPlace()
  await other()
  hold.heardAgain(engine)
  hold.give(ofCall('a'), engine)
  await time.advance(3_000)
  await other()
  hold.heardAgain(engine)
  hold.give(ofCall('b'), engine)

  await time.advance(4_900)
  expect(passed).toEqual([])
  await time.advance(100)
  expect(passed).toEqual(['a'])
  expect(hold.waiting).toBe(1)
  await time.advance(3_000)

  expect(passed).toEqual(['a', 'b'])
})

test('a stop releases all waiting events, and no further event waits', async () => {
  const { time, hold, passed, other } = await aPlace()
  await other()
  hold.heardAgain(engine)
  await time.advance(0)
  hold.give(ofCall('a'), engine)

  hold.stop()
  hold.heardAgain(engine)
  hold.give(ofCall('b'), engine)

  expect(passed).toEqual(['a', 'b'])
})

test('while the reports cannot be read, events wait as if another connector had listened', async () => {
  const { time, hold, passed } = await aPlace({ store: { list: async () => Promise.reject(new Error('gone')) } })
  hold.heardAgain(engine)
  hold.give(ofCall('a'), engine)

  await time.advance(7_900)
  expect(passed).toEqual([])
  await time.advance(100)

  expect(passed).toEqual(['a'])
})

test('events of one engine do not wait for the link to another, unless they continue a call of that engine', async () => {
  const { time, hold, passed, other } = await aPlace()
  await other()
  hold.heardAgain(engine)
  await time.advance(0)

  hold.give(ofCall('held'), engine)
  hold.give(ofCall('elsewhere', { uuid: 'another' }), '192.0.2.2:8021')
  hold.give(ofCall('recovered'), '192.0.2.2:8021')

  expect(passed).toEqual(['elsewhere'])
  hold.stop()
  expect(passed).toEqual(['elsewhere', 'held', 'recovered'])
})
