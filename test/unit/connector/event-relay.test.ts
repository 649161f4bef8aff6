import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { ChannelRegistry } from '../../../connector/calls/channel-registry.ts'
import { domainNames } from '../../../connector/calls/domain-names.ts'
import { EventPipeline } from '../../../connector/assembly/event-pipeline.ts'
import { subscriptions } from '../../../connector/events/subscriptions.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { type EventGiven, aCoreUuid, anEngineEvent } from '../../support/engine/engine-event.ts'
import { fakeEslSession } from '../../support/engine/fake-esl-session.ts'
import { gone } from '../../support/stores/flaky.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aDomain, aHook } from '../../support/records/records.ts'
import { ofCalled, ofCaller } from '../../support/engine/leg-fields.ts'

const disconnected = 'CUSTOM->svc::engine_disconnected'

/** The event side over memory stores with the domains `a` and `b` and hooks of `a` on the events given. */
async function aSide(wanted: readonly string[], isGone: (store: 'domains' | 'hooks') => boolean = () => false) {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  for (const name of ['a.example.com', 'b.example.com']) await ports.domains.create(aDomain({ name }))
  await ports.hooks.create(
    wanted.map((event) => aHook({ event, domain: 'a.example.com' })),
    100,
  )
  const domains = domainNames(
    gone(ports.domains, 'exists', () => isGone('domains')),
    time.clock,
  )
  const registry = new ChannelRegistry(domains)
  const reader = gone(ports.subscriptions, 'version', () => isGone('hooks'))
  const side = new EventPipeline({
    ...time,
    ports,
    wanted: subscriptions({ ...time, reader, log: capturedLog() }),
    registry,
    domains,
    engines: [],
    connectorId: 'connector-1',
    random: () => 0,
    log: capturedLog(),
  })
  const stopping = new AbortController()
  void side.follow(() => {}, stopping.signal)
  await time.advance(0)
  const send = async (...events: EventGiven[]) => {
    for (const event of events) side.accept(anEngineEvent(event), '192.0.2.1:8021')
    await time.advance(0)
  }
  const published = () => ports.events.published
  return { time, ports, registry, side, send, published }
}

const inA = { 'Caller-Context': 'a.example.com' }

describe('an event', () => {
  test('an event that a hook of its domain wants is relayed with all its headers, under an id that every connector gives it', async () => {
    const { send, published } = await aSide(['CHANNEL_ANSWER'])
    const uuid = randomUUID()

    await send({ name: 'CHANNEL_ANSWER', uuid, sequence: 4711, headers: { ...inA, variable_note: 'x' } })

    expect(published()).toEqual([
      {
        id: `${aCoreUuid}:${uuid}:CHANNEL_ANSWER`,
        name: 'CHANNEL_ANSWER',
        domain: 'a.example.com',
        uuid,
        occurredAt: 1_768_478_400_000,
        fields: expect.objectContaining({
          'Event-Domain': 'a.example.com',
          'Unique-ID': uuid,
          variable_note: 'x',
        }),
      },
    ])
  })

  test('an event of a domain without a hook for it is not relayed', async () => {
    const { send, published } = await aSide(['CHANNEL_ANSWER'])

    await send({ name: 'CHANNEL_ANSWER', uuid: randomUUID(), headers: { 'Caller-Context': 'b.example.com' } })

    expect(published()).toEqual([])
  })

  test('the state of a gateway is relayed to its own domain, under the name that it has in that domain', async () => {
    const name = 'CUSTOM->sofia::gateway_state'
    const { send, published } = await aSide([name])
    const reported = (Gateway: string) => ({
      name: 'CUSTOM',
      subclass: 'sofia::gateway_state',
      headers: { Gateway, State: 'REGED', 'Ping-Status': 'UP', realm: 'a.example.com' },
    })

    await send(reported('a.example.com_trunk_1'), reported('b.example.com_trunk'), reported('operators-trunk'))

    expect(published()).toMatchObject([
      {
        name,
        domain: 'a.example.com',
        fields: { Gateway: 'trunk_1', State: 'REGED', 'Event-Domain': 'a.example.com' },
      },
    ])
  })

  test('an event without a domain is not relayed, and is counted', async () => {
    const { send, published, side } = await aSide(['CHANNEL_ANSWER'])

    await send({ name: 'CHANNEL_ANSWER', uuid: randomUUID(), headers: { 'Caller-Context': 'public' } })

    expect(published()).toEqual([])
    expect(side.counters()['eventsWithoutDomain']).toBe(1)
  })

  test('an event without a domain is not counted if no hook wants such events', async () => {
    const { send, side } = await aSide([])

    await send({ name: 'CHANNEL_CREATE', uuid: randomUUID(), headers: { 'Caller-Context': 'public' } })

    expect(side.counters()['eventsWithoutDomain']).toBe(0)
  })

  test('an event without a call belongs to the domain that it names', async () => {
    const { send, published } = await aSide(['CUSTOM->engine::dialer_member_end'])

    await send({ name: 'CUSTOM', subclass: 'engine::dialer_member_end', headers: { 'Event-Domain': 'A.example.com' } })

    expect(published()).toMatchObject([
      { name: 'CUSTOM->engine::dialer_member_end', domain: 'a.example.com', uuid: '' },
    ])
  })

  test("an event that pretends to be one of the platform's own is ignored when the engine sends it", async () => {
    const { send, published } = await aSide(['CUSTOM->svc::user_create'])

    await send({ name: 'CUSTOM', subclass: 'svc::user_create', headers: { 'Event-Domain': 'a.example.com' } })

    expect(published()).toEqual([])
  })

  test('an event without an id is skipped and counted, and the next is relayed', async () => {
    const { send, published, side } = await aSide(['CHANNEL_ANSWER'])
    const answer = { name: 'CHANNEL_ANSWER', uuid: randomUUID(), headers: inA }

    await send({ ...answer, coreUuid: '' }, answer)

    expect(published()).toHaveLength(1)
    expect(side.counters()['eventsUnreadable']).toBe(1)
  })
})

describe('the events of a call', () => {
  test('the events of a call are relayed in order, including those that do not name its domain', async () => {
    const { send, published } = await aSide(['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE'])
    const uuid = randomUUID()

    await send(
      { name: 'CHANNEL_CREATE', uuid, headers: inA },
      { name: 'CHANNEL_ANSWER', uuid },
      { name: 'CHANNEL_HANGUP_COMPLETE', uuid },
    )

    expect(published().map(({ name }) => name)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE'])
  })

  test('the events of a call keep its domain until it is destroyed, whatever domain they name', async () => {
    const { send, published } = await aSide(['CHANNEL_ANSWER'])
    const uuid = randomUUID()

    await send(
      { name: 'CHANNEL_CREATE', uuid, headers: inA },
      { name: 'CHANNEL_ANSWER', uuid, headers: { variable_domain_name: 'b.example.com' } },
    )

    expect(published()).toMatchObject([
      { name: 'CHANNEL_CREATE', domain: 'a.example.com' },
      { name: 'CHANNEL_ANSWER', domain: 'a.example.com' },
    ])
  })

  test('the events of a call have the same ids at two connectors, so that the queue keeps one of each', async () => {
    const event = { name: 'CHANNEL_ANSWER', uuid: randomUUID(), sequence: 1, headers: inA }
    const first = await aSide(['CHANNEL_ANSWER'])
    const second = await aSide(['CHANNEL_ANSWER'])

    await first.send(event)
    await second.send(event)

    expect(first.published()).toEqual(second.published())
  })

  test('the events of a call wait in order while the store of domains is gone', async () => {
    let isGone = true
    const { send, published, time } = await aSide(['CHANNEL_CREATE', 'CHANNEL_ANSWER'], () => isGone)
    const uuid = randomUUID()
    await send({ name: 'CHANNEL_CREATE', uuid, headers: inA }, { name: 'CHANNEL_ANSWER', uuid })
    await time.advance(10_000)
    expect(published()).toEqual([])

    isGone = false
    await time.advance(5_000)

    expect(published().map(({ name }) => name)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])
  })

  test('an event without a time of the engine has the time at which it was read, however long it waited', async () => {
    let isGone = true
    const { send, published, time } = await aSide(['CHANNEL_CREATE'], () => isGone)
    const readAt = time.clock.now()
    await send({ name: 'CHANNEL_CREATE', uuid: randomUUID(), headers: { ...inA, 'Event-Date-Timestamp': '' } })
    await time.advance(10_000)

    isGone = false
    await time.advance(5_000)

    expect(published().map(({ occurredAt }) => occurredAt)).toEqual([readAt])
  })

  test('the events of a call wait in order until it is known which events hooks want', async () => {
    let isGone = true
    const { send, published, time } = await aSide(
      ['CHANNEL_CREATE', 'CHANNEL_ANSWER'],
      (store) => isGone && store === 'hooks',
    )
    const uuid = randomUUID()
    await send({ name: 'CHANNEL_CREATE', uuid, headers: inA }, { name: 'CHANNEL_ANSWER', uuid })
    expect(published()).toEqual([])

    isGone = false
    await time.advance(5_000)

    expect(published().map(({ name }) => name)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])
  })

  test('the channel is forgotten after the last event of its call', async () => {
    const { send, registry } = await aSide([])
    const uuid = randomUUID()
    await send({ name: 'CHANNEL_CREATE', uuid, headers: inA })
    expect(registry.find(uuid)).toBeDefined()

    await send({ name: 'CHANNEL_DESTROY', uuid })

    expect(registry.find(uuid)).toBeUndefined()
  })

  test('CUSTOM events that name the uuid of a call do not count as events of that call', async () => {
    const { send, registry } = await aSide(['CUSTOM->engine::dialer_member_end'])
    const uuid = randomUUID()

    await send({ name: 'CUSTOM', subclass: 'engine::dialer_member_end', uuid, headers: inA })

    expect(registry.find(uuid)).toBeUndefined()
  })

  test('events of an answered channel make its chosen uuid lead to it', async () => {
    const { send, registry } = await aSide([])
    const [chosen, actual] = [randomUUID(), randomUUID()]

    await send({ name: 'CHANNEL_ANSWER', uuid: actual, headers: { ...inA, variable_origination_uuid: chosen } })

    expect(registry.find(chosen)?.uuid).toBe(actual)
  })
})

describe('the state of an account', () => {
  const phone = { user_name: '1000', realm: 'a.example.com', contact: '<sip:1000@192.0.2.1>', expires: '60' }
  const ofPhone = { ...inA, ...ofCaller('1000@a.example.com') }

  test('the state of an account is stored and published when it changes, by an event derived from its cause', async () => {
    const { time, send, published, ports } = await aSide(['CUSTOM->svc::account_status'])
    const uuid = randomUUID()

    await send(
      { name: 'CUSTOM', subclass: 'sofia::register', sequence: 1, headers: phone },
      { name: 'CHANNEL_CREATE', uuid, sequence: 2, headers: ofPhone },
      { name: 'CHANNEL_ANSWER', uuid, sequence: 3, headers: ofPhone },
      { name: 'CHANNEL_HANGUP_COMPLETE', uuid, sequence: 4, headers: ofPhone },
      { name: 'CHANNEL_CALLSTATE', uuid, sequence: 5, headers: { ...ofPhone, 'Channel-Call-State': 'HANGUP' } },
      { name: 'CUSTOM', subclass: 'sofia::unregister', sequence: 6, headers: { ...phone, expires: '0' } },
    )

    const states = published().filter(({ name }) => name === 'CUSTOM->svc::account_status')
    expect(states.map(({ id, fields }) => [id, fields['Account-User-State']])).toEqual([
      [`${aCoreUuid}:1:account_status`, 'ONHOOK'],
      [`${aCoreUuid}:${uuid}:busy:account_status`, 'ISBUSY'],
      [`${aCoreUuid}:${uuid}:free:account_status`, 'ONHOOK'],
      [`${aCoreUuid}:6:account_status`, 'NONREG'],
    ])
    await time.advance(100)
    expect(await ports.presence.read('a.example.com', '1000')).toMatchObject({ contacts: [] })
  })

  test('the state of an account is not changed by a channel whose account is of another domain', async () => {
    const { send, ports } = await aSide([])

    await send({
      name: 'CHANNEL_CREATE',
      uuid: randomUUID(),
      headers: { ...inA, ...ofCalled('1000@b.example.com'), variable_domain_name: 'a.example.com' },
    })

    expect([...ports.state.presence.values()]).toEqual([])
  })

  test.each(['a'.repeat(2_000), 'no login', '1000>'])(
    'no state of an account is made of a user name that cannot be a login (%j)',
    async (login) => {
      const { send, ports, registry } = await aSide([])
      const uuid = randomUUID()

      const headers = { ...inA, ...ofCaller(`${login}@a.example.com`) }
      await send({ name: 'CHANNEL_CREATE', uuid, headers })

      expect([...ports.state.presence.values()]).toEqual([])
      expect(registry.find(uuid)?.presenceId.length).toBeLessThan(320)
    },
  )

  test('the state of an account of a domain that does not exist is not kept', async () => {
    const { send, ports } = await aSide([])

    await send({ name: 'CUSTOM', subclass: 'sofia::register', headers: { ...phone, realm: 'nosuch.example.com' } })

    expect([...ports.state.presence.values()]).toEqual([])
  })
})

test('the disconnect and return of an engine are published to each domain with a hook, under the same ids by every connector', async () => {
  const engine = { name: '192.0.2.1:8021', coreUuid: aCoreUuid, commands: fakeEslSession(), reasons: {} }
  const ids = new Set<string>()

  for (const { side, published, time } of [await aSide([disconnected]), await aSide([disconnected])]) {
    side.engineChanged(engine, 'engine_disconnected')
    side.engineChanged(engine, 'engine_connected')
    await time.advance(0)
    expect(published()).toMatchObject([
      { name: disconnected, domain: 'a.example.com', fields: { 'Core-UUID': aCoreUuid } },
      { name: 'CUSTOM->svc::engine_connected', domain: 'a.example.com', fields: { 'Core-UUID': aCoreUuid } },
    ])
    for (const { id } of published()) ids.add(id)
  }

  expect(ids.size).toBe(2)
})

/** The fields that events of a call show once the dial plan has named its domain. */
const ofGateway = { variable_w_domain: 'a.example.com' }

test('the beginning of a call from a gateway reaches hooks as soon as the dial plan has named its domain, and once', async () => {
  const { send, published, side } = await aSide(['CHANNEL_CREATE', 'CHANNEL_HANGUP_COMPLETE'])
  const uuid = randomUUID()

  await send({ name: 'CHANNEL_CREATE', uuid, headers: { 'Call-Direction': 'inbound', variable_note: 'begun' } })
  expect(published()).toEqual([])
  await send(
    { name: 'CHANNEL_ANSWER', uuid, headers: ofGateway },
    { name: 'CHANNEL_HANGUP_COMPLETE', uuid, headers: ofGateway },
  )

  expect(published()).toMatchObject([
    {
      id: `${aCoreUuid}:${uuid}:CHANNEL_CREATE`,
      name: 'CHANNEL_CREATE',
      domain: 'a.example.com',
      fields: { 'Event-Domain': 'a.example.com', variable_note: 'begun' },
    },
    { name: 'CHANNEL_ANSWER', domain: 'a.example.com' },
    { name: 'CHANNEL_HANGUP_COMPLETE', domain: 'a.example.com' },
  ])
  expect(side.counters().eventsWithoutDomain).toBe(0)
})

test('events of a call before it has a domain reach no hook, except its beginning', async () => {
  const { send, published } = await aSide(['CHANNEL_CREATE', 'DTMF'])
  const uuid = randomUUID()

  await send({ name: 'CHANNEL_CREATE', uuid }, { name: 'DTMF', uuid })
  await send({ name: 'CHANNEL_ANSWER', uuid, headers: ofGateway })

  expect(published().map(({ name }) => name)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])
})

test('a call that ends without a domain reaches no hook, and its beginning is counted', async () => {
  const { send, published, side } = await aSide(['CHANNEL_CREATE'])
  const uuid = randomUUID()

  await send({ name: 'CHANNEL_CREATE', uuid })
  expect(side.counters().eventsWithoutDomain).toBe(0)
  await send({ name: 'CHANNEL_DESTROY', uuid })

  expect(published()).toEqual([])
  expect(side.counters().eventsWithoutDomain).toBe(1)
})
