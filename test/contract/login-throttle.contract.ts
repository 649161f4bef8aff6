import { expect, test } from 'vitest'
import type { LoginThrottle } from '../../core/auth/login-throttle.ts'
import { opened } from '../support/processes/opened.ts'
import type { StoreKind } from '../support/stores/stores.ts'

/** The contract of every {@link LoginThrottle}. */
export function loginThrottleContract(open: StoreKind['open']): void {
  const stores = opened(open)

  const failures = async (key: string, since: number) => {
    const begun = await stores().loginThrottle.begin(key, { limit: 0, since }, since)
    return 'failures' in begun ? begun.failures : []
  }
  const fail = async (key: string, at: number) => {
    const { loginThrottle } = stores()
    await loginThrottle.settle(await attemptOf(loginThrottle.begin(key, { limit: 100, since: 0 }, at)))
  }

  test('failed logins before the start of the window are not counted', async () => {
    const now = stores().clock.now()
    for (const at of [now, now + 1000, now + 2000]) await fail('user moving', at)

    expect(await failures('user moving', now + 1000)).toEqual([
      { at: now + 1000, isUnderWay: false },
      { at: now + 2000, isUnderWay: false },
    ])
  })

  test('several failed logins of the same moment are each counted', async () => {
    const now = stores().clock.now()
    await Promise.all(Array.from({ length: 20 }, () => fail('user burst', now)))

    expect(await failures('user burst', now)).toHaveLength(20)
  })

  test('clearing a key forgets its failed logins and those of no other key', async () => {
    const now = stores().clock.now()
    for (const key of ['user x', 'user xy', 'user']) await fail(key, now)

    await stores().loginThrottle.clear('user x')

    const counts = await Promise.all(['user x', 'user xy', 'user'].map((key) => failures(key, now)))
    expect(counts.map(({ length }) => length)).toEqual([0, 1, 1])
  })

  test('the key of failed logins may be any text of any length', async () => {
    const now = stores().clock.now()
    const keys = ['', '|', '%', '\u0000', 'x'.repeat(100_000)]
    for (const key of keys) await fail(key, now)

    for (const key of keys) expect(await failures(key, now)).toHaveLength(1)
  })

  test('exactly as many simultaneous attempts to log in begin as the limit allows', async () => {
    const now = stores().clock.now()
    const room = { limit: 10, since: now - 1000 }

    const begun = await Promise.all(
      Array.from({ length: 30 }, () => stores().loginThrottle.begin('user:crowd', room, now)),
    )

    expect(begun.filter((each) => 'attempt' in each)).toHaveLength(10)
    expect(await failures('user:crowd', room.since)).toHaveLength(10)
  })

  test('an attempt that is refused gets the failures that fill the limit, oldest first, and which are under way', async () => {
    const now = stores().clock.now()
    const { loginThrottle } = stores()
    const room = { limit: 2, since: now - 1000 }
    const later = await attemptOf(loginThrottle.begin('user:full', room, now + 1))
    await attemptOf(loginThrottle.begin('user:full', room, now))
    await loginThrottle.settle(later)

    expect(await loginThrottle.begin('user:full', room, now + 2)).toEqual({
      failures: [
        { at: now, isUnderWay: true },
        { at: now + 1, isUnderWay: false },
      ],
    })
  })

  test('an attempt that is released, cleared or older than the window makes room for another', async () => {
    const now = stores().clock.now()
    const { loginThrottle } = stores()
    const begin = (at: number) => loginThrottle.begin('user:one', { limit: 1, since: at - 1000 }, at)
    await loginThrottle.release(await attemptOf(begin(now)))
    await attemptOf(begin(now + 1))
    await loginThrottle.clear('user:one')
    await attemptOf(begin(now + 2))

    expect(await begin(now + 1002)).toHaveProperty('failures')
    expect(await begin(now + 1003)).toHaveProperty('attempt')
  })

  test('ending an attempt does not end the later attempt that took its slot', async () => {
    const now = stores().clock.now()
    const { loginThrottle } = stores()
    const room = { limit: 1, since: now - 1000 }
    const gone = await attemptOf(loginThrottle.begin('user:moved', room, now))
    await loginThrottle.clear('user:moved')
    await attemptOf(loginThrottle.begin('user:moved', room, now))

    await loginThrottle.settle(gone)
    await loginThrottle.release(gone)

    expect(await loginThrottle.begin('user:moved', room, now)).toEqual({ failures: [{ at: now, isUnderWay: true }] })
  })

  test('attempts under one key do not count for another key', async () => {
    const now = stores().clock.now()
    const room = { limit: 1, since: now }

    for (const key of ['code:a', 'code:ab', 'code', ':']) {
      expect(await stores().loginThrottle.begin(key, room, now)).toHaveProperty('attempt')
    }
  })

  test('exactly the limit of 200 attempts that two processes begin at once is admitted', async () => {
    const now = stores().clock.now()
    const processes = [stores().loginThrottle, stores().elsewhere.loginThrottle]

    const begun = await Promise.all(
      processes.flatMap((throttle) =>
        Array.from({ length: 100 }, () => throttle.begin('network crowded', { limit: 50, since: now }, now)),
      ),
    )

    expect(begun.filter((each) => 'attempt' in each)).toHaveLength(50)
  })

  test('a network is known for the user who logged in from it, from that moment on, and for no other user', async () => {
    const now = stores().clock.now()
    const { loginThrottle } = stores()
    const user = { domain: 'a.example.com', login: 'alice' }
    await loginThrottle.remember(user, '192.0.2.0/24', now, 20)
    const isKnown = (login: string, network: string, since: number, domain = user.domain) =>
      stores().elsewhere.loginThrottle.isKnown({ domain, login }, network, since)

    expect(await isKnown('alice', '192.0.2.0/24', now)).toBe(true)
    expect(await isKnown('alice', '192.0.2.0/24', now + 1)).toBe(false)
    expect(await isKnown('alice', '192.0.3.0/24', now)).toBe(false)
    expect(await isKnown('alic', '192.0.2.0/24', now)).toBe(false)
    expect(await isKnown('alice|192.0.2.0/24', '', now)).toBe(false)
    expect(await isKnown('alice', '192.0.2.0/24', now, 'b.example.com')).toBe(false)
    expect(await isKnown('alice', '192.0.2.0/24', now, '')).toBe(false)
  })

  test('the newest networks of a user are kept, and those of other users stay', async () => {
    const now = stores().clock.now()
    const { loginThrottle } = stores()
    const [user, other] = [
      { domain: 'a.example.com', login: 'bob' },
      { domain: 'a.example.com', login: 'bobby' },
    ]
    await loginThrottle.remember(other, 'other', now, 3)
    for (const [index, network] of ['first', 'second', 'third', 'first', 'fourth'].entries()) {
      await loginThrottle.remember(user, network, now + index, 3)
    }

    const known = await Promise.all(
      ['first', 'second', 'third', 'fourth'].map((network) => loginThrottle.isKnown(user, network, now)),
    )
    expect(known).toEqual([true, false, true, true])
    expect(await loginThrottle.isKnown(other, 'other', now)).toBe(true)
  })
}

async function attemptOf(beginning: ReturnType<LoginThrottle['begin']>) {
  const begun = await beginning
  if ('attempt' in begun) return begun.attempt
  throw new Error('the attempt has no room')
}
