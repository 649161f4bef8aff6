import { expect, test } from 'vitest'
import type { LoginThrottle } from '../../core/auth/login-attempts.ts'
import { opened } from '../support/opened.ts'
import type { StoreKind } from '../support/stores.ts'

/** What every {@link LoginThrottle} promises. */
export function loginThrottleContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('failures are counted for each key, in the order asked for', async () => {
    const now = stores().clock.now()
    await stores().loginThrottle.fail(['user:a', 'source:1'], now)
    await stores().loginThrottle.fail(['user:b', 'source:1'], now + 1)

    const read = await stores().loginThrottle.read(['source:1', 'user:b', 'user:c', 'user:a'], now)

    expect(read).toEqual([
      { failures: 2, oldestAt: now },
      { failures: 1, oldestAt: now + 1 },
      { failures: 0, oldestAt: 0 },
      { failures: 1, oldestAt: now },
    ])
  })

  test('the window moves: a failure before its start is not counted and not the oldest', async () => {
    const now = stores().clock.now()
    for (const at of [now, now + 1000, now + 2000]) await stores().loginThrottle.fail(['user:moving'], at)

    expect(await stores().loginThrottle.read(['user:moving'], now + 1000)).toEqual([
      { failures: 2, oldestAt: now + 1000 },
    ])
  })

  test('failures of one moment are counted one by one', async () => {
    const now = stores().clock.now()
    await Promise.all(Array.from({ length: 20 }, () => stores().loginThrottle.fail(['user:burst'], now)))

    expect(await stores().loginThrottle.read(['user:burst'], now)).toEqual([{ failures: 20, oldestAt: now }])
  })

  test('clearing a key forgets its failures and no others', async () => {
    const now = stores().clock.now()
    await stores().loginThrottle.fail(['user:x', 'user:xy', 'user'], now)

    await stores().loginThrottle.clear('user:x')

    const read = await stores().loginThrottle.read(['user:x', 'user:xy', 'user'], now)
    expect(read.map(({ failures }) => failures)).toEqual([0, 1, 1])
  })

  test('a key may be any text of any length', async () => {
    const now = stores().clock.now()
    const keys = ['', '|', '%', '\u0000', 'x'.repeat(100_000)]
    await stores().loginThrottle.fail(keys, now)

    const read = await stores().loginThrottle.read(keys, now)

    expect(read.map(({ failures }) => failures)).toEqual([1, 1, 1, 1, 1])
  })

  test('of attempts that begin at one moment exactly as many are let begin as there is room', async () => {
    const now = stores().clock.now()
    const room = { limit: 10, since: now - 1000 }

    const begun = await Promise.all(
      Array.from({ length: 30 }, () => stores().loginThrottle.begin('user:crowd', room, now)),
    )

    expect(begun.filter((each) => 'attempt' in each)).toHaveLength(10)
    expect(await stores().loginThrottle.read(['user:crowd'], room.since)).toEqual([{ failures: 10, oldestAt: now }])
  })

  test('an attempt without room is told of those that take it, oldest first, and which are under way', async () => {
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

  test('an attempt that is released, cleared or older than the window leaves its room to another', async () => {
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

  test("an attempt whose slot is another's by now does nothing to that one", async () => {
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

  test('attempts of one key take no room of another', async () => {
    const now = stores().clock.now()
    const room = { limit: 1, since: now }

    for (const key of ['code:a', 'code:ab', 'code', ':']) {
      expect(await stores().loginThrottle.begin(key, room, now)).toHaveProperty('attempt')
    }
  })
}

async function attemptOf(beginning: ReturnType<LoginThrottle['begin']>) {
  const begun = await beginning
  if ('attempt' in begun) return begun.attempt
  throw new Error('the attempt has no room')
}
