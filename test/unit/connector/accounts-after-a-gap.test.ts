import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aCoreUuid } from '../../support/engine/engine-event.ts'
import { callsOf } from '../../support/connector/calls-of.ts'
import {
  type Pipeline,
  type PipelineHarness,
  harnessDomain,
  harnessEngine,
  pipelineHarness,
  ofCall,
} from '../../support/connector/pipeline-harness.ts'
import { aKnownCall, aPresence, aReport } from '../../support/records/records.ts'

const phone = {
  user_name: '1000',
  realm: harnessDomain,
  contact: '<sip:1000@192.0.2.9:5060>',
  expires: '3600',
}

const states = ({ published }: PipelineHarness) =>
  published.filter(({ name }) => name.endsWith('account_status')).map(({ fields }) => fields['Account-User-State'])

/** A phone that is registered, for the next hour. */
const listed = ({ time }: PipelineHarness, user = '1000') => ({
  user,
  expires: Math.floor(time.clock.now() / 1_000) + 3_600,
})

async function register(harness: PipelineHarness, pipeline: Pipeline) {
  pipeline.registrations = [listed(harness)]
  const headers = { ...phone, 'Event-Date-Timestamp': `${harness.time.clock.now()}000` }
  await pipeline.emit({ name: 'CUSTOM', subclass: 'sofia::register', headers })
  await harness.time.advance(1_000)
}

/** A connector that has heard a phone register, and has lost its links. */
async function afterALostLink() {
  const harness = await pipelineHarness()
  const pipeline = await harness.connector()
  await pipeline.up()
  await register(harness, pipeline)
  await pipeline.down()
  return { harness, pipeline }
}

describe('after a link was lost', () => {
  test('a phone that unregistered during the gap is recorded and reported', async () => {
    const { harness, pipeline } = await afterALostLink()
    pipeline.registrations = []

    await pipeline.up()
    await harness.time.advance(10_000)

    expect(states(harness)).toEqual(['ONHOOK', 'NONREG'])
    expect(await harness.ports.presence.read(harnessDomain, '1000')).toMatchObject({ contacts: [] })
  })

  test('a phone that registered during the gap is recorded until its registration expires, and reported', async () => {
    const harness = await pipelineHarness()
    const pipeline = await harness.connector()
    await pipeline.up()
    await pipeline.down()
    const registration = listed(harness)
    pipeline.registrations = [registration]

    await pipeline.up()
    await harness.time.advance(10_000)

    expect(states(harness)).toEqual(['ONHOOK'])
    const presence = await harness.ports.presence.read(harnessDomain, '1000')
    expect(presence?.contacts).toMatchObject([{ id: 'sip:1000@192.0.2.9:5060' }])
    expect(Math.abs((presence?.contacts[0]?.expiresAt ?? 0) - registration.expires * 1_000)).toBeLessThan(1_000)
  })

  test('a phone that is still registered after the gap stays as it is', async () => {
    const { harness, pipeline } = await afterALostLink()
    const before = await harness.ports.presence.read(harnessDomain, '1000')

    await pipeline.up()
    await harness.time.advance(10_000)

    expect(states(harness)).toEqual(['ONHOOK'])
    expect(await harness.ports.presence.read(harnessDomain, '1000')).toEqual(before)
  })

  test("an account that an event concerns during the check is left alone, whatever the engine's list says", async () => {
    const { harness, pipeline } = await afterALostLink()
    await pipeline.up()
    pipeline.registrations = []
    await harness.time.advance(2_000)

    const headers = { ...phone, 'Event-Date-Timestamp': `${harness.time.clock.now()}000` }
    await pipeline.emit({ name: 'CUSTOM', subclass: 'sofia::register', headers })
    await harness.time.advance(10_000)

    expect(states(harness)).toEqual(['ONHOOK'])
  })

  test('a phone that registers again while the stored accounts are read does not count as gone', async () => {
    const { harness, pipeline } = await afterALostLink()
    pipeline.registrations = []
    const reading = Promise.withResolvers<void>()
    const stored = { ...harness.ports.presence }
    harness.ports.presence.list = async (domain) => {
      await reading.promise
      return stored.list(domain)
    }
    await pipeline.up()
    await harness.time.advance(10_000)

    const headers = { ...phone, 'Event-Date-Timestamp': `${harness.time.clock.now()}000` }
    await pipeline.emit({ name: 'CUSTOM', subclass: 'sofia::register', headers })
    reading.resolve()
    await harness.time.advance(10_000)

    expect(states(harness)).toEqual(['ONHOOK'])
    expect((await harness.ports.presence.read(harnessDomain, '1000'))?.contacts).toHaveLength(1)
  })

  test.each([
    ['an engine that does not return its list of registrations changes no account', () => '-ERR busy\n'],
    [
      'a listed phone whose realm is not a domain does not keep an account of the same name online',
      (list: string) => list.replaceAll(`"realm":"${harnessDomain}"`, '"realm":"pbx"'),
    ],
  ])('%s', async (_title, changed) => {
    const { harness, pipeline } = await afterALostLink()
    const { answer } = pipeline.commands
    pipeline.commands.answer = async (command) => changed(await answer(command))

    await pipeline.up()
    await harness.time.advance(10_000)

    expect(states(harness)).toEqual(['ONHOOK'])
  })

  test.each(['one lost its link', 'both did'])('the other connector repeats no event: %s', async (who) => {
    const harness = await pipelineHarness()
    const pipelines = [await harness.connector('connector-1'), await harness.connector('connector-2')]
    const [first, second] = pipelines
    if (first === undefined || second === undefined) throw new Error('two connectors')
    for (const pipeline of pipelines) await pipeline.up()
    for (const pipeline of pipelines) await register(harness, pipeline)
    await first.down()
    if (who === 'both did') await second.down()
    await harness.time.advance(5_000)
    for (const pipeline of pipelines) pipeline.registrations = []
    const headers = { ...phone, expires: '0', 'Event-Date-Timestamp': `${harness.time.clock.now()}000` }
    await second.emit({ name: 'CUSTOM', subclass: 'sofia::unregister', headers })
    await harness.time.advance(1_000)

    await first.up()
    if (who === 'both did') await second.up()
    await harness.time.advance(10_000)

    expect(states(harness)).toEqual(['ONHOOK', 'NONREG'])
  })
})

describe('after a connector was killed', () => {
  /**
   * Its successor, usually 40 s later: what it had heard is known from its report and the stored phones and legs alone.
   */
  async function aSuccessor(stored: { readonly calls: readonly string[] }, afterMs = 40_000) {
    const harness = await pipelineHarness()
    const { ports, time } = harness
    const killedAt = time.clock.now()
    const contacts = [{ id: 'sip:1000@192.0.2.9:5060', expiresAt: killedAt + 3_600_000 }]
    await ports.presence.put(aPresence({ domain: harnessDomain, login: '1000', contacts, observedAt: killedAt }))
    const leg = { engine: harnessEngine, core: aCoreUuid, domain: harnessDomain, presenceId: `1000@${harnessDomain}` }
    const createdAt = `${killedAt - 30_000}000`
    for (const uuid of stored.calls) {
      await ports.knownCalls.put(aKnownCall({ ...leg, uuid, createdAt, knownAt: killedAt }))
    }
    const last = { coreUuid: aCoreUuid, sequence: '4711' }
    await ports.connectorStatus.report(
      aReport({
        connectorId: 'killed',
        reportedAt: killedAt,
        eventLinks: [{ engine: harnessEngine, last, upSince: killedAt - 60_000 }],
      }),
    )
    await time.advance(afterMs)
    const pipeline = await harness.connector('successor')
    pipeline.registrations = [listed(harness)]
    return { ...harness, pipeline, killedAt }
  }

  const busyWith = ({ ports }: PipelineHarness) => callsOf(ports, harnessDomain, '1000')

  test('a call that ended after its connector was killed is ended, and its account is free', async () => {
    const uuid = randomUUID()
    const harness = await aSuccessor({ calls: [uuid] })
    expect(await busyWith(harness)).toEqual([uuid])

    await harness.pipeline.up()
    await harness.time.advance(60_000)

    expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_HANGUP_COMPLETE made', 'CHANNEL_DESTROY made'])
    expect(harness.published.find((event) => event.uuid === uuid)?.id).toBe(
      `${aCoreUuid}:${uuid}:CHANNEL_HANGUP_COMPLETE`,
    )
    expect(states(harness)).toEqual(['ONHOOK'])
    expect(await busyWith(harness)).toEqual([])
    expect(await harness.ports.knownCalls.list(harnessEngine)).toEqual([])
  })

  test('a stored call that another connector has ended makes its account busy no longer, so that its next call is reported', async () => {
    const [old, next] = [randomUUID(), randomUUID()]
    const harness = await aSuccessor({ calls: [old] }, 1_000)
    const { ports, time, pipeline } = harness
    const link = { engine: harnessEngine, last: { coreUuid: aCoreUuid, sequence: '9' }, upSince: harness.killedAt - 1 }
    await pipeline.up()
    const headers = ofCall(time.clock.now(), { 'Channel-Presence-ID': '' })
    await pipeline.emit({ name: 'CHANNEL_STATE', uuid: randomUUID(), headers })
    for (let times = 0; times < 12; times += 1) {
      const reportedAt = time.clock.now()
      await ports.connectorStatus.report(aReport({ connectorId: 'other', reportedAt, eventLinks: [link] }))
      await time.advance(5_000)
    }

    pipeline.rows = [{ uuid: next }]
    await pipeline.emit({ name: 'CHANNEL_CREATE', uuid: next, headers: ofCall(time.clock.now()) })

    expect(harness.eventsOf(old)).toEqual([])
    expect(states(harness).at(-1)).toBe('ISBUSY')
  })

  test('a stored call of an engine that is configured no more makes its account free, and stays stored', async () => {
    const harness = await aSuccessor({ calls: [] })
    const { ports, time, pipeline } = harness
    const [gone, engine] = [randomUUID(), 'removed']
    const leg = aKnownCall({ uuid: gone, engine, domain: harnessDomain, presenceId: `1000@${harnessDomain}` })
    await ports.knownCalls.put({ ...leg, knownAt: harness.killedAt })
    await pipeline.up()

    await pipeline.emit({ name: 'CHANNEL_CREATE', uuid: randomUUID(), headers: ofCall(time.clock.now()) })
    await time.advance(2_000)

    expect(await busyWith(harness)).not.toContain(gone)
    expect((await ports.knownCalls.list(engine)).map(({ state }) => state)).toEqual(['ended'])
  })

  test('a call that is up stays, and a call that began meanwhile gets a synthetic beginning', async () => {
    const [old, begun] = [randomUUID(), randomUUID()]
    const harness = await aSuccessor({ calls: [old] })
    harness.pipeline.rows = [
      { uuid: old, createdAt: Math.floor(harness.killedAt / 1_000) - 30 },
      { uuid: begun, createdAt: Math.floor(harness.killedAt / 1_000) + 10 },
    ]

    await harness.pipeline.up()
    await harness.time.advance(60_000)

    expect(harness.eventsOf(begun)).toEqual(['CHANNEL_CREATE made', 'CHANNEL_ANSWER made'])
    expect(harness.eventsOf(old)).toEqual([])
  })
})
