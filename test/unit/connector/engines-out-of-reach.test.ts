import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { readPeerReports } from '../../../connector/calls/peer-reports.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { aReport } from '../../support/records/records.ts'

const name = '192.0.2.1:8021'

/** A connector that has just started and knows nothing of its engine, with the reports of another one. */
function aNewConnector() {
  const time = manualTime()
  const { connectorStatus: store } = memoryPorts({ clock: time.clock, random: systemRandomness })
  const startedAt = time.clock.now()
  const stopping = new AbortController()
  const held = { count: undefined as number | undefined, reportedEmpty: () => undefined }
  let outOfReach: readonly string[] | undefined
  void readPeerReports(
    {
      ...time,
      store,
      works: [{ engine: { name }, held: held as never }],
      connectorId: 'new',
      startedAt,
      onOutOfReach: (engines) => (outOfReach = engines),
      log: capturedLog(),
    },
    stopping.signal,
  )
  return {
    held,
    stop: () => stopping.abort(),
    report: (connectorId: string, heardAt: number) =>
      store.report(
        aReport({
          connectorId,
          reportedAt: startedAt,
          engines: [{ name, coreUuid: '', connected: true, heardAt, status: '' }],
        }),
      ),
    startedAt,
    async outOfReach() {
      await time.advance(6_000)
      return outOfReach
    },
  }
}

test("an engine that another connector reached just before this one started is out of this connector's reach", async () => {
  const connector = aNewConnector()
  await connector.report('former', connector.startedAt - 5_000)

  expect(await connector.outOfReach()).toEqual([name])
  connector.stop()
})

test('an engine that no connector had reached for a minute before this one started is not out of its reach', async () => {
  const connector = aNewConnector()
  await connector.report('former', connector.startedAt - 60_000)

  expect(await connector.outOfReach()).toEqual([])
  connector.stop()
})

test('an engine that no connector has reached is not out of reach, as at a first deployment', async () => {
  const connector = aNewConnector()
  await connector.report('former', 0)
  await connector.report('new', connector.startedAt)

  expect(await connector.outOfReach()).toEqual([])
  connector.stop()
})

test('an engine that was reached late is no longer out of reach', async () => {
  const connector = aNewConnector()
  await connector.report('former', connector.startedAt)
  expect(await connector.outOfReach()).toEqual([name])

  connector.held.count = 0

  expect(await connector.outOfReach()).toEqual([])
  connector.stop()
})
