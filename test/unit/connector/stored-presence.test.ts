import { describe, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { presenceWriter } from '../../../connector/events/presence-writer.ts'
import type { PresenceStore } from '../../../core/accounts/presence.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { aPresenceTracker } from '../../support/connector/presence-tracker.ts'
import { type ManualTime, manualTime } from '../../support/processes/manual-time.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { aPresence } from '../../support/records/records.ts'

const domain = 'a.example.com'
const account = { domain, login: '1000' }

/** One connector's presence over a store whose calls are noted; a second one can share the store. */
async function aPresenceSide(given: { shared?: PresenceStore; time?: ManualTime; random?: () => number } = {}) {
  const { time = manualTime(), random = () => 0 } = given
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  const store = given.shared ?? ports.presence
  const calls: string[] = []
  const noted: Pick<PresenceStore, 'put' | 'readEach'> = {
    put: (presence) => {
      calls.push(`put ${presence.login}`)
      return store.put(presence)
    },
    readEach: (accounts) => {
      calls.push(`read ${accounts.length}`)
      return store.readEach(accounts)
    },
  }
  const tracker = aPresenceTracker({ ...ports, presence: store }, time.clock, random)
  const writer = presenceWriter({ ...time, store: noted, tracker, random, log: capturedLog() })
  await tracker.load(domain)
  const register = (contact: string, lastsSeconds = 120, login = '1000') => {
    tracker.registered(domain, { login, contact, lastsSeconds }, time.clock.now())
    writer.wake()
  }
  const read = () => store.read(domain, '1000')
  const writes = () => calls.filter((call) => !call.startsWith('read'))
  return { time, store, calls, writes, tracker, writer, register, read }
}

describe('a registration', () => {
  test('a registration that a phone refreshes every ten seconds is written about once in each half of its life', async () => {
    const { time, writes, register } = await aPresenceSide()

    for (let count = 0; count < 60; count += 1) {
      register('sip:a', 120)
      await time.advance(10_000)
    }

    expect(writes().length).toBeLessThan(13)
  })

  test('a registration that a phone keeps refreshing never ends in the store', async () => {
    const { time, register, read } = await aPresenceSide()
    const left: number[] = []

    // A phone that refreshes early, then late: the stored registration would have ended in between.
    for (const pauseSeconds of [1_700, 3_500, 1_700, 3_500, 100, 3_500]) {
      register('sip:a', 3_660)
      for (let passed = 0; passed < pauseSeconds; passed += 10) {
        await time.advance(10_000)
        const [contact] = (await read())?.contacts ?? []
        left.push((contact?.expiresAt ?? 0) - time.clock.now())
      }
    }

    expect(Math.min(...left)).toBeGreaterThan(0)
  })

  test('a registration of another phone is written at once', async () => {
    const { time, register, read } = await aPresenceSide()
    register('sip:a')
    await time.advance(5_000)

    register('sip:b')
    await time.advance(0)

    expect((await read())?.contacts.map(({ id }) => id)).toEqual(['sip:a', 'sip:b'])
  })

  test('a registration that the phone shortens is written at once', async () => {
    const { time, register, read } = await aPresenceSide()
    register('sip:a', 3_600)
    await time.advance(60_000)

    register('sip:a', 120)
    await time.advance(0)

    expect((await read())?.contacts).toEqual([{ id: 'sip:a', expiresAt: time.clock.now() + 120_000 }])
  })

  test('a registration that was stored by an earlier process is not written again before half of its life has passed', async () => {
    const { time, store, calls, tracker, register } = await aPresenceSide()
    const now = time.clock.now()
    const contacts = [{ id: 'sip:a', expiresAt: now + 120_000 }]
    await store.put(aPresence({ domain: 'b.example.com', login: '1000', contacts, observedAt: now }))
    await tracker.load('b.example.com')
    register('sip:a')
    await time.advance(0)
    calls.length = 0

    tracker.registered('b.example.com', { login: '1000', contact: 'sip:a', lastsSeconds: 120 }, now + 30_000)
    await time.advance(30_000)
    expect(calls).toEqual([])
    await time.advance(35_000)

    expect(calls).toEqual(['read 1', 'put 1000'])
  })
})

test('accounts that change are written with a condition each, in their newest state', async () => {
  const { time, calls, register, read } = await aPresenceSide()
  register('sip:a', 120, '1')
  await time.advance(0)

  for (const contact of ['sip:a', 'sip:b', 'sip:c']) {
    register(contact)
    await time.advance(10)
  }
  await time.advance(100)

  expect(calls).toEqual(['put 1', 'put 1000'])
  expect((await read())?.contacts.map(({ id }) => id)).toEqual(['sip:a', 'sip:b', 'sip:c'])
})

describe('two connectors that hear the same phones', () => {
  const both = async () => {
    const one = await aPresenceSide({ random: () => 0.1 })
    const other = await aPresenceSide({ shared: one.store, time: one.time, random: () => 0.8 })
    return { one, other, time: one.time, sides: [one, other] }
  }

  test.each([
    ['five minutes', 300],
    ['seven minutes', 407],
    ['minute or so', 61],
    ['seven seconds', 7],
  ])(
    'a phone that registers for an hour and refreshes each %s is written about twice an hour by both connectors together',
    async (_often, everySeconds) => {
      const { one, other, time, sides } = await both()
      const left: number[] = []

      for (let passed = 0; passed < 2 * 3_600; passed += 1) {
        if (passed % everySeconds === 0) for (const { register } of sides) register('sip:a', 3_600)
        await time.advance(1_000)
        const [contact] = (await one.read())?.contacts ?? []
        left.push((contact?.expiresAt ?? 0) - time.clock.now())
      }

      // Both write the first. A write has the newest refresh, which may be some minutes old, so its half life is
      // shorter by that.
      expect(one.writes().length + other.writes().length).toBeLessThanOrEqual(2 + 2 * 2 + 1)
      expect(Math.min(...left)).toBeGreaterThan(0)
    },
  )

  test('a connector stores a refreshed registration that the other one should have stored', async () => {
    const { one, other, time, sides } = await both()
    for (const { register } of sides) register('sip:a', 3_600)
    await time.advance(600_000)
    other.register('sip:a', 3_600)
    const expiresAt = time.clock.now() + 3_600_000

    await time.advance(1_800_000)

    expect(one.writes()).toHaveLength(1)
    expect((await other.read())?.contacts).toEqual([{ id: 'sip:a', expiresAt }])
  })

  test('of two changes of one moment the store has both, whichever connector writes first', async () => {
    const { one, other, time } = await both()
    for (const { register } of [one, other]) {
      register('sip:a')
      register('sip:b')
      await time.advance(0)
    }

    expect((await one.read())?.contacts.map(({ id }) => id)).toEqual(['sip:a', 'sip:b'])
  })

  test('what the other connector has observed later stays', async () => {
    const { time, store, register, read } = await aPresenceSide()
    await store.put(aPresence({ ...account, contacts: [], observedAt: time.clock.now() + 500 }))

    register('sip:a')
    await time.advance(3_000)

    expect((await read())?.contacts).toEqual([])
  })
})

test('a connector stores what waits when it stops in order', async () => {
  const { register, writer, read } = await aPresenceSide()
  register('sip:a')

  await writer.flushed()

  expect((await read())?.contacts).toHaveLength(1)
})

test('a connector that has stopped in order leaves a refreshed registration to the next one', async () => {
  const { time, calls, writer, register } = await aPresenceSide()
  register('sip:a')
  await time.advance(5_000)
  register('sip:a')
  await time.advance(0)
  calls.length = 0

  await writer.flushed()
  await time.advance(120_000)

  expect(calls).toEqual([])
})
