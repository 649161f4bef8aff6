import { expect, test } from 'vitest'
import { channelRegistry } from '../../../connector/calls/channel-registry.ts'
import { storedCalls } from '../../../connector/calls/stored-calls.ts'
import { capturedLog } from '../../support/captured-log.ts'
import { manualTime, settle } from '../../support/manual-time.ts'
import { aKnownCall } from '../../support/records.ts'

const domain = 'a.example.com'
const fields: Readonly<Record<string, string>> = { 'Core-UUID': 'core-1', 'Caller-Context': domain }
const told = (more: Readonly<Record<string, string>> = {}) => {
  const all: Readonly<Record<string, string>> = { ...fields, ...more }
  return (name: string) => all[name]
}

/** A registry whose channels are stored in a store that the test answers for. */
function aRegistry() {
  const time = manualTime()
  const registry = channelRegistry({ exists: (name) => name === domain })
  const writes: string[] = []
  const answers = { put: async () => {}, remove: async () => {} }
  const calls = storedCalls({
    ...time,
    store: {
      put: ({ uuid }) => {
        writes.push(`put ${uuid}`)
        return answers.put()
      },
      remove: (_domain, uuid) => {
        writes.push(`remove ${uuid}`)
        return answers.remove()
      },
    },
    handedOverTo: () => time.clock.now(),
    random: () => 0,
    log: capturedLog(),
  })
  registry.watch(calls)
  return { time, registry, writes, answers, calls }
}

test('of a call many events come, and one write', async () => {
  const { time, registry, writes } = aRegistry()

  for (let times = 0; times < 9; times += 1) await registry.learn('call', told(), 'fs1', 'event')
  await time.advance(60_000)

  expect(writes).toEqual(['put call'])
})

test('a call whose write fails after its end is removed, and not written again', async () => {
  const { time, registry, writes, answers } = aRegistry()
  const writing = Promise.withResolvers<void>()
  answers.put = () => writing.promise
  await registry.learn('call', told(), 'fs1', 'event')

  registry.end('call', 'core-1')
  writing.reject(new Error('gone'))
  await time.advance(60_000)

  expect(writes).toEqual(['put call', 'remove call'])
})

test('a removal that fails is tried again', async () => {
  const { time, registry, writes, answers, calls } = aRegistry()
  answers.remove = () => Promise.reject(new Error('gone'))
  await registry.learn('call', told(), 'fs1', 'event')
  registry.end('call', 'core-1')
  await time.advance(6_000)
  expect(calls.waiting).toBe(1)

  answers.remove = async () => {}
  await time.advance(10_000)

  expect([writes.at(-1), calls.waiting]).toEqual(['remove call', 0])
})

test('a call that was taken to be over and comes back stays stored', async () => {
  const { time, registry, writes } = aRegistry()
  await registry.learn('call', told(), 'fs1', 'event')
  await settle()

  registry.end('call', 'core-1')
  await registry.learn('call', told({ 'Event-Name': 'CHANNEL_HOLD' }), 'fs1', 'event')
  await time.advance(60_000)

  expect(writes).toEqual(['put call', 'put call'])
})

test('calls of no domain, and calls that no engine has told of, are not stored', async () => {
  const { time, registry, writes } = aRegistry()

  await registry.learn('nobody', told({ 'Caller-Context': 'default' }), 'fs1', 'event')
  registry.place('placed', domain, '', 'fs1')
  registry.end('nobody', 'core-1')
  registry.unplace('placed')
  await time.advance(60_000)

  expect(writes).toEqual([])
})

test('what is taken up is stored already; what is known stays as it is known', async () => {
  const { time, registry, writes } = aRegistry()
  await registry.learn('known', told(), 'fs1', 'event')

  expect(registry.recall(aKnownCall({ uuid: 'known', engine: 'fs1', domain }))).toBe(false)
  expect(registry.recall(aKnownCall({ uuid: 'other', engine: 'fs1', core: 'core-1', domain }))).toBe(true)
  await registry.learn('other', told(), 'fs1', 'event')
  await time.advance(60_000)

  expect(registry.find('known')).toMatchObject({ core: 'core-1', proven: true, heard: true })
  expect(writes).toEqual(['put known'])
})
