import { describe, expect, it } from 'vitest'
import { isHealthy } from '../../../core/status/health.ts'
import { readStatus } from '../../../core/status/read-status.ts'
import type { ConnectorReport, EngineReport } from '../../../core/connectors/connector-report.ts'
import { aReport } from '../../support/records/records.ts'
import { aRoot } from '../../support/platform/caller.ts'

const now = aReport().reportedAt

/** An engine that is heard, unless a test says otherwise. */
const anEngine = (name: string, given: Partial<EngineReport> = {}): EngineReport => ({
  name,
  coreUuid: `core of ${name}`,
  connected: true,
  heardAt: now,
  status: `UP ${name}`,
  ...given,
})
const away = { connected: false, status: '' }

const storeOf = (...reports: readonly Partial<ConnectorReport>[]) => ({
  list: async () => reports.map((report, index) => aReport({ connectorId: `connector-${index}`, ...report })),
  listWaits: async () => [],
})
const statusOf = (...reports: readonly Partial<ConnectorReport>[]) =>
  readStatus(
    { connectorStatus: storeOf(...reports), sessions: { count: async () => ({ users: 0, highest: 0, domains: 0 }) } },
    aRoot(),
    now,
  )
const healthOf = (...reports: readonly Partial<ConnectorReport>[]) => isHealthy(storeOf(...reports), now)

describe('the status of several engines', () => {
  it("the status of several engines lists each one's text under its name, and all their ids", async () => {
    expect(await statusOf({ engines: [anEngine('fs1:8021'), anEngine('fs2:8021')] })).toMatchObject({
      wConsole: { status: 'Connected', sid: 'core of fs1:8021,core of fs2:8021' },
      freeSWITCH: 'fs1:8021\nUP fs1:8021\nfs2:8021\nUP fs2:8021',
    })
  })

  it('the status of several engines is Connected while one is usable, and names those that are not', async () => {
    expect(await statusOf({ engines: [anEngine('fs1:8021', away), anEngine('fs2:8021')] })).toMatchObject({
      wConsole: { status: 'Connected', sid: 'core of fs2:8021' },
      freeSWITCH: 'fs1:8021\nengine not connected\nfs2:8021\nUP fs2:8021',
    })
  })

  it('the status of several engines is Offline, as with one engine, if none is connected', async () => {
    expect(await statusOf({ engines: [anEngine('fs1:8021', away), anEngine('fs2:8021', away)] })).toMatchObject({
      wConsole: { status: 'Offline' },
      freeSWITCH: 'engine not connected',
    })
  })

  it('the status counts an engine that sent nothing for more than 30 s as down, even if its links are reported as up', async () => {
    const silent = anEngine('fs1:8021', { heardAt: now - 30_001 })

    expect((await statusOf({ engines: [silent, anEngine('fs2:8021')] })).freeSWITCH).toContain('fs1:8021\nengine not')
  })

  it('the status of an engine is taken from a connector that is connected to it', async () => {
    const first = { engines: [anEngine('fs1:8021'), anEngine('fs2:8021', away)] }
    const second = { engines: [anEngine('fs1:8021', away), anEngine('fs2:8021')] }

    expect((await statusOf(first, second)).freeSWITCH).toBe('fs1:8021\nUP fs1:8021\nfs2:8021\nUP fs2:8021')
    expect(await healthOf(first, second)).toBe(true)
  })

  it('the status of a connected engine without a status text says that the text is not known yet', async () => {
    expect((await statusOf({ engines: [anEngine('fs1:8021', { status: '' })] })).freeSWITCH).toBe(
      'engine connected, its status text is not known yet',
    )
  })

  it('the status leaves out the report of a stopped connector', async () => {
    const stopped = { stoppedAt: now, engines: [anEngine('gone:8021')] }

    expect((await statusOf(stopped, { engines: [anEngine('fs1:8021')] })).freeSWITCH).toBe('UP fs1:8021')
  })
})

describe('health', () => {
  it('the health check fails unless every engine is connected', async () => {
    expect(await healthOf({ engines: [anEngine('fs1:8021'), anEngine('fs2:8021')] })).toBe(true)
    expect(await healthOf({ engines: [anEngine('fs1:8021'), anEngine('fs2:8021', away)] })).toBe(false)
    expect(await healthOf({ stoppedAt: now, engines: [anEngine('fs1:8021')] })).toBe(false)
    expect(await healthOf()).toBe(false)
  })
})
