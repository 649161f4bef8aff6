import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { callsOf } from '../../support/connector/calls-of.ts'
import { aCoreUuid } from '../../support/engine/engine-event.ts'
import { gone } from '../../support/stores/flaky.ts'
import { harnessDomain, harnessEngine, pipelineHarness, ofCall } from '../../support/connector/pipeline-harness.ts'

const ends = ['CHANNEL_HANGUP_COMPLETE made', 'CHANNEL_DESTROY made']

/** A connector that has heard of a call before its link was lost. */
async function afterALostLink(callState = 'ACTIVE') {
  const harness = await pipelineHarness()
  const pipeline = await harness.connector()
  const uuid = randomUUID()
  await pipeline.up()
  await harness.time.advance(60_000)
  const headers = () => ofCall(harness.time.clock.now(), { 'Channel-Call-State': callState })
  await pipeline.emit(
    { name: 'CHANNEL_CREATE', uuid, headers: headers() },
    { name: 'CHANNEL_ANSWER', uuid, headers: headers() },
  )
  await pipeline.down()
  await harness.time.advance(2_000)
  return { ...harness, pipeline, uuid, headers }
}

describe('a call that ended while no connector listened', () => {
  test('a call that ended while no connector listened is ended once, with all that the contract asks of an event, within a minute of the new link', async () => {
    const { time, pipeline, uuid, eventsOf, published } = await afterALostLink()

    await pipeline.up()
    await time.advance(60_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
    expect(published.find(({ name }) => name === 'CHANNEL_HANGUP_COMPLETE')).toMatchObject({
      id: `${aCoreUuid}:${uuid}:CHANNEL_HANGUP_COMPLETE`,
      domain: harnessDomain,
      fields: {
        'Event-Name': 'CHANNEL_HANGUP_COMPLETE',
        'Event-Date-Timestamp': expect.stringMatching(/^\d{16}$/),
        'Event-Domain': harnessDomain,
        'Core-UUID': aCoreUuid,
        'Unique-ID': uuid,
        'Channel-State': 'CS_REPORTING',
        'Channel-Call-State': 'HANGUP',
        'Call-Direction': 'inbound',
        'Caller-Caller-ID-Number': '1000',
        'Caller-Destination-Number': '9196',
        'Channel-Presence-ID': `1000@${harnessDomain}`,
        'Hangup-Cause': 'NORMAL_UNSPECIFIED',
        Synthetic: 'true',
      },
    })
    expect(pipeline.registry.find(uuid)).toBeUndefined()
  })

  test('a call that ended while no connector listened is ended after two lists without it at the earliest', async () => {
    const { time, pipeline, uuid, eventsOf } = await afterALostLink()

    await pipeline.up()
    await time.advance(3_900)
    expect(eventsOf(uuid)).not.toContain('CHANNEL_DESTROY made')
    pipeline.rows = [{ uuid }]
    await time.advance(56_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])
  })

  test("a call that is missing from the engine's lists is not ended while the engine confirms its uuid, and its real end is published", async () => {
    const { time, pipeline, uuid, eventsOf, headers } = await afterALostLink()
    pipeline.existing = [{ uuid }]

    await pipeline.up()
    await time.advance(60_000)
    const end = headers()
    await pipeline.emit(
      { name: 'CHANNEL_HANGUP_COMPLETE', uuid, headers: end },
      { name: 'CHANNEL_DESTROY', uuid, headers: end },
    )
    await time.advance(5_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'])
  })

  test('the engine is asked for the uuid of a missing call again until it answers', async () => {
    const { time, pipeline, uuid, eventsOf } = await afterALostLink()
    const { answer } = pipeline.commands
    const from = time.clock.now()
    const isBusy = () => time.clock.now() < from + 10_000
    pipeline.commands.answer = (command) =>
      command.startsWith('uuid_exists ') && isBusy() ? '-ERR busy\n' : answer(command)

    await pipeline.up()
    await time.advance(9_000)
    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])
    await time.advance(51_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
  })

  test('many calls that ended while no connector listened are each asked for once, sixteen at a time', async () => {
    const { time, pipeline, eventsOf, headers } = await afterALostLink()
    await pipeline.up()
    const calls = Array.from({ length: 100 }, () => randomUUID())
    await pipeline.emit(...calls.map((uuid) => ({ name: 'CHANNEL_CREATE', uuid, headers: headers() })))
    await pipeline.down()
    const asked = { open: 0, most: 0, all: new Array<string>() }
    const api = pipeline.commands.api.bind(pipeline.commands)
    pipeline.commands.api = async (command) => {
      const isAsked = command.startsWith('uuid_exists ')
      if (isAsked) asked.all.push(command)
      if (isAsked) asked.most = Math.max(asked.most, (asked.open += 1))
      try {
        return await api(command)
      } finally {
        if (isAsked) asked.open -= 1
      }
    }

    await pipeline.up()
    await time.advance(60_000)

    expect(asked.most).toBe(16)
    expect(new Set(asked.all).size).toBe(asked.all.length)
    for (const uuid of calls) expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', ...ends])
  })

  test('a call that ended while no connector listened gets the one end that is missing when the engine had sent the other', async () => {
    const { time, pipeline, uuid, eventsOf, headers } = await afterALostLink()
    await pipeline.up()
    await pipeline.emit({ name: 'CHANNEL_HANGUP_COMPLETE', uuid, headers: headers() })
    await pipeline.down()

    await pipeline.up()
    await time.advance(60_000)

    expect(eventsOf(uuid)).toEqual([
      'CHANNEL_CREATE',
      'CHANNEL_ANSWER',
      'CHANNEL_HANGUP_COMPLETE',
      'CHANNEL_DESTROY made',
    ])
  })

  test('a call that ended while no connector listened is ended although the list shows it a while longer', async () => {
    const { time, pipeline, uuid, eventsOf } = await afterALostLink()
    pipeline.rows = [{ uuid }]
    await pipeline.up()
    await time.advance(5_000)

    pipeline.rows = []
    await time.advance(55_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
  })

  test('a call that ended while no connector listened is ended although the engine would not list its channels at first', async () => {
    const { time, pipeline, uuid, eventsOf } = await afterALostLink()
    const { answer } = pipeline.commands
    const from = time.clock.now()
    pipeline.commands.answer = (command) => (time.clock.now() < from + 20_000 ? '-ERR busy\n' : answer(command))

    await pipeline.up()
    await time.advance(60_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
  })

  test('a call that ended while no connector listened is ended although much that was heard before the loss had to wait for a store until after it', async () => {
    const { time, ports, pipeline, uuid, eventsOf, headers } = await afterALostLink()
    const stores = { areGone: true }
    const store = gone({ ...ports.domains }, 'exists', () => stores.areGone)
    await pipeline.up()
    ports.domains.exists = (name) => store.exists(name)
    await pipeline.emit({
      name: 'CHANNEL_CREATE',
      uuid: randomUUID(),
      headers: { 'Caller-Context': 'other.example.com' },
    })
    for (let count = 0; count < 300; count += 1) await pipeline.emit({ name: 'CHANNEL_HOLD', uuid, headers: headers() })
    await pipeline.down()
    await pipeline.up()

    stores.areGone = false
    await time.advance(60_000)

    expect(eventsOf(uuid).filter((name) => name !== 'CHANNEL_HOLD')).toEqual([
      'CHANNEL_CREATE',
      'CHANNEL_ANSWER',
      ...ends,
    ])
  })

  test('the end of a call while no connector listened frees its account, under an id that every connector gives that event', async () => {
    const { time, pipeline, uuid, published, headers } = await afterALostLink()
    const phone = { user_name: '1000', realm: harnessDomain, contact: '<sip:1000@192.0.2.9:5060>', expires: '3600' }
    await pipeline.up()
    pipeline.rows = [{ uuid }]
    pipeline.registrations = [{ user: '1000', expires: time.clock.now() / 1_000 + 3_600 }]
    await pipeline.emit({ name: 'CUSTOM', subclass: 'sofia::register', headers: phone })
    await pipeline.emit({ name: 'CHANNEL_HOLD', uuid, headers: headers() })
    await pipeline.down()
    pipeline.rows = []

    await pipeline.up()
    await time.advance(60_000)

    const states = published.filter(({ name }) => name.endsWith('account_status'))
    expect(states.map(({ fields }) => fields['Account-User-State'])).toEqual(['ISBUSY', 'ONHOOK'])
    expect(states.at(-1)?.id).toBe(`${aCoreUuid}:${uuid}:free:account_status`)
  })
})

describe('a call that is up', () => {
  test('a call that is up is not ended, however often the link is lost', async () => {
    const { time, pipeline, uuid, eventsOf } = await afterALostLink()
    pipeline.rows = [{ uuid }]

    for (let times = 0; times < 3; times += 1) {
      await pipeline.up()
      await time.advance(40_000)
      await pipeline.down()
    }

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])
  })

  test('a call that is up is not ended by a list with fewer rows than its count', async () => {
    const { time, pipeline, uuid, eventsOf } = await afterALostLink()
    const { answer } = pipeline.commands
    pipeline.commands.answer = (command) =>
      command === 'show channels as json' ? '{"row_count":1}\n' : answer(command)

    await pipeline.up()
    await time.advance(60_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER'])
  })

  test('a call that is up is not ended if it is listed late', async () => {
    const { time, pipeline, eventsOf } = await afterALostLink()
    const uuid = randomUUID()
    await pipeline.up()
    await pipeline.emit({ name: 'CHANNEL_CREATE', uuid, headers: ofCall(time.clock.now()) })

    await time.advance(60_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE'])
  })

  test('a call that is up is not ended if an event of it arrives during the check, whatever the list says', async () => {
    const { time, pipeline, uuid, eventsOf, headers } = await afterALostLink()
    await pipeline.up()
    await time.advance(2_000)

    await pipeline.emit({ name: 'CHANNEL_HOLD', uuid, headers: headers() })
    await time.advance(60_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HOLD'])
  })

  test('a call that was presumed gone comes back with its next event, and its real end is not published twice', async () => {
    const { time, pipeline, uuid, eventsOf, headers, published } = await afterALostLink()
    await pipeline.up()
    await time.advance(10_000)
    expect(pipeline.registry.find(uuid)).toBeUndefined()

    await pipeline.emit({ name: 'CHANNEL_HOLD', uuid, headers: headers() })
    expect(pipeline.registry.find(uuid)?.domain).toBe(harnessDomain)
    await pipeline.emit({ name: 'CHANNEL_HANGUP_COMPLETE', uuid, headers: headers() })
    await pipeline.emit({ name: 'CHANNEL_DESTROY', uuid, headers: headers() })

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends, 'CHANNEL_HOLD'])
    expect(new Set(published.map(({ id }) => id)).size).toBe(published.length)
    expect(pipeline.registry.find(uuid)).toBeUndefined()
  })
})

describe('a call that began while no connector listened', () => {
  test('a call that began while no connector listened is recorded, and its beginning and answer are synthesized', async () => {
    const { time, pipeline, eventsOf, published } = await afterALostLink()
    const uuid = randomUUID()
    pipeline.rows = [{ uuid, createdAt: Math.floor(time.clock.now() / 1_000) }]

    await pipeline.up()
    await time.advance(60_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE made', 'CHANNEL_ANSWER made'])
    expect(published.find((event) => event.uuid === uuid)).toMatchObject({
      id: `${aCoreUuid}:${uuid}:CHANNEL_CREATE`,
      fields: { 'Caller-Destination-Number': '9196', 'Channel-State': 'CS_INIT', Synthetic: 'true' },
    })
    expect(pipeline.registry.find(uuid)).toMatchObject({
      domain: harnessDomain,
      core: aCoreUuid,
      engine: harnessEngine,
    })
  })

  test('a call that began while no connector listened and still rings gets no synthetic answer', async () => {
    const { time, pipeline, eventsOf } = await afterALostLink()
    const uuid = randomUUID()
    pipeline.rows = [{ uuid, createdAt: Math.floor(time.clock.now() / 1_000), callstate: 'RINGING' }]

    await pipeline.up()
    await time.advance(60_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE made'])
  })

  test('a call that began while no connector listened and ends before the first list gets a synthetic beginning before its end', async () => {
    const { time, pipeline, eventsOf } = await afterALostLink()
    const uuid = randomUUID()
    const headers = ofCall(time.clock.now(), { 'Caller-Channel-Answered-Time': `${time.clock.now()}000` })
    await time.advance(500)
    await pipeline.up()

    await pipeline.emit(
      {
        name: 'CHANNEL_HANGUP_COMPLETE',
        uuid,
        headers: { ...headers, 'Event-Date-Timestamp': `${time.clock.now()}000` },
      },
      { name: 'CHANNEL_DESTROY', uuid, headers },
    )
    await time.advance(60_000)

    expect(eventsOf(uuid)).toEqual([
      'CHANNEL_CREATE made',
      'CHANNEL_ANSWER made',
      'CHANNEL_HANGUP_COMPLETE',
      'CHANNEL_DESTROY',
    ])
  })

  test('a call that the list still shows after its end is not kept', async () => {
    const { time, pipeline, eventsOf } = await afterALostLink()
    const uuid = randomUUID()
    pipeline.rows = [{ uuid, createdAt: Math.floor(time.clock.now() / 1_000) }]
    await pipeline.up()
    await time.advance(2_000)

    pipeline.rows = []
    await time.advance(58_000)

    expect(eventsOf(uuid)).toEqual([])
    expect(pipeline.registry.find(uuid)).toBeUndefined()
  })

  test('a call whose end was heard after the new link is not kept, although two lists still show it', async () => {
    const { time, pipeline, eventsOf, headers } = await afterALostLink()
    const uuid = randomUUID()
    await pipeline.up()
    await pipeline.emit(
      { name: 'CHANNEL_CREATE', uuid, headers: headers() },
      { name: 'CHANNEL_HANGUP_COMPLETE', uuid, headers: headers() },
      { name: 'CHANNEL_DESTROY', uuid, headers: headers() },
    )
    pipeline.rows = [{ uuid, createdAt: Math.floor(time.clock.now() / 1_000) }]

    await time.advance(10_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'])
    expect(pipeline.registry.find(uuid)).toBeUndefined()
  })
})

test('a missed answer of a call is synthesized', async () => {
  const harness = await pipelineHarness()
  const pipeline = await harness.connector()
  const uuid = randomUUID()
  await pipeline.up()
  await pipeline.emit({ name: 'CHANNEL_CREATE', uuid, headers: ofCall(harness.time.clock.now()) })
  await pipeline.down()
  pipeline.rows = [{ uuid }]

  await pipeline.up()
  await harness.time.advance(60_000)

  expect(harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER made'])
})

test('calls that were up before the first link are recorded, and no events are synthesized for them', async () => {
  const harness = await pipelineHarness()
  const pipeline = await harness.connector()
  const uuid = randomUUID()
  pipeline.rows = [{ uuid, createdAt: Math.floor(harness.time.clock.now() / 1_000) - 60 }]

  await pipeline.up()
  await harness.time.advance(60_000)

  expect(harness.eventsOf(uuid)).toEqual([])
  expect(pipeline.registry.find(uuid)?.domain).toBe(harnessDomain)
})

describe('an engine that was started anew', () => {
  const nextCore = '11111111-2222-4333-8444-555555555555'

  test('all old calls of a restarted engine are ended within seconds, without asking the engine', async () => {
    const { time, pipeline, uuid, eventsOf } = await afterALostLink()
    pipeline.commands.answer = () => '-ERR busy\n'

    await pipeline.up(nextCore)
    expect(pipeline.registry.find(uuid)).toBeUndefined()
    await time.advance(5_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
  })

  test('a call of the new process that was known before the event link came up is not ended with those of the old one', async () => {
    const { time, pipeline, uuid, eventsOf } = await afterALostLink()
    const next = randomUUID()
    const listed = new Map(Object.entries({ ...ofCall(time.clock.now()), 'Core-UUID': nextCore }))
    await pipeline.registry.learn(next, (name) => listed.get(name), harnessEngine)
    pipeline.rows = [{ uuid: next }]

    await pipeline.up(nextCore)
    await time.advance(60_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
    expect(eventsOf(next).filter((name) => ends.includes(name))).toEqual([])
    expect(pipeline.registry.find(next)?.core).toBe(nextCore)
  })

  test('a call that a restarted engine recovers under its old uuid is kept, and only the earlier one is ended', async () => {
    const { time, ports, pipeline, uuid, eventsOf, headers } = await afterALostLink()
    pipeline.rows = [{ uuid }]

    await pipeline.up(randomUUID())
    await pipeline.emit({ name: 'CHANNEL_CREATE', uuid, headers: headers() })
    await time.advance(60_000)

    expect(eventsOf(uuid)).toEqual([
      'CHANNEL_CREATE',
      'CHANNEL_ANSWER',
      'CHANNEL_CREATE',
      ...ends,
      'CHANNEL_ANSWER made',
    ])
    expect(pipeline.registry.find(uuid)?.callState).toBe('ACTIVE')
    expect(pipeline.registry.hasEnded(uuid)).toBe(false)
    expect(await callsOf(ports, harnessDomain, '1000')).toEqual([uuid])
  })

  test('no event of a restarted engine counts as a repetition, not even of a call with an old uuid and sequence number', async () => {
    const { time, pipeline, uuid, eventsOf } = await afterALostLink()
    await pipeline.up(nextCore)
    await time.advance(5_000)

    await pipeline.emit({ name: 'CHANNEL_CREATE', uuid, sequence: 1, headers: ofCall(time.clock.now()) })
    await pipeline.emit({ name: 'CHANNEL_ANSWER', uuid, sequence: 2, headers: ofCall(time.clock.now()) })
    pipeline.rows = [{ uuid }]
    await time.advance(60_000)

    expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends, 'CHANNEL_CREATE', 'CHANNEL_ANSWER'])
    expect(pipeline.registry.find(uuid)?.core).toBe(nextCore)
  })
})

test('events that are held are published when the connector stops', async () => {
  const { pipeline, uuid, eventsOf } = await afterALostLink()
  await pipeline.up('11111111-2222-4333-8444-555555555555')

  await pipeline.side.flushed()

  expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_ANSWER', ...ends])
})
