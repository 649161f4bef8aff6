import { expect, test } from 'vitest'
import { readStatus } from '../../../core/status/read-status.ts'
import { startScriptedEngine } from '../../support/engine/scripted-engine.ts'
import { aRunningConnector } from '../../support/connector/running-connector.ts'
import { aRoot } from '../../support/platform/caller.ts'

test('an engine that sends no event for three minutes stays connected, with a correct status', async () => {
  const engine = await startScriptedEngine()
  engine.answer = (command) => (command === 'status' ? 'UP 0 years, 3 days\n' : '{"row_count": 0}\n')
  const address = { host: '127.0.0.1', port: engine.port, password: 'ClueCon' }
  const first = await aRunningConnector([address])
  const { ports, time } = first
  const second = await aRunningConnector([address], { ports, time, connectorId: 'connector-2' })
  const both = [first, second]
  await first.until(() => both.every(({ connector }) => connector.health().status === 'OK'))
  await time.advance(6_000)
  const shown = new Set<string>()

  for (let seconds = 0; seconds < 180; seconds += 1) {
    await time.advance(1_000)
    const { wConsole, freeSWITCH } = await readStatus(ports, aRoot(), time.clock.now())
    shown.add(JSON.stringify([wConsole.status, wConsole.sid, freeSWITCH]))
  }

  expect([...shown]).toEqual([JSON.stringify(['Connected', engine.coreUuid, 'UP 0 years, 3 days\n'])])
  expect(both.flatMap(({ connector }) => connector.health().engines.map(({ events }) => events.connections))).toEqual([
    1, 1,
  ])
  const reports = await ports.connectorStatus.list(time.clock.now() - 6_000)
  expect(reports.map(({ engines }) => engines.map(({ connected }) => connected))).toEqual([[true], [true]])
  for (const each of both) await each.stop()
  await engine.close()
})
