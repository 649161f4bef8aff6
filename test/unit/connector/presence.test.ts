import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { presenceWriter } from '../../../connector/events/presence-writer.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { gone } from '../../support/stores/flaky.ts'
import { aPresenceTracker } from '../../support/connector/presence-tracker.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aKnownCall, aPresence } from '../../support/records/records.ts'

const domain = 'a.example.com'
const account = { domain, login: '1000' }
const of = (uuid: string, engine = 'engine-1') => ({ uuid, engine })
const phone = (contact: string, lastsSeconds = 120) => ({ login: '1000', contact, lastsSeconds })

function aTracker() {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const tracker = aPresenceTracker(ports, time.clock)
  return { time, ports, tracker }
}

test('the state of an account follows its phone and its calls, and returns to offline', async () => {
  const { tracker } = aTracker()
  await tracker.load(domain)

  const changes = [
    tracker.registered(domain, phone('sip:a'), 1),
    tracker.called(account, of('one'), true, 2),
    tracker.called(account, of('two'), true, 3),
    tracker.called(account, of('one'), false, 4),
    tracker.called(account, of('two'), false, 5),
    tracker.registered(domain, phone('sip:a', 0), 6),
  ]

  expect(changes.map((change) => change && `${change.before} ${change.after}`)).toEqual([
    'NONREG ONHOOK',
    'ONHOOK ISBUSY',
    undefined,
    undefined,
    'ISBUSY ONHOOK',
    'ONHOOK NONREG',
  ])
})

test('a phone that is not rung does not bring its account online, and is stored with the reason', async () => {
  const { tracker } = aTracker()
  await tracker.load(domain)

  expect(tracker.registered(domain, { ...phone('sip:hostile'), refused: 'contact' }, 1)).toBeUndefined()
  expect(tracker.registered(domain, phone('sip:good'), 2)).toMatchObject({ before: 'NONREG', after: 'ONHOOK' })
  expect(tracker.takeChanged()).toMatchObject([
    { contacts: [{ id: 'sip:hostile', refused: 'contact' }, { id: 'sip:good' }] },
  ])
})

test("a phone that unregisters leaves the account's other phone registered", async () => {
  const { tracker } = aTracker()
  await tracker.load(domain)
  tracker.registered(domain, phone('sip:a'), 1)
  tracker.registered(domain, phone('sip:b'), 2)

  expect(tracker.registered(domain, phone('sip:a', 0), 3)).toBeUndefined()
  expect(tracker.takeChanged()).toMatchObject([{ contacts: [{ id: 'sip:b' }], observedAt: 3 }])
})

test('only the newest addresses are kept of a phone that keeps registering from new ones, so that the account can be stored', async () => {
  const { tracker } = aTracker()
  await tracker.load(domain)

  for (let port = 1; port <= 200; port += 1) tracker.registered(domain, phone(`sip:a:${port}`), port)

  const [presence] = tracker.takeChanged()
  expect(presence?.contacts).toHaveLength(50)
  expect(presence?.contacts.at(-1)?.id).toBe('sip:a:200')
})

test('an expired registration counts as none', async () => {
  const { tracker } = aTracker()
  await tracker.load(domain)
  tracker.registered(domain, phone('sip:a', 120), 0)
  tracker.takeChanged()

  expect(tracker.called(account, of('one'), true, 120_001)).toMatchObject({ before: 'ONHOOK', after: 'NONREG' })
  expect(tracker.takeChanged()).toMatchObject([{ contacts: [] }])
})

test('stored phones and legs of accounts are restored, and an ended leg does not count', async () => {
  const { tracker, ports } = aTracker()
  const presenceId = '1000@a.example.com'
  await ports.presence.put(aPresence({ ...account, contacts: [{ id: 'sip:a', expiresAt: 9e15 }] }))
  await ports.presence.put(aPresence({ domain, login: '1001', contacts: [] }))
  const legs = ['one', 'two', 'over'].map((uuid) => aKnownCall({ uuid, domain, presenceId }))
  for (const leg of [...legs, aKnownCall({ domain, presenceId: '' })]) await ports.knownCalls.put(leg)
  await ports.knownCalls.put({ ...(legs[2] ?? expect.fail()), state: 'ended' })

  await tracker.load(domain)
  await tracker.load(domain)
  tracker.registered(domain, phone('sip:b'), 9e14)

  expect(tracker.callsOf(account)).toEqual(['one', 'two'])
  expect(tracker.takeChanged()).toMatchObject([{ contacts: [{ id: 'sip:a' }, { id: 'sip:b' }] }])
})

test('stored calls that are not among the channels of their engine are dropped without an event, those of other engines stay', async () => {
  const { tracker, ports } = aTracker()
  const presenceId = '1000@a.example.com'
  const calls = [of('live', 'fs1'), of('over', 'fs1'), of('elsewhere', 'fs2')]
  for (const call of calls) await ports.knownCalls.put(aKnownCall({ ...call, domain, presenceId }))
  await tracker.load(domain)

  tracker.confirmed('fs1', (uuid) => uuid === 'live')

  expect(tracker.callsOf(account)).toEqual(['live', 'elsewhere'])
})

test('equal logins of two domains are two accounts', async () => {
  const { tracker } = aTracker()
  await tracker.load(domain)
  await tracker.load('b.example.com')

  tracker.registered(domain, phone('sip:a'), 1)

  expect(tracker.called({ domain: 'b.example.com', login: '1000' }, of('one'), true, 2)).toBeUndefined()
  expect(tracker.callsOf(account)).toEqual([])
  expect(tracker.takeChanged()).toMatchObject([{ domain }])
})

test('a changed presence is stored in its newest state', async () => {
  const { tracker, ports, time } = aTracker()
  const writer = presenceWriter({
    ...time,
    store: ports.presence,
    tracker,
    random: () => 0,
    log: capturedLog(),
  })
  await tracker.load(domain)
  tracker.registered(domain, phone('sip:a'), time.clock.now())
  writer.wake()
  tracker.registered(domain, phone('sip:b'), time.clock.now())

  await writer.flushed()

  expect(await ports.presence.read(domain, '1000')).toMatchObject({ contacts: [{ id: 'sip:a' }, { id: 'sip:b' }] })
})

test('an account without a phone and a call is removed from memory, however many names callers make up', async () => {
  const { tracker, ports, time } = aTracker()
  const writer = presenceWriter({
    ...time,
    store: ports.presence,
    tracker,
    random: () => 0,
    log: capturedLog(),
  })
  await tracker.load(domain)
  tracker.registered(domain, phone('sip:a'), time.clock.now())
  for (let name = 2_000; name < 2_500; name += 1) {
    const other = { domain, login: `${name}` }
    tracker.called(other, of('one'), true, time.clock.now())
    tracker.registered(domain, { login: `${name}`, contact: 'sip:b', lastsSeconds: 60 }, time.clock.now())
    tracker.called(other, of('one'), false, time.clock.now())
    tracker.registered(domain, { login: `${name}`, contact: 'sip:b', lastsSeconds: 0 }, time.clock.now())
    tracker.called({ domain, login: `x${name}` }, of('one'), true, time.clock.now())
    tracker.called({ domain, login: `x${name}` }, of('one'), false, time.clock.now())
  }
  expect(tracker.accounts).toBe(501)

  writer.wake()
  await writer.flushed()

  expect(tracker.accounts).toBe(1)
  expect(await ports.presence.read(domain, '2000')).toMatchObject({ contacts: [] })
  expect(await ports.presence.read(domain, 'x2000')).toBeUndefined()
  const again = aPresenceTracker(ports, time.clock)
  await again.load(domain)
  expect(again.accounts).toBe(1)
})

test('a presence that cannot be stored is stored later', async () => {
  const { tracker, ports, time } = aTracker()
  let isGone = true
  const store = gone(ports.presence, 'put', () => isGone)
  const writer = presenceWriter({
    ...time,
    store,
    tracker,
    random: () => 0,
    log: capturedLog(),
  })
  await tracker.load(domain)
  tracker.registered(domain, phone('sip:a'), time.clock.now())
  writer.wake()
  await time.advance(1_000)

  isGone = false
  await time.advance(5_000)

  expect(await ports.presence.read(domain, '1000')).toMatchObject({ contacts: [{ id: 'sip:a' }] })
})
