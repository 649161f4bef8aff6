import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { ChannelRegistry, firstExisting } from '../../../connector/calls/channel-registry.ts'
import type { DomainNames } from '../../../connector/calls/domain-names.ts'

const engine = '192.0.2.1:8021'
const only = (...names: string[]): DomainNames => ({ exists: (name) => names.includes(name) })
const reading = (fields: Readonly<Record<string, string>>) => (name: string) => fields[name]

test.each([
  ['request-4711', 'request-4711'],
  // A dial plan may set any variable.
  ['a b', ''],
  ['x'.repeat(65), ''],
])('a channel whose variable has the request id %j is known to be of the request %j', async (given, known) => {
  const registry = new ChannelRegistry(only('a.example.com'))
  const early = { 'Caller-Context': 'a.example.com', 'Caller-Channel-Created-Time': '1', 'Event-Name': 'CHANNEL_STATE' }
  await registry.learn('u', reading(early), engine)
  const variables = { variable_svc_request_id: given }
  await registry.learn('u', reading({ ...early, ...variables, 'Event-Name': 'CHANNEL_CREATE' }), engine)

  // Not every event has the variables of its channel.
  const channel = await registry.learn('u', reading({ 'Event-Name': 'CHANNEL_HOLD' }), engine)

  expect(channel.requestId).toBe(known)
})

test('a name that is not a domain is skipped in favour of one that is', async () => {
  const registry = new ChannelRegistry(only('a.example.com'))

  const channel = await registry.learn(
    'u',
    reading({ 'Caller-Context': 'public', variable_user_context: 'a.example.com' }),
    engine,
  )

  expect(channel.domain).toBe('a.example.com')
})

test('the domain of a channel is matched whole, not by a suffix or a longer name', async () => {
  const registry = new ChannelRegistry(only('example.com', 'b.a.example.com'))

  const channel = await registry.learn('u', reading({ 'Channel-Presence-ID': '1000@a.example.com' }), engine)

  expect(channel.domain).toBe('')
})

test('the domain of a channel does not change once it is known, whatever the engine reports later', async () => {
  const registry = new ChannelRegistry(only('a.example.com', 'b.example.com'))
  await registry.learn('u', reading({ 'Caller-Context': 'a.example.com' }), engine)

  const channel = await registry.learn('u', reading({ variable_domain_name: 'b.example.com' }), engine)

  expect(channel.domain).toBe('a.example.com')
})

test('a call that the platform placed belongs to its domain before and after the engine reports it', async () => {
  const registry = new ChannelRegistry(only('a.example.com', 'b.example.com'))
  registry.place('u', 'a.example.com', '1000@a.example.com', engine)
  expect(registry.find('u')).toMatchObject({ domain: 'a.example.com', proven: false })

  const channel = await registry.learn('u', reading({ 'Caller-Context': 'b.example.com' }), engine)

  expect(channel).toMatchObject({ domain: 'a.example.com', proven: true })
})

test('placing a call under a uuid in use does not change the owner of the existing channel', async () => {
  const registry = new ChannelRegistry(only('a.example.com', 'b.example.com'))
  await registry.learn('u', reading({ 'Caller-Context': 'a.example.com' }), engine)

  registry.place('u', 'b.example.com', '1000@b.example.com', engine)

  expect(registry.find('u')?.domain).toBe('a.example.com')
})

test('a placed call that its engine has reported is not forgotten, even while no event link is up', async () => {
  const registry = new ChannelRegistry(only('a.example.com'))
  registry.place('u', 'a.example.com', '1000@a.example.com', engine)
  await registry.learn('u', reading({ 'Core-UUID': 'core' }), engine, 'event')
  registry.see('u', 'CHANNEL_CREATE')
  registry.markUnconfirmed(engine)

  registry.unplace('u')

  expect(registry.find('u')).toBeDefined()
})

test('a leg takes the domain of its other leg, even shortly after that one has ended', async () => {
  const registry = new ChannelRegistry(only('a.example.com'))
  await registry.learn('one', reading({ 'Caller-Context': 'a.example.com' }), engine)
  registry.end('one', '')

  const channel = await registry.learn('two', reading({ 'Other-Leg-Unique-ID': 'one' }), engine)

  expect(channel.domain).toBe('a.example.com')
})

test('an event after the end does not bring a channel back', async () => {
  const registry = new ChannelRegistry(only('a.example.com'))
  await registry.learn('u', reading({ 'Caller-Context': 'a.example.com' }), engine)
  registry.end('u', '')

  const channel = await registry.learn('u', reading({ 'Caller-Context': 'a.example.com' }), engine)

  expect(channel.domain).toBe('a.example.com')
  expect(registry.find('u')).toBeUndefined()
})

test('a call whose end was reported before it was recorded as placed is not up', async () => {
  const registry = new ChannelRegistry(only('a.example.com'))
  await registry.learn('u', reading({ 'Caller-Context': 'a.example.com' }), engine)
  registry.end('u', '')

  registry.place('u', 'a.example.com', '1000@a.example.com', engine)

  expect([registry.find('u'), registry.size, registry.hasEnded('u')]).toEqual([undefined, 0, true])
})

test('a chosen uuid leads to the channel that the engine created for it, unless a channel has that uuid itself', async () => {
  const registry = new ChannelRegistry(only('a.example.com'))
  const [chosen, actual] = [randomUUID(), randomUUID()]
  await registry.learn(actual, reading({ 'Caller-Context': 'a.example.com' }), engine)
  registry.alias(chosen, actual)
  expect(registry.find(chosen)?.uuid).toBe(actual)

  await registry.learn(chosen, reading({ 'Caller-Context': 'a.example.com' }), engine)

  expect(registry.find(chosen)?.uuid).toBe(chosen)
})

test('after the event link was interrupted, no channel counts as up until the engine reports it again', async () => {
  const registry = new ChannelRegistry(only('a.example.com'))
  await registry.learn('u', reading({ 'Caller-Context': 'a.example.com' }), engine)

  registry.markUnconfirmed(engine)
  expect(registry.find('u')).toMatchObject({ proven: false, domain: 'a.example.com' })
  await registry.learn('u', reading({}), engine)

  expect(registry.find('u')).toMatchObject({ proven: true, domain: 'a.example.com' })
})

test('a new channel above the limit evicts the oldest one, which is counted', async () => {
  const registry = new ChannelRegistry(only('a.example.com'), { limit: 2 })

  for (const uuid of ['one', 'two', 'three'])
    await registry.learn(uuid, reading({ 'Caller-Context': 'a.example.com' }), engine)

  expect([registry.find('one'), registry.size, registry.evicted]).toEqual([undefined, 2, 1])
})

test('the first event of each kind in the life of a call is distinguished from its repetition, even after the end', async () => {
  const registry = new ChannelRegistry(only('a.example.com'))
  await registry.learn('u', reading({ 'Caller-Context': 'a.example.com' }), engine)

  expect([registry.see('u', 'CHANNEL_CREATE'), registry.see('u', 'CHANNEL_CREATE')]).toEqual([true, false])
  registry.end('u', '')
  expect([registry.see('u', 'CHANNEL_DESTROY'), registry.see('u', 'CHANNEL_DESTROY')]).toEqual([true, false])
  expect([registry.hasSeen('u', 'CHANNEL_CREATE'), registry.hasSeen('u', 'CHANNEL_ANSWER')]).toEqual([true, false])
})

test('a channel that was presumed gone comes back with an event, and not with a list', async () => {
  const registry = new ChannelRegistry(only('a.example.com'))
  const fields = reading({ 'Caller-Context': 'a.example.com', 'Event-Name': 'CHANNEL_HOLD' })
  await registry.learn('u', fields, engine, 'event')
  registry.see('u', 'CHANNEL_CREATE')
  registry.end('u', '')

  await registry.learn('u', fields, engine, 'answer')
  expect(registry.find('u')).toBeUndefined()
  await registry.learn('u', fields, engine, 'event')

  expect(registry.find('u')).toMatchObject({ domain: 'a.example.com', heard: true })
  expect(registry.hasSeen('u', 'CHANNEL_CREATE')).toBe(true)
})

test('a uuid that is used again after its call was destroyed is a new channel', async () => {
  const registry = new ChannelRegistry(only('a.example.com'))
  const made = reading({ 'Caller-Context': 'a.example.com', 'Event-Name': 'CHANNEL_CREATE' })
  await registry.learn('u', made, engine, 'event')
  registry.see('u', 'CHANNEL_DESTROY')
  registry.end('u', '')

  await registry.learn('u', made, engine, 'event')

  expect(registry.find('u')).toBeDefined()
})

test('the id of a destroyed channel that is used again by another tenant carries nothing of the former one', async () => {
  const registry = new ChannelRegistry(only('a.example.com', 'b.example.com'))
  const made = (domain: string) =>
    reading({ 'Caller-Context': domain, 'Event-Name': 'CHANNEL_CREATE', 'Core-UUID': 'c' })
  await registry.learn('fixed', made('a.example.com'), engine, 'event')
  registry.see('fixed', 'CHANNEL_DESTROY')
  registry.end('fixed', 'c')

  await registry.learn('fixed', made('b.example.com'), engine, 'event')

  expect(registry.find('fixed')?.domain).toBe('b.example.com')
})

test('a uuid that appears in another process of an engine is a new channel without events', async () => {
  const registry = new ChannelRegistry(only('a.example.com'))
  await registry.learn('u', reading({ 'Caller-Context': 'a.example.com', 'Core-UUID': 'one' }), engine, 'event')
  registry.see('u', 'CHANNEL_CREATE')

  await registry.learn('u', reading({ 'Core-UUID': 'two' }), engine, 'event')

  expect(registry.find('u')).toMatchObject({ core: 'two', domain: 'a.example.com' })
  expect(registry.hasSeen('u', 'CHANNEL_CREATE')).toBe(false)
})

test('caller and callee come from the first event that has them, cut to the length of a telephone number', async () => {
  const registry = new ChannelRegistry(only('a.example.com'))
  const first = { 'Caller-Caller-ID-Number': '1'.repeat(100_000), 'Caller-Channel-Created-Time': '1768478400000000' }
  await registry.learn('u', reading({ 'Channel-Call-State': 'DOWN' }), engine, 'event')
  await registry.learn('u', reading({ ...first, 'Call-Direction': 'inbound' }), engine, 'event')

  await registry.learn('u', reading({ 'Caller-Caller-ID-Number': '2' }), engine, 'event')

  expect(registry.find('u')).toMatchObject({ callerNumber: '1'.repeat(128), direction: 'inbound' })
})

test('no name after the first domain is asked for, whether that is known at once or looked up', async () => {
  const asked: string[] = []
  function* names(): Generator<string> {
    for (const name of ['none', 'first', 'second']) {
      asked.push(name)
      yield name
    }
  }
  const isDomain = (name: string) => name !== 'none'

  expect(firstExisting(names(), { exists: isDomain })).toBe('first')
  expect(await firstExisting(names(), { exists: async (name) => isDomain(name) })).toBe('first')
  expect(asked).toEqual(['none', 'first', 'none', 'first'])
})
