import { describe, expect, it } from 'vitest'
import { handler as readHealth } from '../../../functions/status/read-health.ts'
import { handler as readStatus } from '../../../functions/status/read-status.ts'
import { anApi } from '../../support/api.ts'
import { gone } from '../../support/flaky.ts'
import { aReport } from '../../support/records.ts'

describe('the status report', () => {
  it('is complete while nothing of the engine is known', async () => {
    const api = anApi({ BUILD_VERSION: '1.2.3' })
    const headers = { ...(await api.as(await api.account())) }

    const { status, body } = await api.call(readStatus, { headers })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      version: '1.2.3',
      processId: process.pid,
      nodeVersion: process.version,
      socketSessions: 0,
      wConsole: { status: 'Offline', apiQueue: 0, cmdQueue: 0, version: '', sid: '' },
      crashCount: '0',
      freeSWITCH: 'engine not connected',
    })
    expect(body.processUpTimeSec).toBeGreaterThan(0)
  })

  it('tells what the connectors tell, queues added up', async () => {
    const api = anApi()
    const headers = { ...(await api.as('root')) }
    const deaf = { engineConnected: false, connectorId: 'connector-2', commandsWaiting: 2, commandsInFlight: 1 }
    await api.ports.connectorStatus.report(aReport({ ...deaf, restarts: 3 }))
    await api.ports.connectorStatus.report(
      aReport({ engineId: 'core-1', commandsWaiting: 5, engineStatus: 'UP\n1 session' }),
    )

    const { body } = await api.call(readStatus, { headers })

    expect(body).toMatchObject({
      processUpTimeSec: 60,
      wConsole: { status: 'Connected', apiQueue: 1, cmdQueue: 7, version: '1.0.0', sid: 'core-1' },
      crashCount: '3',
      freeSWITCH: 'UP\n1 session',
    })
  })

  it.each([
    [0, 0, 'Connected'],
    [15_000, 0, 'Connected'],
    [15_001, 0, 'Offline'],
    [0, 30_000, 'Connected'],
    [0, 30_001, 'Offline'],
  ])('with a report %i ms old that heard the engine %i ms before says %s', async (age, silence, status) => {
    const api = anApi()
    const headers = { ...(await api.as('root')) }
    const reportedAt = api.clock.now() - age
    await api.ports.connectorStatus.report(aReport({ reportedAt, engineHeardAt: api.clock.now() - silence }))

    expect((await api.call(readStatus, { headers })).body.wConsole.status).toBe(status)
  })

  it('counts users and domains of the last fifteen minutes, and the most that there were', async () => {
    const api = anApi()
    const [first, second] = [await api.account(), await api.account({ domain: 'b.example.com' })]
    const asSecond = { ...(await api.as(second)) }
    await api.call(readStatus, { headers: { ...(await api.as(first)) } })
    await api.call(readStatus, { headers: asSecond })
    const { body } = await api.call(readStatus, { headers: asSecond })
    api.clock.move(15 * 60_000 + 1)
    await api.call(readStatus, { headers: asSecond })
    const later = await api.call(readStatus, { headers: asSecond })

    expect(body).toMatchObject({ userSessions: 2, maxUserSessions: 2, domainSessions: 2 })
    expect(later.body).toMatchObject({ userSessions: 1, maxUserSessions: 2, domainSessions: 1 })
  })

  it('needs a token', async () => {
    expect(await anApi().call(readStatus)).toMatchObject({ status: 401 })
  })
})

describe('health', () => {
  it('is 200 while a connector hears the engine, and says nothing more', async () => {
    const api = anApi()
    await api.ports.connectorStatus.report(aReport())

    expect(await api.call(readHealth)).toMatchObject({ status: 200, text: '{"status":"OK"}' })
  })

  it.each([{ engineConnected: false }, { reportedAt: 0 }, { engineHeardAt: 0 }])(
    'is 503 while the only connector tells %j',
    async (report) => {
      const api = anApi()
      await api.ports.connectorStatus.report(aReport(report))

      expect(await api.call(readHealth)).toMatchObject({ status: 503, text: '{"status":"error"}' })
    },
  )

  it('is 503 while the store is away', async () => {
    const api = anApi()
    const cut = api.with({ connectorStatus: gone(api.ports.connectorStatus, 'list', () => true) })

    expect(await cut.call(readHealth)).toMatchObject({ status: 503, text: '{"status":"error"}' })
  })
})
