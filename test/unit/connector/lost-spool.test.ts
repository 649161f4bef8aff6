import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startScriptedEngine } from '../../support/engine/scripted-engine.ts'
import { memoryDisk, spoolOwner } from '../../support/connector/memory-disk.ts'
import { aHook } from '../../support/records/records.ts'
import { aRunningConnector } from '../../support/connector/running-connector.ts'

test('a connector reports the owner of its spool, and the owners whose events it has taken over', async () => {
  const files = memoryDisk()
  const place = (name: string) => ({ folder: '/spool', bytes: 64 * 1_048_576, files, owner: spoolOwner(name) })
  const engine = await startScriptedEngine()
  const address = { host: '127.0.0.1', port: engine.port, password: 'ClueCon' }
  const first = await aRunningConnector([address], { spool: place('1-77-aaaaaaaa') })
  const { ports, time } = first
  await ports.hooks.create([aHook({ event: 'CHANNEL_CREATE', domain: 'a.example.com' })], 1)
  await first.until(() => first.connector.health().status === 'OK')
  await time.advance(2_000)
  const queue = { ...ports.events }
  let isAway = true
  ports.events.publish = async (events) => {
    if (isAway) throw new Error('the queue is away')
    return queue.publish(events)
  }
  engine.emit({ 'Event-Name': 'CHANNEL_CREATE', 'Unique-ID': randomUUID(), 'Caller-Context': 'a.example.com' })
  await first.until(() => files.used() > 0)
  await first.stop()

  isAway = false
  const next = await aRunningConnector([address], { ports, time, connectorId: 'next', spool: place('1-88-aaaaaaaa') })
  await next.until(() => next.connector.health().counters['spoolFound'] === 1)
  await time.advance(6_000)

  const reports = await ports.connectorStatus.list(0)
  expect(reports.map(({ connectorId, spool }) => [connectorId, spool])).toEqual([
    ['connector-1', { owner: '1-77-aaaaaaaa', taken: [], left: 1 }],
    ['next', { owner: '1-88-aaaaaaaa', taken: ['1-77-aaaaaaaa'] }],
  ])
  await next.stop()
  await engine.close()
})
