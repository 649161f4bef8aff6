import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aReport, anEngineReport } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

/** The contract of every {@link ConnectorStatusStore}. */
export function connectorStatusStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('each connector has its newest report in the list', async () => {
    const now = stores().clock.now()
    const newest = aReport({ connectorId: 'a', reportedAt: now + 1, engines: [anEngineReport({ connected: false })] })
    const last = { coreUuid: '981a5c5a-d057-447a-be95-4b13f8d004b6', sequence: '4711' }
    const other = aReport({
      connectorId: 'b',
      reportedAt: now,
      keptTo: now - 1.5,
      handedOverTo: now - 2,
      spool: { owner: '7-1234-abcdef01', taken: ['7-1000-abcdef01'], left: 3 },
      stoppedAt: now,
      commandsByDomain: [{ domain: 'a.example.com', inFlight: 2, waiting: 1 }],
      engines: [
        {
          name: '192.0.2.1:8021',
          coreUuid: last.coreUuid,
          connected: true,
          heardAt: now,
          status: 'UP\n',
          channels: 5_000,
        },
        { name: '[::1]:8021', coreUuid: '', connected: false, heardAt: 0, status: '' },
      ],
      eventLinks: [
        { engine: '192.0.2.1:8021', last, upSince: now - 1, handedOverTo: now - 0.5, keptTo: now - 0.25 },
        { engine: '[::1]:8021', last, upSince: 0, lostAt: now - 2 },
      ],
    })
    await stores().connectorStatus.report(aReport({ connectorId: 'a', reportedAt: now }))
    await stores().connectorStatus.report(newest)
    await stores().connectorStatus.report(aReport({ connectorId: 'a', reportedAt: now - 1 }))
    await stores().connectorStatus.report(other)

    expect(await stores().connectorStatus.list(now)).toEqual([newest, other])
  })

  test("a connector's latest waiting time of each stage is listed if it was recorded after the requested moment", async () => {
    const now = stores().clock.now()
    const { connectorStatus } = stores()
    await connectorStatus.noteWait({ stage: 'hookDispatch', ageMs: 12_000, at: now - 1 })
    await connectorStatus.noteWait({ stage: 'hookDispatch', ageMs: 11_000, at: now })
    await connectorStatus.noteWait({ stage: 'deliver', ageMs: 10_500, at: now - 1 })

    expect(await connectorStatus.listWaits(now)).toEqual([{ stage: 'hookDispatch', ageMs: 11_000, at: now }])
    expect((await connectorStatus.listWaits(now - 1)).map(({ stage }) => stage)).toEqual(['deliver', 'hookDispatch'])
  })

  test('a connector that has not reported since the requested moment is not listed', async () => {
    const now = stores().clock.now()
    await stores().connectorStatus.report(aReport({ connectorId: 'silent', reportedAt: now - 1000 }))

    const listed = await stores().connectorStatus.list(now - 999)

    expect(listed.map((report) => report.connectorId)).not.toContain('silent')
  })

  test('starts of connectors are counted exactly, even if they are simultaneous', async () => {
    const counts = await Promise.all(Array.from({ length: 10 }, () => stores().connectorStatus.countStart()))

    expect(counts.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })
}
