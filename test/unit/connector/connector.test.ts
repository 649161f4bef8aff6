import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { startConnector } from '../../../connector/connector.ts'
import { EslCommandNotSent } from '@callplane/esl'
import { pause } from '../../../core/concurrency/timers.ts'
import type { CommandStore } from '../../../core/commands/command-store.ts'
import type { SubscriptionReader } from '../../../core/hooks/definition/hook-store.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { aCommandMessage, anOriginate } from '../../support/connector/command-message.ts'
import { aCoreUuid } from '../../support/engine/engine-event.ts'
import { fakeLinks } from '../../support/engine/fake-esl-session.ts'
import { manualTime, settle } from '../../support/processes/manual-time.ts'
import { aDomain, aHook } from '../../support/records/records.ts'

/** A connector between memory stores and a played engine; the stores may take their time. */
async function aConnector({ storingTakesMs = 0, readingTakesMs = 0 } = {}) {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const commandStore: CommandStore = {
    ...ports.commands,
    complete: async (id, outcome) => {
      await pause(time.timers, storingTakesMs)
      await ports.commands.complete(id, outcome)
    },
  }
  const subscriptions: SubscriptionReader = {
    ...ports.subscriptions,
    version: async () => {
      await pause(time.timers, readingTakesMs)
      return ports.subscriptions.version()
    },
  }
  await ports.domains.create(aDomain({ name: 'a.example.com' }))
  const links = fakeLinks()
  const bodies: string[] = []
  const log = capturedLog()
  const connector = startConnector({
    ...time,
    ports: {
      ...ports,
      commands: storingTakesMs === 0 ? ports.commands : commandStore,
      subscriptions: readingTakesMs === 0 ? ports.subscriptions : subscriptions,
    },
    receiver: {
      receive: async (_limit, signal) => {
        while (bodies.length === 0 && !signal.aborted) await settle()
        return bodies.splice(0).map((body) => ({ body, group: body, receipt: body }))
      },
      remove: async () => {},
    },
    openLink: links.open,
    engines: [{ host: '192.0.2.1', port: 8021, password: 's3cr3t-engine' }],
    connectorId: 'connector-1',
    version: '1.2.3',
    random: () => 0,
    log,
  })
  const [commands, events] = [links.link('commands'), links.link('events')]
  return { time, ports, connector, commands, events, bodies, log }
}

test('a connector has one link for commands and one for events, each with its own subscription', async () => {
  const { commands, events, connector } = await aConnector()

  expect(commands.words).toEqual(['BACKGROUND_JOB'])
  expect(events.words).toEqual(expect.arrayContaining(['CHANNEL_CREATE', 'HEARTBEAT', 'CUSTOM', 'sofia::register']))
  expect(events.words).not.toContain('BACKGROUND_JOB')
  await connector.stop(0)
})

test('a connector is healthy while both links are up', async () => {
  const { commands, events, connector } = await aConnector()
  expect(connector.health().status).toBe('error')

  commands.up()
  expect(connector.health().status).toBe('error')
  events.up()

  expect(connector.health()).toMatchObject({
    status: 'OK',
    version: '1.2.3',
    engines: [
      { name: '192.0.2.1:8021', coreUuid: aCoreUuid, commands: { state: 'ready' }, events: { state: 'ready' } },
    ],
  })
  await connector.stop(0)
})

test('the events of a new hook are subscribed at the engine within two seconds', async () => {
  const { time, ports, events, connector } = await aConnector()
  events.up()
  await time.advance(0)
  await ports.hooks.create([aHook({ event: 'CUSTOM->engine::dialer_member_end' })], 100)

  await time.advance(2_000)

  expect(events.words).toContain('engine::dialer_member_end')
  await connector.stop(0)
})

test('a subscription that an engine refused is sent again', async () => {
  const { time, ports, events, connector } = await aConnector()
  events.up()
  await time.advance(0)
  let isBusy = true
  events.resubscribe = async (words) => {
    if (isBusy) throw new EslCommandNotSent('the engine was busy')
    events.words = words
  }
  await ports.hooks.create([aHook({ event: 'CUSTOM->engine::dialer_member_end' })], 100)
  await time.advance(3_000)
  expect(events.words).not.toContain('engine::dialer_member_end')

  isBusy = false
  await time.advance(5_000)

  expect(events.words).toContain('engine::dialer_member_end')
  await connector.stop(0)
})

test('a hook gets the connected event of an engine although the subscriptions were read later', async () => {
  const { time, ports, events, connector } = await aConnector({ readingTakesMs: 500 })
  await ports.hooks.create([aHook({ event: 'CUSTOM->svc::engine_connected' })], 100)

  events.up()
  await time.advance(1_000)

  expect(ports.events.published).toMatchObject([{ name: 'CUSTOM->svc::engine_connected', domain: 'a.example.com' }])
  await connector.stop(0)
})

test('every connect and disconnect of an engine within a minute is published under its own id', async () => {
  const { time, ports, events, connector } = await aConnector()
  await ports.hooks.create([aHook({ event: 'CUSTOM->svc::engine_connected' })], 100)
  await ports.hooks.create([aHook({ event: 'CUSTOM->svc::engine_disconnected' })], 100)
  await time.advance(1_000)

  for (let times = 0; times < 2; times += 1) {
    events.up()
    events.down()
  }
  await time.advance(0)

  const states = ports.events.published.map(({ name }) => name.split('_')[1])
  expect(states).toEqual(['connected', 'disconnected', 'connected', 'disconnected'])
  expect(new Set(ports.events.published.map(({ id }) => id)).size).toBe(4)
  await connector.stop(0)
})

test('a connector that stops does not report its engine as lost', async () => {
  const { time, ports, events, connector } = await aConnector()
  await ports.hooks.create([aHook({ event: 'CUSTOM->svc::engine_disconnected' })], 100)
  events.up()
  await time.advance(1_000)

  const stopped = connector.stop(25_000)
  await time.advance(30_000)
  await stopped

  expect(ports.events.published).toEqual([])
})

test('a connector reports its status every five seconds', async () => {
  const { time, ports, commands, events, connector } = await aConnector()
  commands.answer = () => 'UP 0 years, 0 days\n'
  commands.up()
  events.up()

  await time.advance(5_000)

  expect(await ports.connectorStatus.list(0)).toMatchObject([
    {
      connectorId: 'connector-1',
      engines: [{ connected: true, coreUuid: aCoreUuid, status: 'UP 0 years, 0 days\n' }],
      restarts: 0,
    },
  ])
  await connector.stop(0)
})

test('a connector places a call, publishes its events to a hook, and stores the outcome', async () => {
  const { time, ports, commands, events, bodies, connector } = await aConnector()
  await ports.hooks.create([aHook({ event: 'CHANNEL_ANSWER' })], 100)
  commands.up()
  events.up()
  await time.advance(1_000)
  const command = anOriginate()
  const message = aCommandMessage({ command })
  await ports.commands.create(message)

  bodies.push(JSON.stringify(message))
  await settle()
  await settle()
  events.emit({ name: 'CHANNEL_ANSWER', uuid: command.uuid })
  commands.finishJob(message.id, `+OK ${command.uuid}\n`)
  await time.advance(0)

  expect(ports.events.published).toMatchObject([
    { name: 'CHANNEL_ANSWER', domain: 'a.example.com', uuid: command.uuid },
  ])
  expect(await ports.commands.read(message.id)).toMatchObject({ outcome: { state: 'done', uuid: command.uuid } })
  await connector.stop(0)
})

test('after the event link was lost, an order checks its channel again, since the end may have been missed', async () => {
  const { time, ports, commands, events, bodies, connector } = await aConnector()
  commands.up()
  events.up()
  await time.advance(0)
  const uuid = randomUUID()
  events.emit({ uuid, headers: { 'Caller-Context': 'a.example.com' } })
  await time.advance(0)
  commands.answer = () => '-ERR No such channel!\n'
  const message = aCommandMessage({ command: { kind: 'hangup', uuid, cause: 'NORMAL_CLEARING' } })
  await ports.commands.create(message)

  events.down()
  bodies.push(JSON.stringify(message))
  await time.advance(100)

  expect(await ports.commands.read(message.id)).toMatchObject({ outcome: { state: 'absent' } })
  await connector.stop(0)
})

test('a connector that is stopped hands over its events and disconnects from the engine', async () => {
  const { time, ports, events, commands, connector } = await aConnector()
  await ports.hooks.create([aHook({ event: 'CHANNEL_CREATE' })], 100)
  events.up()
  await time.advance(1_000)
  const headers = { 'Caller-Context': 'a.example.com' }
  for (let count = 0; count < 25; count += 1) events.emit({ uuid: randomUUID(), headers })

  const stopped = connector.stop(25_000)
  await time.advance(100)

  expect([await stopped, ports.events.published.length]).toEqual([0, 25])
  expect([commands.state.kind, events.state.kind]).toEqual(['down', 'down'])
})

test('a connector that is stopped without a queue waits no longer than allowed and reports what is lost', async () => {
  const { time, ports, events, connector } = await aConnector()
  await ports.hooks.create([aHook({ event: 'CHANNEL_CREATE' })], 100)
  ports.events.refuses = () => true
  events.up()
  await time.advance(1_000)
  events.emit({ uuid: randomUUID(), headers: { 'Caller-Context': 'a.example.com' } })

  const stopped = connector.stop(25_000)
  await time.advance(30_000)

  expect(await stopped).toBe(1)
})

test('the outcome of a call that rings while its connector is stopped is stored as unknown', async () => {
  const { time, ports, commands, events, bodies, connector } = await aConnector({ storingTakesMs: 500 })
  commands.up()
  events.up()
  const message = aCommandMessage({ command: anOriginate() })
  await ports.commands.create(message)
  bodies.push(JSON.stringify(message))
  await time.advance(100)

  const stopped = connector.stop(25_000).then(() => ports.commands.read(message.id))
  await time.advance(30_000)

  expect(await stopped).toMatchObject({ outcome: { state: 'unknown', reason: 'disconnected' } })
})

test('the password of the engine appears in no log line and in no health report', async () => {
  const { log, connector, commands, events } = await aConnector()
  commands.up()
  events.up()
  events.down()

  const shown = JSON.stringify([connector.health(), log.lines])
  await connector.stop(0)

  expect(shown).not.toContain('s3cr3t-engine')
})
