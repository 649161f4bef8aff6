import { expect, test } from 'vitest'
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
}
