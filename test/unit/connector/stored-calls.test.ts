import { expect, test } from 'vitest'
import { ChannelRegistry } from '../../../connector/calls/channel-registry.ts'
import { StoredCalls } from '../../../connector/calls/stored-calls.ts'
import type { KnownCall } from '../../../core/channels/known-call.ts'
import { DomainError } from '../../../core/errors.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { manualTime, settle } from '../../support/processes/manual-time.ts'
import { aKnownCall } from '../../support/records/records.ts'

const domain = 'a.example.com'
const fields: Readonly<Record<string, string>> = { 'Core-UUID': 'core-1', 'Caller-Context': domain }
const eventFields = (more: Readonly<Record<string, string>> = {}) => {
  const all: Readonly<Record<string, string>> = { ...fields, ...more }
  return (name: string) => all[name]
}

const ofAccount = { 'Call-Direction': 'inbound', variable_user_name: '1000', variable_domain_name: domain }

/** A registry whose channels are stored in a store that the test answers for. */
function aRegistry() {
  const time = manualTime()
  const host = { behindMs: 0 }
  const clock = { now: () => time.clock.now() - host.behindMs }
  const registry = new ChannelRegistry({ exists: (name) => name === domain })
  const writes: string[] = []
  const stored = new Map<string, KnownCall>()
  const answers = { put: async (_call: KnownCall) => {}, remove: async () => {} }
  const queue = { isAway: false, handedOverTo: 0 }
  const handedOverTo = () => (queue.handedOverTo = queue.isAway ? queue.handedOverTo : clock.now())
  const calls = new StoredCalls({
    ...time,
    clock,
    store: {
      put: async (call) => {
        writes.push(`${call.state} ${call.uuid}`)
        await answers.put(call)
        stored.set(call.uuid, call)
      },
      remove: async (legs) => {
        if (legs.length > 0) writes.push(`remove ${legs.map(({ uuid }) => uuid).join(' ')}`)
        await answers.remove()
        for (const { uuid } of legs) stored.delete(uuid)
      },
    },
    handedOverTo,
    random: () => 0,
    log: capturedLog(),
  })
  registry.watch(calls)
  return { time, host, registry, queue, writes, stored, answers, calls }
}

test('many events of a call cause one write of its record', async () => {
  const { time, registry, writes } = aRegistry()

  for (let times = 0; times < 9; times += 1) await registry.learn('call', eventFields(), 'fs1', 'event')
  await time.advance(60_000)

  expect(writes).toEqual(['up call'])
})

test('a call whose write fails after its end is removed, and not written again', async () => {
  const { time, registry, writes, answers } = aRegistry()
  const writing = Promise.withResolvers<void>()
  answers.put = () => writing.promise
  await registry.learn('call', eventFields(), 'fs1', 'event')

  registry.end('call', 'core-1')
  writing.reject(new Error('gone'))
  await time.advance(60_000)

  expect(writes).toEqual(['up call', 'remove call'])
})

test('a state of a call whose write fails does not replace a newer one', async () => {
  const { time, registry, stored, answers } = aRegistry()
  const writing = Promise.withResolvers<void>()
  answers.put = () => writing.promise
  await registry.learn('call', eventFields(), 'fs1', 'event')

  answers.put = async () => {}
  await registry.learn('call', eventFields({ ...ofAccount, 'Event-Name': 'CHANNEL_HOLD' }), 'fs1', 'event')
  writing.reject(new Error('gone'))
  await time.advance(60_000)

  expect(stored.get('call')).toMatchObject({ state: 'up', presenceId: `1000@${domain}` })
})

test('a call that comes back while its removal fails stays stored', async () => {
  const { time, registry, stored, answers } = aRegistry()
  const removing = Promise.withResolvers<void>()
  await registry.learn('call', eventFields(), 'fs1', 'event')
  await time.advance(1_000)
  answers.remove = () => removing.promise
  registry.end('call', 'core-1')
  await time.advance(6_000)

  await registry.learn('call', eventFields(), 'fs1', 'event')
  answers.remove = async () => {}
  removing.reject(new Error('gone'))
  await time.advance(60_000)

  expect([...stored.keys()]).toEqual(['call'])
})

test("a failed removal of a call's record is retried", async () => {
  const { time, registry, writes, answers, calls } = aRegistry()
  answers.remove = () => Promise.reject(new Error('gone'))
  await registry.learn('call', eventFields(), 'fs1', 'event')
  registry.end('call', 'core-1')
  await time.advance(6_000)
  expect(calls.waiting).toBe(1)

  answers.remove = async () => {}
  await time.advance(10_000)

  expect([writes.at(-1), calls.waiting]).toEqual(['remove call', 0])
})

test('the record of a call that was presumed over and comes back is kept', async () => {
  const { time, registry, writes } = aRegistry()
  await registry.learn('call', eventFields(), 'fs1', 'event')
  await settle()

  registry.end('call', 'core-1')
  await registry.learn('call', eventFields({ 'Event-Name': 'CHANNEL_HOLD' }), 'fs1', 'event')
  await time.advance(60_000)

  expect(writes).toEqual(['up call', 'up call'])
})

test('calls without a domain, and calls that no engine has reported, are not stored', async () => {
  const { time, registry, writes } = aRegistry()

  await registry.learn('unowned', eventFields({ 'Caller-Context': 'default' }), 'fs1', 'event')
  registry.place('placed', domain, '', 'fs1')
  registry.end('nobody', 'core-1')
  registry.unplace('placed')
  await time.advance(60_000)

  expect(writes).toEqual([])
})

test('a call that is recalled from the store is not stored again, and recalling a current call changes nothing', async () => {
  const { time, registry, writes } = aRegistry()
  await registry.learn('known', eventFields(), 'fs1', 'event')

  expect(registry.recall(aKnownCall({ uuid: 'known', engine: 'fs1', domain }))).toBe(false)
  expect(registry.recall(aKnownCall({ uuid: 'other', engine: 'fs1', core: 'core-1', domain }))).toBe(true)
  await registry.learn('other', eventFields(), 'fs1', 'event')
  await time.advance(60_000)

  expect(registry.find('known')).toMatchObject({ core: 'core-1', proven: true, heard: true })
  expect(writes).toEqual(['up known'])
})

test('a leg is removed within a second of its end when that was handed over, without another write', async () => {
  const { time, registry, writes } = aRegistry()
  await registry.learn('call', eventFields(ofAccount), 'fs1', 'event')
  await time.advance(1_000)

  await registry.learn('call', eventFields({ ...ofAccount, 'Channel-Call-State': 'HANGUP' }), 'fs1', 'event')
  registry.end('call', 'core-1')
  await time.advance(1_000)

  expect(writes).toEqual(['up call', 'remove call'])
})

test('a leg that ended just before the clock of the host was set back is removed as others are', async () => {
  const { time, host, registry, writes } = aRegistry()
  await registry.learn('call', eventFields(ofAccount), 'fs1', 'event')
  await time.advance(1_000)

  registry.end('call', 'core-1')
  host.behindMs = 3_600_000
  await time.advance(8_000)

  expect(writes.at(-1)).toBe('remove call')
})

test('a leg of an account whose end is not handed over is marked as ended after a second, and removed later', async () => {
  const { time, registry, queue, writes } = aRegistry()
  await registry.learn('call', eventFields(ofAccount), 'fs1', 'event')
  await time.advance(1_000)
  queue.isAway = true

  await registry.learn('call', eventFields({ ...ofAccount, 'Channel-Call-State': 'HANGUP' }), 'fs1', 'event')
  registry.end('call', 'core-1')
  await time.advance(60_000)
  expect(writes).toEqual(['up call', 'ended call'])
  queue.isAway = false
  await time.advance(1_000)

  expect(writes).toEqual(['up call', 'ended call', 'remove call'])
})

test('a leg of an account whose hang-up was missed is marked as ended when it is gone, and removed when that was made up', async () => {
  const { time, registry, writes } = aRegistry()
  await registry.learn('call', eventFields(ofAccount), 'fs1', 'event')
  await time.advance(1_000)

  registry.end('call', 'core-1')
  await time.advance(4_500)
  expect(writes).toEqual(['up call', 'ended call'])
  await time.advance(1_500)

  expect(writes).toEqual(['up call', 'ended call', 'remove call'])
})

test('a leg of no account is removed without a mark', async () => {
  const { time, registry, writes } = aRegistry()
  await registry.learn('call', eventFields(), 'fs1', 'event')
  await time.advance(1_000)

  await registry.learn('call', eventFields({ 'Channel-Call-State': 'HANGUP' }), 'fs1', 'event')
  registry.end('call', 'core-1')
  await time.advance(20_000)

  expect(writes).toEqual(['up call', 'remove call'])
})

test('a change of a leg is stored with the time of its event by the clock of its engine', async () => {
  const { time, registry, stored } = aRegistry()
  await registry.learn('call', eventFields({ 'Event-Date-Timestamp': '7000001' }), 'fs1', 'event')
  await registry.learn('call', eventFields({ ...ofAccount, 'Event-Date-Timestamp': '7000003' }), 'fs1', 'event')
  await registry.learn('listed', eventFields({ 'Event-Date-Timestamp': '7000003' }), 'fs1', 'answer')
  await time.advance(100)

  expect([...stored.values()].map(({ changedAt }) => changedAt)).toEqual([7_000_003, 0])
})

test('changes of a call within a twentieth of a second are one write', async () => {
  const { time, registry, writes, stored } = aRegistry()
  await registry.learn('other', eventFields(), 'fs1', 'event')
  await time.advance(1)

  await registry.learn('call', eventFields(), 'fs1', 'event')
  await registry.learn('call', eventFields(ofAccount), 'fs1', 'event')
  await time.advance(100)

  expect(writes).toEqual(['up other', 'up call'])
  expect(stored.get('call')?.presenceId).toBe('1000@a.example.com')
})

test('in an orderly stop the record of a leg stays whose end was not handed over', async () => {
  const { time, registry, queue, calls, writes } = aRegistry()
  for (const uuid of ['one', 'two']) await registry.learn(uuid, eventFields(), 'fs1', 'event')
  await time.advance(1_000)
  registry.end('one', 'core-1')
  await time.advance(1)
  queue.isAway = true
  await time.advance(1)
  registry.end('two', 'core-1')

  await calls.flushed()

  expect(writes).toEqual(['up one', 'up two', 'remove one'])
})

test('a call that the store refuses does not delay the others', async () => {
  const { time, registry, stored, answers } = aRegistry()
  answers.put = async ({ uuid }) => {
    if (uuid === 'bad') throw new DomainError('internal_error', 'the store refused the request')
  }

  for (const uuid of ['first', 'bad', 'good']) await registry.learn(uuid, eventFields(), 'fs1', 'event')
  await time.advance(60)

  expect([...stored.keys()]).toEqual(['first', 'good'])
})

test('a call that has ended here and is still stored is removed when it is recalled', async () => {
  const { time, registry, writes } = aRegistry()
  await registry.learn('call', eventFields(), 'fs1', 'event')
  registry.end('call', 'core-1')
  await time.advance(20_000)

  expect(registry.recall(aKnownCall({ uuid: 'call', engine: 'fs1', domain }))).toBe(false)
  await time.advance(20_000)

  expect(writes).toEqual(['up call', 'remove call', 'remove call'])
})

test('what waits is stored at once in an orderly stop', async () => {
  const { registry, calls, writes } = aRegistry()
  await registry.learn('call', eventFields(), 'fs1', 'event')

  await calls.flushed()

  expect(writes).toEqual(['up call'])
})
