import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { channelRegistry } from '../../../connector/calls/channel-registry.ts'
import type { DomainNames } from '../../../connector/calls/domain-names.ts'

const engine = '192.0.2.1:8021'
const only = (...names: string[]): DomainNames => ({ exists: (name) => names.includes(name) })
const reading = (fields: Readonly<Record<string, string>>) => (name: string) => fields[name]

test('a name that is not a domain is passed over for one that is', async () => {
  const registry = channelRegistry(only('a.example.com'))

  const channel = await registry.learn(
    'u',
    reading({ 'Caller-Context': 'public', variable_user_context: 'a.example.com' }),
    engine,
  )

  expect(channel.domain).toBe('a.example.com')
})

test('a domain is matched whole: neither a suffix nor a longer name is it', async () => {
  const registry = channelRegistry(only('example.com', 'b.a.example.com'))

  const channel = await registry.learn('u', reading({ 'Channel-Presence-ID': '1000@a.example.com' }), engine)

  expect(channel.domain).toBe('')
})

test('a domain once known stays, whatever the engine tells later', async () => {
  const registry = channelRegistry(only('a.example.com', 'b.example.com'))
  await registry.learn('u', reading({ 'Caller-Context': 'a.example.com' }), engine)

  const channel = await registry.learn('u', reading({ variable_domain_name: 'b.example.com' }), engine)

  expect(channel.domain).toBe('a.example.com')
})

test('a call that the platform placed belongs to its domain before and after the engine tells of it', async () => {
  const registry = channelRegistry(only('a.example.com', 'b.example.com'))
  registry.place('u', 'a.example.com', '1000@a.example.com', engine)
  expect(registry.find('u')).toMatchObject({ domain: 'a.example.com', proven: false })

  const channel = await registry.learn('u', reading({ 'Caller-Context': 'b.example.com' }), engine)

  expect(channel).toMatchObject({ domain: 'a.example.com', proven: true })
})

test('placing a call under a uuid in use does not take the channel over', async () => {
  const registry = channelRegistry(only('a.example.com', 'b.example.com'))
  await registry.learn('u', reading({ 'Caller-Context': 'a.example.com' }), engine)

  registry.place('u', 'b.example.com', '1000@b.example.com', engine)

  expect(registry.find('u')?.domain).toBe('a.example.com')
})

test('a leg takes the domain of its other leg, also a moment after that has ended', async () => {
  const registry = channelRegistry(only('a.example.com'))
  await registry.learn('one', reading({ 'Caller-Context': 'a.example.com' }), engine)
  registry.end('one')

  const channel = await registry.learn('two', reading({ 'Other-Leg-Unique-ID': 'one' }), engine)

  expect(channel.domain).toBe('a.example.com')
})

test('an event after the end does not bring a channel back', async () => {
  const registry = channelRegistry(only('a.example.com'))
  await registry.learn('u', reading({ 'Caller-Context': 'a.example.com' }), engine)
  registry.end('u')

  const channel = await registry.learn('u', reading({ 'Caller-Context': 'a.example.com' }), engine)

  expect(channel.domain).toBe('a.example.com')
  expect(registry.find('u')).toBeUndefined()
})

test('a chosen uuid leads to the channel that the engine made of it, as long as it has none of its own', async () => {
  const registry = channelRegistry(only('a.example.com'))
  const [chosen, actual] = [randomUUID(), randomUUID()]
  await registry.learn(actual, reading({ 'Caller-Context': 'a.example.com' }), engine)
  registry.alias(chosen, actual)
  expect(registry.find(chosen)?.uuid).toBe(actual)

  await registry.learn(chosen, reading({ 'Caller-Context': 'a.example.com' }), engine)

  expect(registry.find(chosen)?.uuid).toBe(chosen)
})

test('after a break of the event link nothing is proven until the engine tells of it again', async () => {
  const registry = channelRegistry(only('a.example.com'))
  await registry.learn('u', reading({ 'Caller-Context': 'a.example.com' }), engine)

  registry.doubt(engine)
  expect(registry.find('u')).toMatchObject({ proven: false, domain: 'a.example.com' })
  await registry.learn('u', reading({}), engine)

  expect(registry.find('u')).toMatchObject({ proven: true, domain: 'a.example.com' })
})

test('above its limit the oldest channel goes, and is counted', async () => {
  const registry = channelRegistry(only('a.example.com'), 2)

  for (const uuid of ['one', 'two', 'three'])
    await registry.learn(uuid, reading({ 'Caller-Context': 'a.example.com' }), engine)

  expect([registry.find('one'), registry.size, registry.evicted]).toEqual([undefined, 2, 1])
})
