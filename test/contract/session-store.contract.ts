import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import type { StoreKind } from '../support/stores/stores.ts'

const MINUTE_MS = 60_000

/** The contract of every {@link SessionStore}. The tests share one history, as the highest count outlives each. */
export function sessionStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('before the first activity all session counts are zero', async () => {
    expect(await stores().sessions.count(0)).toEqual({ users: 0, domains: 0, highest: 0 })
  })

  test('users and domains are counted once each, root without a domain', async () => {
    const now = stores().clock.now()
    await stores().sessions.touch('1000@a.example.com', 'a.example.com', now)
    await stores().sessions.touch('1001@a.example.com', 'a.example.com', now)
    await stores().sessions.touch('1000@b.example.com', 'b.example.com', now)
    await stores().sessions.touch('1000@b.example.com', 'b.example.com', now + 1)
    await stores().sessions.touch('root', '', now)

    expect(await stores().sessions.count(now)).toEqual({ users: 4, domains: 2, highest: 4 })
  })

  test('a user who was last active before the given moment is not counted, and the highest count stays', async () => {
    const now = stores().clock.now()
    await stores().sessions.touch('1000@a.example.com', 'a.example.com', now + 5 * MINUTE_MS)

    expect(await stores().sessions.count(now + MINUTE_MS)).toEqual({ users: 1, domains: 1, highest: 4 })
  })

  test('an older activity does not replace a newer one', async () => {
    const now = stores().clock.now()
    await stores().sessions.touch('late@a.example.com', 'a.example.com', now + 20 * MINUTE_MS)
    await stores().sessions.touch('late@a.example.com', 'a.example.com', now + 10 * MINUTE_MS)
    await stores().elsewhere.sessions.touch('late@a.example.com', 'a.example.com', now + 10 * MINUTE_MS)

    expect((await stores().sessions.count(now + 20 * MINUTE_MS)).users).toBe(1)
  })

  test('many users are counted exactly, and simultaneous counts agree on the highest', async () => {
    const at = stores().clock.now() + 60 * MINUTE_MS
    const users = Array.from({ length: 200 }, (_, index) => `u${index}@c.example.com`)
    await Promise.all(users.map((user) => stores().sessions.touch(user, 'c.example.com', at)))

    const counts = await Promise.all(Array.from({ length: 5 }, () => stores().sessions.count(at)))

    expect(counts).toEqual(Array.from({ length: 5 }, () => ({ users: 200, domains: 1, highest: 200 })))
  })

  test('the users of one domain are counted alone, with a highest count of their own', async () => {
    const at = stores().clock.now() + 120 * MINUTE_MS
    for (const user of ['1000@d.example.com', '1001@d.example.com', '1000@x.d.example.com']) {
      await stores().sessions.touch(user, user.slice(user.indexOf('@') + 1), at)
    }
    await stores().sessions.touch('1000@d.example.com', 'd.example.com', at + 5 * MINUTE_MS)

    expect(await stores().sessions.count(at, 'd.example.com')).toEqual({ users: 2, domains: 1, highest: 2 })
    expect(await stores().sessions.count(at + MINUTE_MS, 'd.example.com')).toEqual({ users: 1, domains: 1, highest: 2 })
    expect(await stores().sessions.count(at, 'nobody.example.com')).toEqual({ users: 0, domains: 0, highest: 0 })
  })

  test('each pair of credential and network counts as new once in 90 days', async () => {
    const { users } = await stores().sessions.count(0)
    const meet = (username: string, network: string) => stores().sessions.meet(username, network, stores().clock.now())

    expect(await meet('t@a.example.com', '192.0.2.1')).toBe(true)
    expect(await meet('t@a.example.com', '192.0.2.1')).toBe(false)
    expect(await meet('t@a.example.com', '2001:db8:0:1')).toBe(true)
    expect(await meet('t@a.example.com.org', '192.0.2.1')).toBe(true)
    expect((await stores().sessions.count(0)).users).toBe(users)
  })
}
