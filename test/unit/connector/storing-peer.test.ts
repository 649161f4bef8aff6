import { expect, test } from 'vitest'
import { StoringPeer } from '../../../connector/reconcile/storing-peer.ts'
import type { ConnectorReport, EventLinkReport } from '../../../core/connectors/connector-report.ts'
import { fakeEslSession } from '../../support/engine/fake-esl-session.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aReport } from '../../support/records/records.ts'

const link = (engine: string, upSince = 1): EventLinkReport => ({
  engine,
  upSince,
  last: { coreUuid: '', sequence: '' },
})

/** Both links are up to `fs1`, and to `fs2`. */
const engines = ['fs1', 'fs2'].map((name) => {
  const [commands, events] = [fakeEslSession(), fakeEslSession()]
  commands.up()
  events.up()
  return { name, commands, events }
})

/** An engine as a report describes it. */
const heard = (name: string, connected = true) => ({ name, connected, coreUuid: '', heardAt: 1, status: '' })

/** A connector `m` that hears `fs1` and `fs2`, after it has seen the reports given. */
async function aPeer(reports: readonly Partial<ConnectorReport>[], own: readonly EventLinkReport[] = []) {
  const time = manualTime()
  const stopping = new AbortController()
  const state = {
    isGone: false,
    reports: reports.map((report) => aReport({ reportedAt: time.clock.now(), ...report })),
  }
  const peer = new StoringPeer({
    ...time,
    store: {
      list: async () => {
        if (state.isGone) throw new Error('gone')
        return state.reports
      },
    },
    connectorId: 'm',
    links: () => (own.length === 0 ? [link('fs1'), link('fs2')] : own),
    engines: () => engines,
  })
  const following = peer.follow(stopping.signal)
  await time.advance(0)
  return { time, peer, state, stop: () => (stopping.abort(), following) }
}

const both = [link('fs1'), link('fs2')]

test('the connector with the smaller id stores for two connectors with the same engines', async () => {
  expect((await aPeer([{ connectorId: 'a', eventLinks: both }])).peer.storesCalls).toBe(true)
  expect((await aPeer([{ connectorId: 'z', eventLinks: both }])).peer.storesCalls).toBe(false)
})

test('a connector that is not connected to one of the engines does not store for one that is', async () => {
  const { peer } = await aPeer([{ connectorId: 'a', eventLinks: [link('fs1'), link('fs2', 0)] }])

  expect(peer.storesCalls).toBe(false)
})

test('an engine to which this connector is not connected does not matter for who stores', async () => {
  const { peer } = await aPeer([{ connectorId: 'a', eventLinks: [link('fs1')] }], [link('fs1'), link('fs2', 0)])

  expect(peer.storesCalls).toBe(true)
})

test('a connector that is stopping, or was silent for 12 seconds, does not store for others', async () => {
  const { peer, time, state } = await aPeer([{ connectorId: 'a', eventLinks: both }])
  await time.advance(20_000)
  expect(peer.storesCalls).toBe(false)

  state.reports = [aReport({ connectorId: 'a', eventLinks: both, reportedAt: time.clock.now(), stoppedAt: 1 })]
  await time.advance(5_000)
  expect(peer.storesCalls).toBe(false)
})

test('while the reports cannot be read, a peer is presumed alive for twelve more seconds', async () => {
  const { peer, time, state } = await aPeer([{ connectorId: 'a', eventLinks: both }])
  state.isGone = true

  await time.advance(11_000)
  expect(peer.storesCalls).toBe(true)
  await time.advance(1_000)
  expect(peer.storesCalls).toBe(false)
})

test('connectors that relay different engines each store the calls of their own, and the one with the smaller id stores all accounts', async () => {
  const report = { eventLinks: [link('fs2')], engines: [heard('fs1'), heard('fs2')] }
  const { peer } = await aPeer([{ connectorId: 'a', ...report }], [link('fs1')])

  expect([peer.storesCalls, peer.storesAccounts]).toEqual([false, true])
})

test('a connector that does not hear one of the engines does not store accounts for one that does', async () => {
  const { peer } = await aPeer([{ connectorId: 'a', engines: [heard('fs1'), heard('fs2', false)] }])

  expect(peer.storesAccounts).toBe(false)
})

test('a connector whose own engines are all away leaves no calls to one that relays other engines', async () => {
  const { peer } = await aPeer([{ connectorId: 'a', eventLinks: [link('fs2')] }], [link('fs1', 0)])

  expect(peer.storesCalls).toBe(false)
})
