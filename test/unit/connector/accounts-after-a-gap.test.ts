import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aCoreUuid } from '../../support/engine/engine-event.ts'
import { callsOf } from '../../support/connector/calls-of.ts'
import {
  type EventLab,
  type LabWorld,
  labDomain,
  labEngine,
  labWorld,
  ofCall,
} from '../../support/connector/event-lab.ts'
import { aKnownCall, aPresence, aReport } from '../../support/records/records.ts'

const phone = {
  user_name: '1000',
  realm: labDomain,
  contact: '<sip:1000@192.0.2.9:5060>',
  expires: '3600',
}

const states = ({ published }: LabWorld) =>
  published.filter(({ name }) => name.endsWith('account_status')).map(({ fields }) => fields['Account-User-State'])

/** A phone that is registered, for the next hour. */
const listed = ({ time }: LabWorld, user = '1000') => ({ user, expires: Math.floor(time.clock.now() / 1_000) + 3_600 })

async function register(world: LabWorld, lab: EventLab) {
  lab.registrations = [listed(world)]
  const headers = { ...phone, 'Event-Date-Timestamp': `${world.time.clock.now()}000` }
  await lab.emit({ name: 'CUSTOM', subclass: 'sofia::register', headers })
  await world.time.advance(1_000)
}

/** A connector that has heard a phone register, and has lost its links. */
async function afterALostLink() {
  const world = await labWorld()
  const lab = await world.connector()
  await lab.up()
  await register(world, lab)
  await lab.down()
  return { world, lab }
}

describe('after a link was lost', () => {
  test('a phone that unregistered during the gap is recorded and reported', async () => {
    const { world, lab } = await afterALostLink()
    lab.registrations = []

    await lab.up()
    await world.time.advance(10_000)

    expect(states(world)).toEqual(['ONHOOK', 'NONREG'])
    expect(await world.ports.presence.read(labDomain, '1000')).toMatchObject({ contacts: [] })
  })

  test('a phone that registered during the gap is recorded until its registration expires, and reported', async () => {
    const world = await labWorld()
    const lab = await world.connector()
    await lab.up()
    await lab.down()
    const registration = listed(world)
    lab.registrations = [registration]

    await lab.up()
    await world.time.advance(10_000)

    expect(states(world)).toEqual(['ONHOOK'])
    const presence = await world.ports.presence.read(labDomain, '1000')
    expect(presence?.contacts).toMatchObject([{ id: 'sip:1000@192.0.2.9:5060' }])
    expect(Math.abs((presence?.contacts[0]?.expiresAt ?? 0) - registration.expires * 1_000)).toBeLessThan(1_000)
  })

  test('a phone that is still registered after the gap stays as it is', async () => {
    const { world, lab } = await afterALostLink()
    const before = await world.ports.presence.read(labDomain, '1000')

    await lab.up()
    await world.time.advance(10_000)

    expect(states(world)).toEqual(['ONHOOK'])
    expect(await world.ports.presence.read(labDomain, '1000')).toEqual(before)
  })

  test("an account that an event concerns during the check is left alone, whatever the engine's list says", async () => {
    const { world, lab } = await afterALostLink()
    await lab.up()
    lab.registrations = []
    await world.time.advance(2_000)

    const headers = { ...phone, 'Event-Date-Timestamp': `${world.time.clock.now()}000` }
    await lab.emit({ name: 'CUSTOM', subclass: 'sofia::register', headers })
    await world.time.advance(10_000)

    expect(states(world)).toEqual(['ONHOOK'])
  })

  test('a phone that registers again while the stored accounts are read does not count as gone', async () => {
    const { world, lab } = await afterALostLink()
    lab.registrations = []
    const reading = Promise.withResolvers<void>()
    const stored = { ...world.ports.presence }
    world.ports.presence.list = async (domain) => {
      await reading.promise
      return stored.list(domain)
    }
    await lab.up()
    await world.time.advance(10_000)

    const headers = { ...phone, 'Event-Date-Timestamp': `${world.time.clock.now()}000` }
    await lab.emit({ name: 'CUSTOM', subclass: 'sofia::register', headers })
    reading.resolve()
    await world.time.advance(10_000)

    expect(states(world)).toEqual(['ONHOOK'])
    expect((await world.ports.presence.read(labDomain, '1000'))?.contacts).toHaveLength(1)
  })

  test.each([
    ['an engine that does not return its list of registrations changes no account', () => '-ERR busy\n'],
    [
      'a listed phone whose realm is not a domain does not keep an account of the same name online',
      (list: string) => list.replaceAll(`"realm":"${labDomain}"`, '"realm":"pbx"'),
    ],
  ])('%s', async (_title, changed) => {
    const { world, lab } = await afterALostLink()
    const { answer } = lab.commands
    lab.commands.answer = async (command) => changed(await answer(command))

    await lab.up()
    await world.time.advance(10_000)

    expect(states(world)).toEqual(['ONHOOK'])
  })

  test.each(['one lost its link', 'both did'])('the other connector repeats no event: %s', async (who) => {
    const world = await labWorld()
    const labs = [await world.connector('connector-1'), await world.connector('connector-2')]
    const [first, second] = labs
    if (first === undefined || second === undefined) throw new Error('two connectors')
    for (const lab of labs) await lab.up()
    for (const lab of labs) await register(world, lab)
    await first.down()
    if (who === 'both did') await second.down()
    await world.time.advance(5_000)
    for (const lab of labs) lab.registrations = []
    const headers = { ...phone, expires: '0', 'Event-Date-Timestamp': `${world.time.clock.now()}000` }
    await second.emit({ name: 'CUSTOM', subclass: 'sofia::unregister', headers })
    await world.time.advance(1_000)

    await first.up()
    if (who === 'both did') await second.up()
    await world.time.advance(10_000)

    expect(states(world)).toEqual(['ONHOOK', 'NONREG'])
  })
})

describe('after a connector was killed', () => {
  /**
   * Its successor, usually 40 s later: what it had heard is known from its report and the stored phones and legs alone.
   */
  async function aSuccessor(stored: { readonly calls: readonly string[] }, afterMs = 40_000) {
    const world = await labWorld()
    const { ports, time } = world
    const killedAt = time.clock.now()
    const contacts = [{ id: 'sip:1000@192.0.2.9:5060', expiresAt: killedAt + 3_600_000 }]
    await ports.presence.put(aPresence({ domain: labDomain, login: '1000', contacts, observedAt: killedAt }))
    const leg = { engine: labEngine, core: aCoreUuid, domain: labDomain, presenceId: `1000@${labDomain}` }
    const createdAt = `${killedAt - 30_000}000`
    for (const uuid of stored.calls) {
      await ports.knownCalls.put(aKnownCall({ ...leg, uuid, createdAt, knownAt: killedAt }))
    }
    const last = { coreUuid: aCoreUuid, sequence: '4711' }
    await ports.connectorStatus.report(
      aReport({
        connectorId: 'killed',
        reportedAt: killedAt,
        eventLinks: [{ engine: labEngine, last, upSince: killedAt - 60_000 }],
      }),
    )
    await time.advance(afterMs)
    const lab = await world.connector('successor')
    lab.registrations = [listed(world)]
    return { ...world, lab, killedAt }
  }

  const busyWith = ({ ports }: LabWorld) => callsOf(ports, labDomain, '1000')

  test('a call that ended after its connector was killed is ended, and its account is free', async () => {
    const uuid = randomUUID()
    const world = await aSuccessor({ calls: [uuid] })
    expect(await busyWith(world)).toEqual([uuid])

    await world.lab.up()
    await world.time.advance(60_000)

    expect(world.eventsOf(uuid)).toEqual(['CHANNEL_HANGUP_COMPLETE made', 'CHANNEL_DESTROY made'])
    expect(world.published.find((event) => event.uuid === uuid)?.id).toBe(
      `${aCoreUuid}:${uuid}:CHANNEL_HANGUP_COMPLETE`,
    )
    expect(states(world)).toEqual(['ONHOOK'])
    expect(await busyWith(world)).toEqual([])
    expect(await world.ports.knownCalls.list(labEngine)).toEqual([])
  })

  test('a stored call that another connector has ended makes its account busy no longer, so that its next call is reported', async () => {
    const [old, next] = [randomUUID(), randomUUID()]
    const world = await aSuccessor({ calls: [old] }, 1_000)
    const { ports, time, lab } = world
    const link = { engine: labEngine, last: { coreUuid: aCoreUuid, sequence: '9' }, upSince: world.killedAt - 1 }
    await lab.up()
    const headers = ofCall(time.clock.now(), { 'Channel-Presence-ID': '' })
    await lab.emit({ name: 'CHANNEL_STATE', uuid: randomUUID(), headers })
    for (let times = 0; times < 12; times += 1) {
      const reportedAt = time.clock.now()
      await ports.connectorStatus.report(aReport({ connectorId: 'other', reportedAt, eventLinks: [link] }))
      await time.advance(5_000)
    }

    lab.rows = [{ uuid: next }]
    await lab.emit({ name: 'CHANNEL_CREATE', uuid: next, headers: ofCall(time.clock.now()) })

    expect(world.eventsOf(old)).toEqual([])
    expect(states(world).at(-1)).toBe('ISBUSY')
  })

  test('a stored call of an engine that is configured no more makes its account free, and stays stored', async () => {
    const world = await aSuccessor({ calls: [] })
    const { ports, time, lab } = world
    const [gone, engine] = [randomUUID(), 'removed']
    const leg = aKnownCall({ uuid: gone, engine, domain: labDomain, presenceId: `1000@${labDomain}` })
    await ports.knownCalls.put({ ...leg, knownAt: world.killedAt })
    await lab.up()

    await lab.emit({ name: 'CHANNEL_CREATE', uuid: randomUUID(), headers: ofCall(time.clock.now()) })
    await time.advance(2_000)

    expect(await busyWith(world)).not.toContain(gone)
    expect((await ports.knownCalls.list(engine)).map(({ state }) => state)).toEqual(['ended'])
  })

  test('a call that is up stays, and a call that began meanwhile gets a synthetic beginning', async () => {
    const [old, begun] = [randomUUID(), randomUUID()]
    const world = await aSuccessor({ calls: [old] })
    world.lab.rows = [
      { uuid: old, createdAt: Math.floor(world.killedAt / 1_000) - 30 },
      { uuid: begun, createdAt: Math.floor(world.killedAt / 1_000) + 10 },
    ]

    await world.lab.up()
    await world.time.advance(60_000)

    expect(world.eventsOf(begun)).toEqual(['CHANNEL_CREATE made', 'CHANNEL_ANSWER made'])
    expect(world.eventsOf(old)).toEqual([])
  })
})
