import { describe, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { PresenceTracker } from '../../../connector/events/presence.ts'
import { presenceWriter } from '../../../connector/events/presence-writer.ts'
import type { PresenceStore } from '../../../core/accounts/presence-store.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { type ManualTime, manualTime, settle } from '../../support/processes/manual-time.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { aPresence } from '../../support/records/records.ts'

const domain = 'a.example.com'
const account = { domain, login: '1000' }

/** One connector's presence over a store whose calls are noted; a second one can share the store. */
async function aPresenceSide(given: { isStoredByPeer?: boolean; shared?: PresenceStore; time?: ManualTime } = {}) {
  const { time = manualTime() } = given
  const store = given.shared ?? memoryPorts({ clock: time.clock, random: systemRandomness }).presence
  const calls: string[] = []
  const noted: Pick<PresenceStore, 'put' | 'replace' | 'readEach'> = {
    put: (presence) => {
      calls.push(`put ${presence.login}`)
      return store.put(presence)
    },
    replace: (presences) => {
      calls.push(`replace ${presences.length}`)
      return store.replace(presences)
    },
    readEach: (accounts) => {
      calls.push(`read ${accounts.length}`)
      return store.readEach(accounts)
    },
  }
  const tracker = new PresenceTracker(store, time.clock)
  const settings = { isStoredByPeer: given.isStoredByPeer ?? false }
  const writer = presenceWriter({
    ...time,
    store: noted,
    tracker,
    isStoredByPeer: () => settings.isStoredByPeer,
    random: () => 0,
    log: capturedLog(),
  })
  await tracker.load(domain)
  const register = (contact: string, lastsSeconds = 120, login = '1000') => {
    tracker.registered(domain, { login, contact, lastsSeconds }, time.clock.now())
    writer.wake()
  }
  const call = (uuid: string, isUp = true, login = '1000') => {
    tracker.called({ domain, login }, uuid, isUp, time.clock.now())
    writer.wake()
  }
  const read = () => store.read(domain, '1000')
  return { time, store, calls, tracker, writer, settings, register, call, read }
}

describe('a registration', () => {
  test('a registration that a phone refreshes every ten seconds is written about once in each half of its life', async () => {
    const { time, calls, register } = await aPresenceSide()

    for (let count = 0; count < 60; count += 1) {
      register('sip:a', 120)
      await time.advance(10_000)
    }

    expect(calls.length).toBeLessThan(13)
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

    expect(calls).toEqual(['put 1000'])
  })
})

describe('accounts that change', () => {
  test('accounts that change within a tenth of a second are stored in one request', async () => {
    const { time, calls, call } = await aPresenceSide()

    for (let count = 0; count < 100; count += 1) {
      call(`call${count}`, true, `${1000 + count}`)
      await time.advance(5)
    }
    await time.advance(100)

    expect(calls[0]).toBe('put 1000')
    expect(calls.length).toBeLessThan(8)
  })

  test('accounts that change are written with a condition when they were observed long ago', async () => {
    const { time, calls, tracker, writer } = await aPresenceSide()
    const longAgo = time.clock.now() - 5_000

    for (const login of ['1', '2']) tracker.called({ domain, login }, 'call', true, longAgo)
    writer.wake()
    await time.advance(0)

    expect(calls).toEqual(['put 1', 'put 2'])
  })
})

describe('a connector next to one that stores presence', () => {
  test.each([
    ['five minutes', 300],
    ['seven minutes', 407],
    ['minute or so', 61],
    ['seven seconds', 7],
  ])(
    'a phone that registers for an hour and refreshes each %s is written twice an hour by one of two connectors',
    async (_often, everySeconds) => {
      const one = await aPresenceSide()
      const other = await aPresenceSide({ isStoredByPeer: true, shared: one.store, time: one.time })
      const left: number[] = []

      for (let passed = 0; passed < 2 * 3_600; passed += 1) {
        if (passed % everySeconds === 0) for (const { register } of [one, other]) register('sip:a', 3_600)
        await one.time.advance(1_000)
        const [contact] = (await one.read())?.contacts ?? []
        left.push((contact?.expiresAt ?? 0) - one.time.clock.now())
      }

      // A write has the newest refresh, which may be some minutes old, so its half life is shorter by that.
      expect(one.calls.length).toBeLessThanOrEqual(2 * 2 + 2)
      expect(other.calls.filter((call) => !call.startsWith('read'))).toEqual([])
      expect(Math.min(...left)).toBeGreaterThan(0)
    },
  )

  test('a connector next to one that stores presence writes nothing that the other one stores', async () => {
    const { time, store, calls, register, read } = await aPresenceSide({ isStoredByPeer: true })
    const now = time.clock.now()
    register('sip:a')
    await store.put(aPresence({ ...account, contacts: [{ id: 'sip:a', expiresAt: now + 120_000 }], observedAt: now }))
    await time.advance(10_000)

    expect(calls).toEqual(['read 1'])
    expect((await read())?.contacts).toHaveLength(1)
  })

  test('a connector next to one that stores presence stores within three seconds what the other one has not stored', async () => {
    const { time, calls, call, read } = await aPresenceSide({ isStoredByPeer: true })
    call('one')
    await settle()
    expect(calls).toEqual([])

    await time.advance(3_000)

    expect((await read())?.calls).toEqual(['one'])
  })

  test('a connector next to one that stores presence stores the second of two changes of one moment if the other one has stored only the first', async () => {
    const { time, store, call, read } = await aPresenceSide({ isStoredByPeer: true })
    call('one')
    call('two')
    await store.put(aPresence({ ...account, contacts: [], calls: ['one'], observedAt: time.clock.now() }))

    await time.advance(3_000)

    expect((await read())?.calls).toEqual(['one', 'two'])
  })

  test('a connector next to one that stores presence leaves what the other one has observed later', async () => {
    const { time, store, call, calls, read } = await aPresenceSide({ isStoredByPeer: true })
    call('one')
    await store.put(aPresence({ ...account, contacts: [], calls: [], observedAt: time.clock.now() + 500 }))

    await time.advance(3_000)

    expect((await read())?.calls).toEqual([])
    expect(calls).toEqual(['read 1'])
  })

  test('a connector next to one that stores presence stores at once what waits when it stops in order', async () => {
    const { call, writer, read } = await aPresenceSide({ isStoredByPeer: true })
    call('one')

    await writer.flushed()

    expect((await read())?.calls).toEqual(['one'])
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
})
