import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ComparedEngine } from '../../../connector/recovery/reconciliation.ts'
import { jsonRows, startScriptedEngine } from '../../support/engine/scripted-engine.ts'
import { aCoreUuid, anEngineEvent } from '../../support/engine/engine-event.ts'
import {
  type EventLab,
  type LabWorld,
  labDomain,
  labEngine,
  labWorld,
  ofCall,
} from '../../support/connector/event-lab.ts'
import { callsOf } from '../../support/connector/calls-of.ts'
import { fakeEslSession } from '../../support/engine/fake-esl-session.ts'
import { report } from '../../support/connector/last-report.ts'
import { gone } from '../../support/stores/flaky.ts'
import { aDomain, aKnownCall, aPresence } from '../../support/records/records.ts'
import { aRunningConnector } from '../../support/connector/running-connector.ts'
import { ofCaller } from '../../support/engine/leg-fields.ts'

const ends = ['CHANNEL_HANGUP_COMPLETE made', 'CHANNEL_DESTROY made']
const noHooks = 'b.example.com'

/** Headers of a trunk's leg: a domain, and no account. */
const ofTrunk = ({ time }: LabWorld, domain = labDomain) =>
  ofCall(time.clock.now(), {
    'Caller-Context': domain,
    'Channel-Presence-ID': '',
    'Caller-Caller-ID-Number': '+15550100',
    'Caller-Destination-Number': '+15550199',
  })

/** A world in which one connector has listened for a minute; nothing but its reports and what is stored outlives it. */
async function aWorld() {
  const world = await labWorld()
  await world.ports.domains.create(aDomain({ name: noHooks }))
  const first = await world.connector('first')
  await first.up()
  await world.time.advance(60_000)
  return { ...world, first }
}

const begin = (world: LabWorld, lab: EventLab, uuid: string, domain = labDomain) =>
  lab.emit(
    { name: 'CHANNEL_CREATE', uuid, headers: ofTrunk(world, domain) },
    { name: 'CHANNEL_ANSWER', uuid, headers: ofTrunk(world, domain) },
  )

/** A world whose connector heard a leg begin and was killed 40 s ago. */
async function aKilledConnector(domain = labDomain) {
  const world = await aWorld()
  const uuid = randomUUID()
  await begin(world, world.first, uuid, domain)
  await report(world, 'first')
  await world.time.advance(40_000)
  return { world, uuid }
}

const cdrs = ({ ports }: LabWorld, uuid: string) => ports.cdrQueue.queued.filter((update) => update.uuid === uuid)

const stored = async ({ ports }: LabWorld, engine = labEngine) =>
  (await ports.knownCalls.list(engine)).map(({ uuid }) => uuid)

describe('a leg of no account that ended while no connector listened', () => {
  test.each([labDomain, noHooks])("a killed connector's successor ends such a leg once: %s", async (domain) => {
    const { world, uuid } = await aKilledConnector(domain)

    const successor = await world.connector('successor')
    await successor.up()
    await world.time.advance(60_000)

    expect(world.eventsOf(uuid)).toEqual(domain === noHooks ? [] : ['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
    expect(cdrs(world, uuid)).toMatchObject([
      { kind: 'event', domain, fields: { 'Caller-Caller-ID-Number': '+15550100', Synthetic: 'true' } },
    ])
    expect(await stored(world)).toEqual([])
  })

  test('a leg of no account that ended while no connector listened has the ids that any connector gives its ends, and says who called whom', async () => {
    const { world, uuid } = await aKilledConnector()

    const successors = [await world.connector('second'), await world.connector('third')]
    for (const successor of successors) await successor.up()
    await world.time.advance(60_000)

    const made = world.published.filter(({ fields }) => fields['Synthetic'] === 'true')
    expect(made.map(({ id }) => id)).toEqual([
      `${aCoreUuid}:${uuid}:CHANNEL_HANGUP_COMPLETE`,
      `${aCoreUuid}:${uuid}:CHANNEL_DESTROY`,
    ])
    expect(made[0]?.fields).toMatchObject({
      'Caller-Caller-ID-Number': '+15550100',
      'Caller-Destination-Number': '+15550199',
      'Call-Direction': 'inbound',
      'Event-Domain': labDomain,
    })
    expect(cdrs(world, uuid)).toHaveLength(1)
  })

  test('a leg of no account that ended while no connector listened is ended by a successor that began before it could know of the death', async () => {
    const world = await aWorld()
    const uuid = randomUUID()
    await begin(world, world.first, uuid)
    await report(world, 'first')
    await world.time.advance(1_000)

    const successor = await world.connector('successor')
    await successor.up()
    await world.time.advance(14_000)
    expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])
    await world.time.advance(10_000)

    expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
  })

  test('a leg of no account that ended while no connector listened is ended although the stores did not answer at first', async () => {
    const world = await aWorld()
    const { knownCalls, connectorStatus } = world.ports
    const uuid = randomUUID()
    await begin(world, world.first, uuid)
    await report(world, 'first')
    await world.time.advance(40_000)
    const stores = { areGone: true }
    const ports = {
      ...world.ports,
      knownCalls: gone(knownCalls, 'list', () => stores.areGone),
      connectorStatus: gone(connectorStatus, 'list', () => stores.areGone),
    }

    const successor = await world.connector('successor', { ports })
    await successor.up()
    await world.time.advance(60_000)
    expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])
    stores.areGone = false
    await world.time.advance(30_000)

    expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
  })

  test('a leg of no account that ended while no connector listened is ended after its engine was restarted meanwhile, as one of the process that it was of', async () => {
    const { world, uuid } = await aKilledConnector()

    const successor = await world.connector('successor')
    await successor.up(randomUUID())
    await world.time.advance(60_000)

    expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
    expect(world.published.find(({ name }) => name === 'CHANNEL_DESTROY')?.fields['Core-UUID']).toBe(aCoreUuid)
  })

  test('a leg of no account that ended while no connector listened is left to another connector that has listened all the time', async () => {
    const world = await aWorld()
    const uuid = randomUUID()
    await begin(world, world.first, uuid)

    const successor = await world.connector('successor')
    await report(world, 'other')
    await successor.up()
    for (let times = 0; times < 12; times += 1) {
      await report(world, 'other')
      await world.time.advance(5_000)
    }

    expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])
    expect(await stored(world)).toEqual([uuid])
  })

  test('a leg of no account that ended while no connector listened is ended by a connector that had lost its own link before the one that knew the leg was killed', async () => {
    const world = await aWorld()
    const second = await world.connector('second')
    await second.up()
    await second.down()
    const uuid = randomUUID()
    await begin(world, world.first, uuid)
    await report(world, 'first')
    await world.time.advance(40_000)

    await second.up()
    await world.time.advance(60_000)

    expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
  })
})

test('an end that was read only by a connector killed before handing it over is published by the other one', async () => {
  const world = await aWorld()
  const uuid = randomUUID()
  await begin(world, world.first, uuid)
  world.ports.events.refuses = ({ name }) => name.startsWith('CHANNEL_HANGUP') || name.startsWith('CHANNEL_DESTROY')
  world.ports.cdrQueue.refuses = () => true
  for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) {
    await world.first.emit({ name, uuid, headers: { ...ofTrunk(world), 'Channel-Call-State': 'HANGUP' } })
  }
  await report(world, 'first')
  const second = await world.connector('second')
  await second.up()
  for (let times = 0; times < 6; times += 1) {
    await report(world, 'first')
    await world.time.advance(5_000)
  }
  await world.first.side.close()
  world.ports.events.refuses = () => false
  world.ports.cdrQueue.refuses = () => false
  await world.time.advance(40_000)
  expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])

  second.side.othersGone()
  await world.time.advance(40_000)

  expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
  expect(cdrs(world, uuid)).toHaveLength(1)
})

test('the recorded calls of a dead connector are checked by the connector that notices its death', async () => {
  const engine = await startScriptedEngine()
  engine.answer = (command) => (command.startsWith('show ') ? jsonRows([]) : 'false')
  const running = await aRunningConnector([{ host: '127.0.0.1', port: engine.port, password: 'ClueCon' }])
  const { ports, time } = running
  const name = `127.0.0.1:${engine.port}`
  const call = aKnownCall({ engine: name, domain: labDomain, knownAt: time.clock.now() })
  await ports.knownCalls.put(call)
  await report(running, 'first', [name])
  await running.until(() => running.connector.health().status === 'OK')
  for (let times = 0; times < 6; times += 1) {
    await report(running, 'first', [name])
    await time.advance(5_000)
  }
  expect(ports.cdrQueue.queued).toEqual([])

  await running.until(() => ports.cdrQueue.queued.length > 0)

  expect(ports.cdrQueue.queued).toMatchObject([{ uuid: call.uuid, domain: labDomain }])
  await running.stop()
  await engine.close()
})

test('a leg that is still up is not ended, and its real end is published once', async () => {
  const { world, uuid } = await aKilledConnector()
  const successor = await world.connector('successor')
  successor.rows = [{ uuid }]
  await successor.up()
  await world.time.advance(60_000)
  expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])

  successor.rows = []
  const heard = ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']
  for (const name of heard) {
    await successor.emit({ name, uuid, headers: { ...ofTrunk(world), 'Channel-Call-State': 'HANGUP' } })
  }
  await world.time.advance(60_000)

  expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...heard])
  expect(cdrs(world, uuid)).toHaveLength(1)
  expect(await stored(world)).toEqual([])
})

describe('with several engines', () => {
  /** An engine without calls that one connector is linked to besides the lab's. */
  function anEngine(name: string): ComparedEngine & { readonly reasons: object } {
    const commands = fakeEslSession()
    commands.up()
    commands.answer = () => JSON.stringify({ row_count: 0 })
    return { name, coreUuid: randomUUID(), commands, reasons: {} }
  }

  /** A connector that knew a leg of the lab's engine and was killed, and its successor, which has two engines. */
  async function aSuccessorOfTwo(leg: Readonly<Record<string, string>>) {
    const world = await aWorld()
    const uuid = randomUUID()
    await world.first.emit({ name: 'CHANNEL_CREATE', uuid, headers: leg })
    await report(world, 'first', [labEngine, 'fs2'])
    await world.time.advance(40_000)
    const engines: ComparedEngine[] = [anEngine('fs2')]
    const successor = await world.connector('successor', { engines })
    engines.push({ name: labEngine, coreUuid: aCoreUuid, commands: successor.commands })
    const [fs2] = engines
    if (fs2 === undefined) throw new Error('an engine')
    return { world, uuid, successor, fs2: { ...fs2, reasons: {} } }
  }

  test('a leg that may have ended is ended only when its own engine is connected, not another one', async () => {
    const { world, uuid, successor, fs2 } = await aSuccessorOfTwo(ofTrunk(await labWorld()))

    successor.side.engineChanged(fs2, 'engine_connected')
    await world.time.advance(60_000)
    expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE'])
    expect(await stored(world)).toEqual([uuid])
    await successor.up()
    await world.time.advance(60_000)

    expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', ...ends])
    expect(cdrs(world, uuid)).toHaveLength(1)
    expect(await stored(world)).toEqual([])
  })

  describe('the call of an account is ended, too, and the account reported as free', () => {
    async function aSuccessorOfAccount() {
      const given = await aSuccessorOfTwo(ofCall(Date.UTC(2026, 0, 15, 12)))
      const { world, uuid, successor } = given
      const now = world.time.clock.now()
      const contacts = [{ id: 'sip:1000@192.0.2.9:5060', expiresAt: now + 3_600_000 }]
      await world.ports.presence.put(aPresence({ domain: labDomain, login: '1000', contacts, observedAt: now }))
      successor.registrations = [{ user: '1000', expires: Math.floor(now / 1_000) + 3_600 }]
      const expectFree = async () => {
        expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', ...ends])
        const states = world.published.filter(({ name }) => name.endsWith('account_status'))
        expect(states.map(({ fields }) => fields['Account-User-State'])).toEqual(['ONHOOK'])
        expect(await callsOf(world.ports, labDomain, '1000')).toEqual([])
      }
      return { ...given, expectFree }
    }

    test('the synthetic end of a call frees its account, even if its engine connects before the account is read', async () => {
      const { world, successor, fs2, expectFree } = await aSuccessorOfAccount()

      await successor.up()
      successor.side.engineChanged(fs2, 'engine_connected')
      await world.time.advance(60_000)

      await expectFree()
    })

    test('the synthetic end of a call frees its account, even if the account is read before the calls of its engine', async () => {
      const { world, successor, fs2, expectFree } = await aSuccessorOfAccount()

      successor.side.engineChanged(fs2, 'engine_connected')
      successor.side.accept(anEngineEvent({ uuid: randomUUID(), headers: ofTrunk(world) }), 'fs2')
      await world.time.advance(60_000)
      expect(await callsOf(world.ports, labDomain, '1000')).toHaveLength(1)
      await successor.up()
      await world.time.advance(60_000)

      await expectFree()
    })

    test('the synthetic end of a call frees its account, even if the stored call cannot be read again', async () => {
      const { world, successor, fs2, expectFree } = await aSuccessorOfAccount()
      world.ports.knownCalls.read = () => Promise.reject(new Error('gone'))

      await successor.up()
      successor.side.engineChanged(fs2, 'engine_connected')
      await world.time.advance(60_000)

      await expectFree()
    })

    test("the end of an account's call is published with the free account; if its engine is gone, the account is corrected silently", async () => {
      const { world, uuid, successor, fs2 } = await aSuccessorOfAccount()
      const [call] = await world.ports.knownCalls.list(labEngine)
      if (call === undefined) throw new Error('a call')
      await world.ports.knownCalls.put({ ...call, engine: 'removed', core: randomUUID() })

      await successor.up()
      successor.side.engineChanged(fs2, 'engine_connected')
      await world.time.advance(60_000)

      expect(world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE'])
      expect(await callsOf(world.ports, labDomain, '1000')).toEqual([])
    })
  })
})

describe('what is stored of a leg', () => {
  test('the record of a leg is stored as soon as its domain is known, and removed when its end was handed over', async () => {
    const world = await aWorld()
    const uuid = randomUUID()
    await begin(world, world.first, uuid)
    expect(await stored(world)).toEqual([uuid])
    world.ports.events.refuses = () => true
    for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) {
      await world.first.emit({ name, uuid, headers: { ...ofTrunk(world), 'Channel-Call-State': 'HANGUP' } })
    }
    await world.time.advance(600_000)
    expect(await stored(world)).toEqual([uuid])

    world.ports.events.refuses = () => false
    await world.time.advance(15_000)

    expect(world.eventsOf(uuid)).toContain('CHANNEL_DESTROY')
    expect(await stored(world)).toEqual([])
    expect(world.first.side.counters()['callsUnstored']).toBe(0)
  })

  test('the end of a stored leg is not published twice if the connector was killed before recording the handover', async () => {
    const world = await aWorld()
    const uuid = randomUUID()
    await begin(world, world.first, uuid)
    const [call] = await world.ports.knownCalls.list(labEngine)
    if (call === undefined) throw new Error('a call')
    for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) {
      await world.first.emit({ name, uuid, headers: { ...ofTrunk(world), 'Channel-Call-State': 'HANGUP' } })
    }
    await report(world, 'first')
    await world.time.advance(40_000)
    await world.ports.knownCalls.put(call)
    const before = world.eventsOf(uuid)

    const successor = await world.connector('successor')
    await successor.up()
    await world.time.advance(60_000)

    expect(world.eventsOf(uuid)).toEqual(before)
    expect(await stored(world)).toEqual([])
  })

  test('a connector that has published the end of a leg does not take up its record again when its link is restored', async () => {
    const world = await aWorld()
    const uuid = randomUUID()
    await begin(world, world.first, uuid)
    for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) {
      await world.first.emit({ name, uuid, headers: { ...ofTrunk(world), 'Channel-Call-State': 'HANGUP' } })
    }
    expect(await stored(world)).toEqual([uuid])

    await world.first.down()
    await world.first.up()
    await world.time.advance(60_000)

    expect(cdrs(world, uuid)).toHaveLength(1)
    expect(await stored(world)).toEqual([])
  })

  test('the record of a leg waits while the store is away, in its newest state', async () => {
    const world = await labWorld()
    const store = { isGone: true, puts: 0 }
    const knownCalls = gone(world.ports.knownCalls, 'put', () => {
      store.puts += 1
      return store.isGone
    })
    const lab = await world.connector('first', { ports: { ...world.ports, knownCalls } })
    await lab.up()
    const [over, up] = [randomUUID(), randomUUID()]
    await begin(world, lab, over)
    await begin(world, lab, up)
    for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) {
      await lab.emit({ name, uuid: over, headers: { ...ofTrunk(world), 'Channel-Call-State': 'HANGUP' } })
    }
    await world.time.advance(60_000)
    expect(lab.side.counters()['callsUnstored']).toBe(1)
    expect(store.puts).toBeLessThan(30)

    store.isGone = false
    await world.time.advance(10_000)

    expect(await stored(world)).toEqual([up])
    expect(lab.side.counters()['callsUnstored']).toBe(0)
  })

  test('the record of a leg is gone after an orderly stop if its end was handed over', async () => {
    const world = await aWorld()
    const [over, up] = [randomUUID(), randomUUID()]
    await begin(world, world.first, over)
    await begin(world, world.first, up)
    for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) {
      await world.first.emit({ name, uuid: over, headers: { ...ofTrunk(world), 'Channel-Call-State': 'HANGUP' } })
    }

    await world.first.side.flushed()

    expect(await stored(world)).toEqual([up])
  })

  test('the record of a leg is written again when its account or the process of its engine changes', async () => {
    const world = await aWorld()
    const uuid = randomUUID()
    await begin(world, world.first, uuid)
    const call = () => world.ports.knownCalls.read(labDomain, uuid)
    const presenceId = `1000@${labDomain}`
    const headers = { ...ofTrunk(world), ...ofCaller(presenceId) }

    await world.first.emit({ name: 'CHANNEL_HOLD', uuid, headers })
    await world.time.advance(50)
    expect(await call()).toMatchObject({ core: aCoreUuid, presenceId, engine: labEngine })

    const core = randomUUID()
    await world.first.emit({ name: 'CHANNEL_HOLD', uuid, coreUuid: core, headers })
    await world.time.advance(50)
    expect(await call()).toMatchObject({ core, presenceId, engine: labEngine })
  })
})
