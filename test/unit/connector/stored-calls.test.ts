import { describe, expect, test } from 'vitest'
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

const uuidsOf = (legs: readonly { readonly uuid: string }[]) => legs.map(({ uuid }) => uuid).join(' ')

/** A registry whose channels are stored in a store that the test answers for. */
function aRegistry(given = { isStoredByPeer: false }) {
  const time = manualTime()
  const registry = new ChannelRegistry({ exists: (name) => name === domain })
  const writes: string[] = []
  const reads: string[] = []
  const stored = new Map<string, KnownCall>()
  const answers = { put: async (_calls: readonly KnownCall[]) => {}, remove: async () => {} }
  const calls = new StoredCalls({
    ...time,
    store: {
      put: async (calls) => {
        writes.push(`put ${uuidsOf(calls)}`)
        await answers.put(calls)
        for (const call of calls) stored.set(call.uuid, call)
      },
      remove: async (legs) => {
        writes.push(`remove ${uuidsOf(legs)}`)
        await answers.remove()
        for (const { uuid } of legs) stored.delete(uuid)
      },
      readEach: async (legs) => {
        reads.push(uuidsOf(legs))
        return legs.flatMap(({ uuid }) => stored.get(uuid) ?? [])
      },
    },
    isStoredByPeer: () => given.isStoredByPeer,
    handedOverTo: () => time.clock.now(),
    random: () => 0,
    log: capturedLog(),
  })
  registry.watch(calls)
  return { time, registry, writes, reads, stored, answers, calls }
}

test('many events of a call cause one write of its record', async () => {
  const { time, registry, writes } = aRegistry()

  for (let times = 0; times < 9; times += 1) await registry.learn('call', eventFields(), 'fs1', 'event')
  await time.advance(60_000)

  expect(writes).toEqual(['put call'])
})

test('a call whose write fails after its end is removed, and not written again', async () => {
  const { time, registry, writes, answers } = aRegistry()
  const writing = Promise.withResolvers<void>()
  answers.put = () => writing.promise
  await registry.learn('call', eventFields(), 'fs1', 'event')

  registry.end('call', 'core-1')
  writing.reject(new Error('gone'))
  await time.advance(60_000)

  expect(writes).toEqual(['put call', 'remove call'])
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

  expect(writes).toEqual(['put call', 'put call'])
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
  expect(writes).toEqual(['put known'])
})

test('calls that begin within a twentieth of a second are stored in one request', async () => {
  const { time, registry, writes } = aRegistry()

  for (let count = 0; count < 100; count += 1) {
    await registry.learn(`call${count}`, eventFields(), 'fs1', 'event')
    await time.advance(5)
  }
  await time.advance(50)

  expect(writes[0]).toBe('put call0')
  expect(writes.length).toBeLessThan(13)
  expect(writes.join(' ').match(/call\d+/g)).toHaveLength(100)
})

test('a call that the store refuses does not delay the others of its batch', async () => {
  const { time, registry, stored, answers } = aRegistry()
  answers.put = async (calls) => {
    if (calls.some(({ uuid }) => uuid === 'bad'))
      throw new DomainError('internal_error', 'the store refused the request')
  }

  for (const uuid of ['first', 'bad', 'good']) await registry.learn(uuid, eventFields(), 'fs1', 'event')
  await time.advance(60)

  expect([...stored.keys()]).toEqual(['first', 'good'])
})

describe('a connector next to one that stores calls', () => {
  test('a connector next to one that stores calls writes nothing that the other one stores', async () => {
    const { time, registry, writes, reads, stored } = aRegistry({ isStoredByPeer: true })
    const other = aRegistry()
    for (const one of [registry, other.registry]) await one.learn('call', eventFields(), 'fs1', 'event')
    await settle()
    for (const [uuid, call] of other.stored) stored.set(uuid, call)
    await time.advance(10_000)
    expect([reads, writes]).toEqual([['call'], []])

    registry.end('call', 'core-1')
    stored.delete('call')
    await time.advance(60_000)

    expect([reads, writes]).toEqual([['call', 'call'], []])
  })

  test('a connector next to one that stores calls stores within three seconds what the other one has not stored', async () => {
    const { time, registry, writes } = aRegistry({ isStoredByPeer: true })
    await registry.learn('call', eventFields(), 'fs1', 'event')
    await settle()
    expect(writes).toEqual([])

    await time.advance(3_000)

    expect(writes).toEqual(['put call'])
  })

  test('a connector next to one that stores calls removes an ended call that the other one has left', async () => {
    const { time, registry, writes } = aRegistry({ isStoredByPeer: true })
    await registry.learn('call', eventFields(), 'fs1', 'event')
    await time.advance(3_000)

    registry.end('call', 'core-1')
    await time.advance(20_000)

    expect(writes).toEqual(['put call', 'remove call'])
  })

  test('a connector next to one that stores calls stores at once what waits when it stops in order', async () => {
    const { registry, calls, writes } = aRegistry({ isStoredByPeer: true })
    await registry.learn('call', eventFields(), 'fs1', 'event')

    await calls.flushed()

    expect(writes).toEqual(['put call'])
  })

  test('a connector next to one that stores calls checks a hundred calls by one reading', async () => {
    const { time, registry, reads } = aRegistry({ isStoredByPeer: true })
    for (let count = 0; count < 100; count += 1) await registry.learn(`call${count}`, eventFields(), 'fs1', 'event')

    await time.advance(3_000)

    expect(reads).toHaveLength(1)
  })

  test('a connector next to one that stores calls stores at once again when the other one is gone', async () => {
    const given = { isStoredByPeer: true }
    const { time, registry, writes } = aRegistry(given)
    await registry.learn('first', eventFields(), 'fs1', 'event')
    await settle()

    given.isStoredByPeer = false
    await registry.learn('second', eventFields(), 'fs1', 'event')
    await time.advance(0)

    expect(writes).toEqual(['put first second'])
  })
})
