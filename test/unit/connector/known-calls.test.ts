import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ComparedEngine } from '../../../connector/recovery/reconciliation.ts'
import { jsonRows, startScriptedEngine } from '../../support/engine/scripted-engine.ts'
import { aCoreUuid, anEngineEvent } from '../../support/engine/engine-event.ts'
import {
  type Pipeline,
  type PipelineHarness,
  harnessDomain,
  harnessEngine,
  pipelineHarness,
  ofCall,
} from '../../support/connector/pipeline-harness.ts'
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
const ofTrunk = ({ time }: PipelineHarness, domain = harnessDomain) =>
  ofCall(time.clock.now(), {
    'Caller-Context': domain,
    'Channel-Presence-ID': '',
    'Caller-Caller-ID-Number': '+15550100',
    'Caller-Destination-Number': '+15550199',
  })

/** A harness whose one connector has listened for a minute; only its reports and what is stored outlive it. */
async function aHarness() {
  const harness = await pipelineHarness()
  await harness.ports.domains.create(aDomain({ name: noHooks }))
  const first = await harness.connector('first')
  await first.up()
  await harness.time.advance(60_000)
  return { ...harness, first }
}

const begin = (harness: PipelineHarness, pipeline: Pipeline, uuid: string, domain = harnessDomain) =>
  pipeline.emit(
    { name: 'CHANNEL_CREATE', uuid, headers: ofTrunk(harness, domain) },
    { name: 'CHANNEL_ANSWER', uuid, headers: ofTrunk(harness, domain) },
  )

/** A harness whose connector heard a leg begin and was killed 40 s ago. */
async function aKilledConnector(domain = harnessDomain) {
  const harness = await aHarness()
  const uuid = randomUUID()
  await begin(harness, harness.first, uuid, domain)
  await report(harness, 'first')
  await harness.time.advance(40_000)
  return { harness, uuid }
}

const cdrs = ({ ports }: PipelineHarness, uuid: string) =>
  ports.cdrQueue.queued.filter((update) => update.uuid === uuid)

const stored = async ({ ports }: PipelineHarness, engine = harnessEngine) =>
  (await ports.knownCalls.list(engine)).map(({ uuid }) => uuid)

describe('a leg of no account that ended while no connector listened', () => {
  test.each([harnessDomain, noHooks])("a killed connector's successor ends such a leg once: %s", async (domain) => {
    const { harness, uuid } = await aKilledConnector(domain)

    const successor = await harness.connector('successor')
    await successor.up()
    await harness.time.advance(60_000)

    expect(harness.eventsOf(uuid)).toEqual(domain === noHooks ? [] : ['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
    expect(cdrs(harness, uuid)).toMatchObject([
      { kind: 'event', domain, fields: { 'Caller-Caller-ID-Number': '+15550100', Synthetic: 'true' } },
    ])
    expect(await stored(harness)).toEqual([])
  })

  test('a leg of no account that ended while no connector listened has the ids that any connector gives its ends, and says who called whom', async () => {
    const { harness, uuid } = await aKilledConnector()

    const successors = [await harness.connector('second'), await harness.connector('third')]
    for (const successor of successors) await successor.up()
    await harness.time.advance(60_000)

    const made = harness.published.filter(({ fields }) => fields['Synthetic'] === 'true')
    expect(made.map(({ id }) => id)).toEqual([
      `${aCoreUuid}:${uuid}:CHANNEL_HANGUP_COMPLETE`,
      `${aCoreUuid}:${uuid}:CHANNEL_DESTROY`,
    ])
    expect(made[0]?.fields).toMatchObject({
      'Caller-Caller-ID-Number': '+15550100',
      'Caller-Destination-Number': '+15550199',
      'Call-Direction': 'inbound',
      'Event-Domain': harnessDomain,
    })
    expect(cdrs(harness, uuid)).toHaveLength(1)
  })

  test('a leg of no account that ended while no connector listened is ended by a successor that began before it could know of the death', async () => {
    const harness = await aHarness()
    const uuid = randomUUID()
    await begin(harness, harness.first, uuid)
    await report(harness, 'first')
    await harness.time.advance(1_000)

    const successor = await harness.connector('successor')
    await successor.up()
    await harness.time.advance(14_000)
    expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])
    await harness.time.advance(10_000)

    expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
  })

  test('a leg of no account that ended while no connector listened is ended although the stores did not answer at first', async () => {
    const harness = await aHarness()
    const { knownCalls, connectorStatus } = harness.ports
    const uuid = randomUUID()
    await begin(harness, harness.first, uuid)
    await report(harness, 'first')
    await harness.time.advance(40_000)
    const stores = { areGone: true }
    const ports = {
      ...harness.ports,
      knownCalls: gone(knownCalls, 'list', () => stores.areGone),
      connectorStatus: gone(connectorStatus, 'list', () => stores.areGone),
    }

    const successor = await harness.connector('successor', { ports })
    await successor.up()
    await harness.time.advance(60_000)
    expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])
    stores.areGone = false
    await harness.time.advance(30_000)

    expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
  })

  test('a leg of no account that ended while no connector listened is ended after its engine was restarted meanwhile, as one of the process that it was of', async () => {
    const { harness, uuid } = await aKilledConnector()

    const successor = await harness.connector('successor')
    await successor.up(randomUUID())
    await harness.time.advance(60_000)

    expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
    expect(harness.published.find(({ name }) => name === 'CHANNEL_DESTROY')?.fields['Core-UUID']).toBe(aCoreUuid)
  })

  test('a leg of no account that ended while no connector listened is left to another connector that has listened all the time', async () => {
    const harness = await aHarness()
    const uuid = randomUUID()
    await begin(harness, harness.first, uuid)

    const successor = await harness.connector('successor')
    await report(harness, 'other')
    await successor.up()
    for (let times = 0; times < 12; times += 1) {
      await report(harness, 'other')
      await harness.time.advance(5_000)
    }

    expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])
    expect(await stored(harness)).toEqual([uuid])
  })

  test('a leg of no account that ended while no connector listened is ended by a connector that had lost its own link before the one that knew the leg was killed', async () => {
    const harness = await aHarness()
    const second = await harness.connector('second')
    await second.up()
    await second.down()
    const uuid = randomUUID()
    await begin(harness, harness.first, uuid)
    await report(harness, 'first')
    await harness.time.advance(40_000)

    await second.up()
    await harness.time.advance(60_000)

    expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
  })
})

test('an end that was read only by a connector killed before handing it over is published by the other one', async () => {
  const harness = await aHarness()
  const uuid = randomUUID()
  await begin(harness, harness.first, uuid)
  harness.ports.events.refuses = ({ name }) => name.startsWith('CHANNEL_HANGUP') || name.startsWith('CHANNEL_DESTROY')
  harness.ports.cdrQueue.refuses = () => true
  for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) {
    await harness.first.emit({ name, uuid, headers: { ...ofTrunk(harness), 'Channel-Call-State': 'HANGUP' } })
  }
  await report(harness, 'first')
  const second = await harness.connector('second')
  await second.up()
  for (let times = 0; times < 6; times += 1) {
    await report(harness, 'first')
    await harness.time.advance(5_000)
  }
  await harness.first.side.close()
  harness.ports.events.refuses = () => false
  harness.ports.cdrQueue.refuses = () => false
  await harness.time.advance(40_000)
  expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])

  second.side.othersGone()
  await harness.time.advance(40_000)

  expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
  expect(cdrs(harness, uuid)).toHaveLength(1)
})

test('the recorded calls of a dead connector are checked by the connector that notices its death', async () => {
  const engine = await startScriptedEngine()
  engine.answer = (command) => (command.startsWith('show ') ? jsonRows([]) : 'false')
  const running = await aRunningConnector([{ host: '127.0.0.1', port: engine.port, password: 'ClueCon' }])
  const { ports, time } = running
  const name = `127.0.0.1:${engine.port}`
  const call = aKnownCall({ engine: name, domain: harnessDomain, knownAt: time.clock.now() })
  await ports.knownCalls.put(call)
  await report(running, 'first', [name])
  await running.until(() => running.connector.health().status === 'OK')
  for (let times = 0; times < 6; times += 1) {
    await report(running, 'first', [name])
    await time.advance(5_000)
  }
  expect(ports.cdrQueue.queued).toEqual([])

  await running.until(() => ports.cdrQueue.queued.length > 0)

  expect(ports.cdrQueue.queued).toMatchObject([{ uuid: call.uuid, domain: harnessDomain }])
  await running.stop()
  await engine.close()
})

test('a leg that is still up is not ended, and its real end is published once', async () => {
  const { harness, uuid } = await aKilledConnector()
  const successor = await harness.connector('successor')
  successor.rows = [{ uuid }]
  await successor.up()
  await harness.time.advance(60_000)
  expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])

  successor.rows = []
  const heard = ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']
  for (const name of heard) {
    await successor.emit({ name, uuid, headers: { ...ofTrunk(harness), 'Channel-Call-State': 'HANGUP' } })
  }
  await harness.time.advance(60_000)

  expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...heard])
  expect(cdrs(harness, uuid)).toHaveLength(1)
  expect(await stored(harness)).toEqual([])
})

describe('with several engines', () => {
  /** An engine without calls that one connector is linked to besides the harness's. */
  function anEngine(name: string): ComparedEngine & { readonly reasons: object } {
    const commands = fakeEslSession()
    commands.up()
    commands.answer = () => JSON.stringify({ row_count: 0 })
    return { name, coreUuid: randomUUID(), commands, reasons: {} }
  }

  /** A connector that knew a leg of the harness's engine and was killed, and its successor, which has two engines. */
  async function aSuccessorOfTwo(leg: Readonly<Record<string, string>>) {
    const harness = await aHarness()
    const uuid = randomUUID()
    await harness.first.emit({ name: 'CHANNEL_CREATE', uuid, headers: leg })
    await report(harness, 'first', [harnessEngine, 'fs2'])
    await harness.time.advance(40_000)
    const engines: ComparedEngine[] = [anEngine('fs2')]
    const successor = await harness.connector('successor', { engines })
    engines.push({ name: harnessEngine, coreUuid: aCoreUuid, commands: successor.commands })
    const [fs2] = engines
    if (fs2 === undefined) throw new Error('an engine')
    return { harness, uuid, successor, fs2: { ...fs2, reasons: {} } }
  }

  test('a leg that may have ended is ended only when its own engine is connected, not another one', async () => {
    const { harness, uuid, successor, fs2 } = await aSuccessorOfTwo(ofTrunk(await pipelineHarness()))

    successor.side.engineChanged(fs2, 'engine_connected')
    await harness.time.advance(60_000)
    expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE'])
    expect(await stored(harness)).toEqual([uuid])
    await successor.up()
    await harness.time.advance(60_000)

    expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', ...ends])
    expect(cdrs(harness, uuid)).toHaveLength(1)
    expect(await stored(harness)).toEqual([])
  })

  describe('the call of an account is ended, too, and the account reported as free', () => {
    async function aSuccessorOfAccount() {
      const given = await aSuccessorOfTwo(ofCall(Date.UTC(2026, 0, 15, 12)))
      const { harness, uuid, successor } = given
      const now = harness.time.clock.now()
      const contacts = [{ id: 'sip:1000@192.0.2.9:5060', expiresAt: now + 3_600_000 }]
      await harness.ports.presence.put(aPresence({ domain: harnessDomain, login: '1000', contacts, observedAt: now }))
      successor.registrations = [{ user: '1000', expires: Math.floor(now / 1_000) + 3_600 }]
      const expectFree = async () => {
        expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', ...ends])
        const states = harness.published.filter(({ name }) => name.endsWith('account_status'))
        expect(states.map(({ fields }) => fields['Account-User-State'])).toEqual(['ONHOOK'])
        expect(await callsOf(harness.ports, harnessDomain, '1000')).toEqual([])
      }
      return { ...given, expectFree }
    }

    test('the synthetic end of a call frees its account, even if its engine connects before the account is read', async () => {
      const { harness, successor, fs2, expectFree } = await aSuccessorOfAccount()

      await successor.up()
      successor.side.engineChanged(fs2, 'engine_connected')
      await harness.time.advance(60_000)

      await expectFree()
    })

    test('the synthetic end of a call frees its account, even if the account is read before the calls of its engine', async () => {
      const { harness, successor, fs2, expectFree } = await aSuccessorOfAccount()

      successor.side.engineChanged(fs2, 'engine_connected')
      successor.side.accept(anEngineEvent({ uuid: randomUUID(), headers: ofTrunk(harness) }), 'fs2')
      await harness.time.advance(60_000)
      expect(await callsOf(harness.ports, harnessDomain, '1000')).toHaveLength(1)
      await successor.up()
      await harness.time.advance(60_000)

      await expectFree()
    })

    test('the synthetic end of a call frees its account, even if the stored call cannot be read again', async () => {
      const { harness, successor, fs2, expectFree } = await aSuccessorOfAccount()
      harness.ports.knownCalls.read = () => Promise.reject(new Error('gone'))

      await successor.up()
      successor.side.engineChanged(fs2, 'engine_connected')
      await harness.time.advance(60_000)

      await expectFree()
    })

    test("the end of an account's call is published with the free account; if its engine is gone, the account is corrected silently", async () => {
      const { harness, uuid, successor, fs2 } = await aSuccessorOfAccount()
      const [call] = await harness.ports.knownCalls.list(harnessEngine)
      if (call === undefined) throw new Error('a call')
      await harness.ports.knownCalls.put({ ...call, engine: 'removed', core: randomUUID() })

      await successor.up()
      successor.side.engineChanged(fs2, 'engine_connected')
      await harness.time.advance(60_000)

      expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE'])
      expect(await callsOf(harness.ports, harnessDomain, '1000')).toEqual([])
    })
  })
})

describe('what is stored of a leg', () => {
  test('the record of a leg is stored as soon as its domain is known, and removed when its end was handed over', async () => {
    const harness = await aHarness()
    const uuid = randomUUID()
    await begin(harness, harness.first, uuid)
    expect(await stored(harness)).toEqual([uuid])
    harness.ports.events.refuses = () => true
    for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) {
      await harness.first.emit({ name, uuid, headers: { ...ofTrunk(harness), 'Channel-Call-State': 'HANGUP' } })
    }
    await harness.time.advance(600_000)
    expect(await stored(harness)).toEqual([uuid])

    harness.ports.events.refuses = () => false
    await harness.time.advance(15_000)

    expect(harness.eventsOf(uuid)).toContain('CHANNEL_DESTROY')
    expect(await stored(harness)).toEqual([])
    expect(harness.first.side.counters()['callsUnstored']).toBe(0)
  })

  test('the end of a stored leg is not published twice if the connector was killed before recording the handover', async () => {
    const harness = await aHarness()
    const uuid = randomUUID()
    await begin(harness, harness.first, uuid)
    const [call] = await harness.ports.knownCalls.list(harnessEngine)
    if (call === undefined) throw new Error('a call')
    for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) {
      await harness.first.emit({ name, uuid, headers: { ...ofTrunk(harness), 'Channel-Call-State': 'HANGUP' } })
    }
    await report(harness, 'first')
    await harness.time.advance(40_000)
    await harness.ports.knownCalls.put(call)
    const before = harness.eventsOf(uuid)

    const successor = await harness.connector('successor')
    await successor.up()
    await harness.time.advance(60_000)

    expect(harness.eventsOf(uuid)).toEqual(before)
    expect(await stored(harness)).toEqual([])
  })

  test('a connector that has published the end of a leg does not take up its record again when its link is restored', async () => {
    const harness = await aHarness()
    const uuid = randomUUID()
    await begin(harness, harness.first, uuid)
    for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) {
      await harness.first.emit({ name, uuid, headers: { ...ofTrunk(harness), 'Channel-Call-State': 'HANGUP' } })
    }
    expect(await stored(harness)).toEqual([uuid])

    await harness.first.down()
    await harness.first.up()
    await harness.time.advance(60_000)

    expect(cdrs(harness, uuid)).toHaveLength(1)
    expect(await stored(harness)).toEqual([])
  })

  test('the record of a leg waits while the store is away, in its newest state', async () => {
    const harness = await pipelineHarness()
    const store = { isGone: true, puts: 0 }
    const knownCalls = gone(harness.ports.knownCalls, 'put', () => {
      store.puts += 1
      return store.isGone
    })
    const pipeline = await harness.connector('first', { ports: { ...harness.ports, knownCalls } })
    await pipeline.up()
    const [over, up] = [randomUUID(), randomUUID()]
    await begin(harness, pipeline, over)
    await begin(harness, pipeline, up)
    for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) {
      await pipeline.emit({ name, uuid: over, headers: { ...ofTrunk(harness), 'Channel-Call-State': 'HANGUP' } })
    }
    await harness.time.advance(60_000)
    expect(pipeline.side.counters()['callsUnstored']).toBe(1)
    expect(store.puts).toBeLessThan(30)

    store.isGone = false
    await harness.time.advance(10_000)

    expect(await stored(harness)).toEqual([up])
    expect(pipeline.side.counters()['callsUnstored']).toBe(0)
  })

  test('the record of a leg is gone after an orderly stop if its end was handed over', async () => {
    const harness = await aHarness()
    const [over, up] = [randomUUID(), randomUUID()]
    await begin(harness, harness.first, over)
    await begin(harness, harness.first, up)
    for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) {
      await harness.first.emit({ name, uuid: over, headers: { ...ofTrunk(harness), 'Channel-Call-State': 'HANGUP' } })
    }

    await harness.first.side.flushed()

    expect(await stored(harness)).toEqual([up])
  })

  test('the record of a leg is written again when its account or the process of its engine changes', async () => {
    const harness = await aHarness()
    const uuid = randomUUID()
    await begin(harness, harness.first, uuid)
    const call = () => harness.ports.knownCalls.read(harnessDomain, uuid)
    const presenceId = `1000@${harnessDomain}`
    const headers = { ...ofTrunk(harness), ...ofCaller(presenceId) }

    await harness.first.emit({ name: 'CHANNEL_HOLD', uuid, headers })
    await harness.time.advance(50)
    expect(await call()).toMatchObject({ core: aCoreUuid, presenceId, engine: harnessEngine })

    const core = randomUUID()
    await harness.first.emit({ name: 'CHANNEL_HOLD', uuid, coreUuid: core, headers })
    await harness.time.advance(50)
    expect(await call()).toMatchObject({ core, presenceId, engine: harnessEngine })
  })
})
