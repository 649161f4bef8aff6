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
  it('the status of several engines names each above its text, and lists the ids of all', async () => {
    expect(await statusOf({ engines: [anEngine('fs1:8021'), anEngine('fs2:8021')] })).toMatchObject({
      wConsole: { status: 'Connected', sid: 'core of fs1:8021,core of fs2:8021' },
      freeSWITCH: 'fs1:8021\nUP fs1:8021\nfs2:8021\nUP fs2:8021',
    })
  })

  it('the status of several engines is Connected while one is usable, and says which are not', async () => {
    expect(await statusOf({ engines: [anEngine('fs1:8021', away), anEngine('fs2:8021')] })).toMatchObject({
      wConsole: { status: 'Connected', sid: 'core of fs2:8021' },
      freeSWITCH: 'fs1:8021\nengine not connected\nfs2:8021\nUP fs2:8021',
    })
  })

  it('the status of several engines is Offline in the words of one engine when none is connected', async () => {
    expect(await statusOf({ engines: [anEngine('fs1:8021', away), anEngine('fs2:8021', away)] })).toMatchObject({
      wConsole: { status: 'Offline' },
      freeSWITCH: 'engine not connected',
    })
  })

  it('the status counts an engine that was not heard for more than 30 s as down, whatever its links say', async () => {
    const silent = anEngine('fs1:8021', { heardAt: now - 30_001 })

    expect((await statusOf({ engines: [silent, anEngine('fs2:8021')] })).freeSWITCH).toContain('fs1:8021\nengine not')
  })

  it('the status has the report of the connector that hears an engine', async () => {
    const first = { engines: [anEngine('fs1:8021'), anEngine('fs2:8021', away)] }
    const second = { engines: [anEngine('fs1:8021', away), anEngine('fs2:8021')] }

    expect((await statusOf(first, second)).freeSWITCH).toBe('fs1:8021\nUP fs1:8021\nfs2:8021\nUP fs2:8021')
    expect(await healthOf(first, second)).toBe(true)
  })

  it('the status says so when an engine is connected and its text is unknown', async () => {
    expect((await statusOf({ engines: [anEngine('fs1:8021', { status: '' })] })).freeSWITCH).toBe(
      'engine connected, its status text is not known yet',
    )
  })

  it('the status leaves out the report of a stopped connector, and names no engine twice together with older reports', async () => {
    const stopped = { stoppedAt: now, engines: [anEngine('gone:8021')] }

    expect((await statusOf({}, stopped, { engines: [anEngine('fs1:8021')] })).freeSWITCH).toBe('UP fs1:8021')
  })
})

describe('health', () => {
  it('the health check requires every engine', async () => {
    expect(await healthOf({ engines: [anEngine('fs1:8021'), anEngine('fs2:8021')] })).toBe(true)
    expect(await healthOf({ engines: [anEngine('fs1:8021'), anEngine('fs2:8021', away)] })).toBe(false)
    expect(await healthOf({ stoppedAt: now, engines: [anEngine('fs1:8021')] })).toBe(false)
    expect(await healthOf()).toBe(false)
  })
})
