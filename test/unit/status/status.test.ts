import { describe, expect, it } from 'vitest'
import { handler as readHealth } from '../../../functions/status/read-health.ts'
import { handler as readStatus } from '../../../functions/status/read-status.ts'
import { anApi } from '../../support/platform/api.ts'
import { gone } from '../../support/stores/flaky.ts'
import { aReport, anEngineReport } from '../../support/records/records.ts'

describe('the status report', () => {
  it('the status report has all its fields while nothing is known of the engine', async () => {
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

  it('the status report combines the reports of the connectors and adds up their queues', async () => {
    const api = anApi()
    const headers = { ...(await api.as('root')) }
    const engines = [anEngineReport({ connected: false })]
    const deaf = { engines, connectorId: 'connector-2', commandsWaiting: 2, commandsInFlight: 1 }
    await api.ports.connectorStatus.report(aReport({ ...deaf, restarts: 3 }))
    await api.ports.connectorStatus.report(
      aReport({ engines: [anEngineReport({ coreUuid: 'core-1', status: 'UP\n1 session' })], commandsWaiting: 5 }),
    )

    const { body } = await api.call(readStatus, { headers })

    expect(body).toMatchObject({
      processUpTimeSec: 60,
      wConsole: { status: 'Connected', apiQueue: 1, cmdQueue: 7, version: '1.0.0', sid: 'core-1' },
      crashCount: '3',
      freeSWITCH: 'UP\n1 session',
    })
  })

  it('the status shows root how long events wait in the slowest connector, and tenants nothing of it', async () => {
    const api = anApi()
    const tenant = { ...(await api.as(await api.account())) }
    const root = { ...(await api.as('root')) }
    const reportedAt = api.clock.now() - 1_000
    for (const [connectorId, lagMs] of Object.entries({ ahead: 20, late: 12_500 })) {
      await api.ports.connectorStatus.report(aReport({ connectorId, reportedAt, handedOverTo: reportedAt - lagMs }))
    }

    expect((await api.call(readStatus, { headers: root })).body.eventLagSec).toBe(12.5)
    expect((await api.call(readStatus, { headers: tenant })).body).not.toHaveProperty('eventLagSec')
  })

  it('the status shows root how long the oldest event of each stage waited in the last minute, and tenants nothing of it', async () => {
    const api = anApi()
    const now = api.clock.now()
    await api.ports.connectorStatus.noteWait({ stage: 'hookDispatch', ageMs: 12_500, at: now - 60_000 })
    await api.ports.connectorStatus.noteWait({ stage: 'deliver', ageMs: 11_000, at: now - 60_001 })
    const [tenant, root] = [{ ...(await api.as(await api.account())) }, { ...(await api.as('root')) }]

    const { eventWaitsSec } = (await api.call(readStatus, { headers: root })).body

    expect(eventWaitsSec).toEqual({ hookDispatch: 12.5, deliver: 0, deliverSlowly: 0 })
    expect((await api.call(readStatus, { headers: tenant })).body).not.toHaveProperty('eventWaitsSec')
  })

  it.each([
    [0, 0, 'Connected'],
    [15_000, 0, 'Connected'],
    [15_001, 0, 'Offline'],
    [0, 30_000, 'Connected'],
    [0, 30_001, 'Offline'],
  ])(
    'the status report with a report %i ms old that heard the engine %i ms before says %s',
    async (age, silence, status) => {
      const api = anApi()
      const headers = { ...(await api.as('root')) }
      const reportedAt = api.clock.now() - age
      await api.ports.connectorStatus.report(
        aReport({ reportedAt, engines: [anEngineReport({ heardAt: api.clock.now() - silence })] }),
      )

      expect((await api.call(readStatus, { headers })).body.wConsole.status).toBe(status)
    },
  )

  it('the status report counts the users and domains of the last fifteen minutes, and the highest count, for root', async () => {
    const api = anApi()
    const [first, second] = [await api.account(), await api.account({ domain: 'b.example.com' })]
    const [asFirst, asSecond] = [{ ...(await api.as(first)) }, { ...(await api.as(second)) }]
    const asRoot = { ...(await api.as('root')) }
    for (const headers of [asFirst, asSecond, asRoot]) await api.call(readStatus, { headers })
    const { body } = await api.call(readStatus, { headers: asRoot })
    api.clock.move(15 * 60_000 + 1)
    await api.call(readStatus, { headers: asSecond })
    const later = await api.call(readStatus, { headers: asRoot })

    expect(body).toMatchObject({ userSessions: 3, maxUserSessions: 3, domainSessions: 2 })
    expect(later.body).toMatchObject({ maxUserSessions: 3, domainSessions: 1 })
  })

  it('the status report counts only the users of the own domain for a tenant', async () => {
    const api = anApi()
    const own = await api.account({ login: '1000', domain: 'b.example.com' })
    const colleague = await api.account({ login: '1001', domain: 'b.example.com' })
    const others = [
      await api.account(),
      await api.account({ login: '1001' }),
      await api.account({ domain: 'a.b.example.com' }),
    ]
    for (const each of [...others, colleague, own]) await api.call(readStatus, { headers: { ...(await api.as(each)) } })
    const asOwn = { ...(await api.as(own)) }

    const { body } = await api.call(readStatus, { headers: asOwn })
    api.clock.move(15 * 60_000 + 1)
    const later = await api.call(readStatus, { headers: asOwn })

    expect(body).toMatchObject({ userSessions: 2, maxUserSessions: 2, domainSessions: 1, socketSessions: 0 })
    expect(later.body).toMatchObject({ maxUserSessions: 2, domainSessions: 1 })
  })

  it('the status report counts only the commands of the own domain for a tenant, and all of them for root', async () => {
    const api = anApi()
    const byDomain = (counts: Record<string, [number, number]>) =>
      Object.entries(counts).map(([domain, [inFlight, waiting]]) => ({ domain, inFlight, waiting }))
    const first = { 'a.example.com': [20, 70], 'b.example.com': [1, 2] } as Record<string, [number, number]>
    const commandsByDomain = byDomain(first)
    await api.ports.connectorStatus.report(aReport({ commandsInFlight: 24, commandsWaiting: 73, commandsByDomain }))
    await api.ports.connectorStatus.report(
      aReport({
        connectorId: 'connector-2',
        commandsInFlight: 2,
        commandsWaiting: 4,
        commandsByDomain: byDomain({ 'b.example.com': [2, 4], 'a.b.example.com': [0, 0] }),
      }),
    )
    await api.ports.connectorStatus.report(
      aReport({ connectorId: 'an older one', commandsInFlight: 5, commandsWaiting: 5 }),
    )
    const shownTo = async (who: Parameters<typeof api.as>[0]) => {
      const { wConsole } = (await api.call(readStatus, { headers: { ...(await api.as(who)) } })).body
      return [wConsole.apiQueue, wConsole.cmdQueue]
    }

    expect(await shownTo(await api.account({ domain: 'b.example.com', role: 'admin' }))).toEqual([3, 6])
    expect(await shownTo(await api.account({ domain: 'c.example.com', role: 'admin' }))).toEqual([0, 0])
    expect(await shownTo('root')).toEqual([31, 82])
  })

  it("the status report shows a tenant the engine's text without the lines that count all sessions", async () => {
    const api = anApi()
    const engineStatus = [
      'UP 0 years, 0 days, 1 hour',
      'FreeSWITCH (Version 1.11.1 -release 64bit) is ready',
      '7 session(s) since startup',
      '1 session(s) - peak 2, last 5min 1 ',
      '0 session(s) per Sec out of max 30, peak 1, last 5min 0 ',
      '1000 session(s) max',
      'min idle cpu 0.00/98.00',
    ].join('\n')
    await api.ports.connectorStatus.report(aReport({ engines: [anEngineReport({ status: engineStatus })] }))
    const textFor = async (who: Parameters<typeof api.as>[0]) =>
      (await api.call(readStatus, { headers: { ...(await api.as(who)) } })).body.freeSWITCH

    expect(await textFor('root')).toBe(engineStatus)
    expect(await textFor(await api.account({ role: 'admin' }))).toBe(
      'UP 0 years, 0 days, 1 hour\nFreeSWITCH (Version 1.11.1 -release 64bit) is ready\nmin idle cpu 0.00/98.00',
    )
  })

  it('the status report requires a token', async () => {
    expect(await anApi().call(readStatus)).toMatchObject({ status: 401 })
  })
})

describe('health', () => {
  it('the health check is 200 while a connector is connected to the engine, and reveals nothing more', async () => {
    const api = anApi()
    await api.ports.connectorStatus.report(aReport())

    expect(await api.call(readHealth)).toMatchObject({ status: 200, text: '{"status":"OK"}\n' })
  })

  it.each([
    { engines: [anEngineReport({ connected: false })] },
    { reportedAt: 0 },
    { engines: [anEngineReport({ heardAt: 0 })] },
  ])('the health check is 503 while the only connector reports %j', async (report) => {
    const api = anApi()
    await api.ports.connectorStatus.report(aReport(report))

    expect(await api.call(readHealth)).toMatchObject({ status: 503, text: '{"status":"error"}\n' })
  })

  it('the health check is 503 during an outage of the store', async () => {
    const api = anApi()
    const cut = api.with({ connectorStatus: gone(api.ports.connectorStatus, 'list', () => true) })

    expect(await cut.call(readHealth)).toMatchObject({ status: 503, text: '{"status":"error"}\n' })
  })
})
