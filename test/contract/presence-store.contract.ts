import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aPresence } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

const DAY_MS = 86_400_000

/** The contract of every {@link PresenceStore}. */
export function presenceStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('a stored presence is read back by login in any case; an account without reports has none', async () => {
    const presence = aPresence({ login: 'Ann' })
    await stores().presence.put(presence)

    expect(await stores().presence.read('a.example.com', 'aNN')).toEqual(presence)
    expect(await stores().presence.read('a.example.com', 'bob')).toBeUndefined()
  })

  test('a newer observation replaces an older one, an older one never a newer', async () => {
    const now = stores().clock.now()
    const newer = aPresence({ login: 'order', contacts: [], observedAt: now + 1 })
    const older = aPresence({ login: 'order', observedAt: now })
    await stores().presence.put(older)
    await stores().presence.put(newer)
    await stores().presence.put(older)

    expect(await stores().presence.read('a.example.com', 'order')).toEqual(newer)
  })

  test('the newest of simultaneous observations stays', async () => {
    const now = stores().clock.now()
    const observations = Array.from({ length: 10 }, (_, index) => aPresence({ login: 'race', observedAt: now + index }))

    await Promise.all(observations.map((observation) => stores().presence.put(observation)))

    expect((await stores().presence.read('a.example.com', 'race'))?.observedAt).toBe(now + 9)
  })

  test('the presences of several accounts are read together, and those of no others', async () => {
    const logins = Array.from({ length: 30 }, (_, index) => `r${index}`)
    const of = (login: string) => aPresence({ domain: 'many.test', login })
    for (const login of logins) await stores().presence.put(of(login))

    const asked = [...logins.map((login) => ({ domain: 'many.test', login })), { domain: 'other.test', login: 'r0' }]
    const found = await stores().presence.readEach([...asked, { domain: 'many.test', login: 'nobody' }])
    expect(found.toSorted((a, b) => (a.login < b.login ? -1 : 1))).toEqual(logins.toSorted().map((login) => of(login)))
  })

  test('the list holds the accounts of one domain only, in the order of logins', async () => {
    for (const domain of ['x.test', 'x.test.org', 'a.x.test']) {
      for (const login of ['b', 'A']) await stores().presence.put(aPresence({ domain, login }))
    }

    const listed = await stores().presence.list('x.test')

    expect(listed.map(({ domain, login }) => `${login}@${domain}`)).toEqual(['A@x.test', 'b@x.test'])
  })

  test('the list goes past one page of the store', async () => {
    const logins = Array.from({ length: 30 }, (_, index) => `p${String(index).padStart(2, '0')}`)
    const contacts = Array.from({ length: 1000 }, (_, index) => ({ id: `${'0'.repeat(36)}${index}`, expiresAt: 9e15 }))
    await Promise.all(logins.map((login) => stores().presence.put(aPresence({ domain: 'page.test', login, contacts }))))

    expect((await stores().presence.list('page.test')).map((presence) => presence.login)).toEqual(logins)
  })

  test('a presence is forgotten a day after it was observed unless a registration lasts longer', async () => {
    const now = stores().clock.now()
    await stores().presence.put(aPresence({ domain: 'gone.test', login: 'short', observedAt: now }))
    const lasting = aPresence({
      domain: 'gone.test',
      login: 'long',
      contacts: [{ id: 'c', expiresAt: now + 3 * DAY_MS }],
      observedAt: now,
    })
    await stores().presence.put(lasting)

    stores().clock.move(DAY_MS)

    expect(await stores().presence.read('gone.test', 'short')).toBeUndefined()
    expect(await stores().presence.list('gone.test')).toEqual([lasting])
  })
}
