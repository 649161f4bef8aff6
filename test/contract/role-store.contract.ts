import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aRole } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

/** The contract of every {@link RoleStore}. */
export function roleStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('a domain that never created roles has none, in version 0', async () => {
    expect(await stores().roles.read('none.test')).toEqual({ domain: 'none.test', roles: [], version: 0 })
  })

  test('roles are read back as they were, in their order', async () => {
    const roles = [
      aRole({ name: 'z', allows: { 'rotes/default': ['*'], cdr: ['r', 'ro'] }, parent: 'user' }),
      aRole({ name: 'a', allows: {} }),
    ]

    expect(await stores().roles.write({ domain: 'whole.test', roles, version: 1 })).toBe(true)

    expect(await stores().roles.read('whole.test')).toEqual({ domain: 'whole.test', roles, version: 1 })
  })

  test('a write of roles on an outdated version changes nothing', async () => {
    await stores().roles.write({ domain: 'stale.test', roles: [aRole()], version: 1 })

    expect(await stores().roles.write({ domain: 'stale.test', roles: [], version: 1 })).toBe(false)
    expect(await stores().roles.write({ domain: 'stale.test', roles: [], version: 3 })).toBe(false)
    expect((await stores().roles.read('stale.test')).roles).toHaveLength(1)
    expect(await stores().roles.write({ domain: 'stale.test', roles: [], version: 2 })).toBe(true)
  })

  test('one of many simultaneous writes of the same version of the roles succeeds', async () => {
    const rivals = Array.from({ length: 8 }, (_, index) => [aRole({ name: `rival-${index}` })])

    const results = await Promise.all(
      rivals.map((roles) => stores().roles.write({ domain: 'rivals.test', roles, version: 1 })),
    )

    expect(results.filter(Boolean)).toHaveLength(1)
    expect((await stores().roles.read('rivals.test')).roles).toEqual(rivals[results.indexOf(true)])
  })

  test('domains whose names are beginnings or ends of each other have roles of their own', async () => {
    const names = ['x.test', 'x.test.org', 'a.x.test', 'x']
    for (const domain of names) await stores().roles.write({ domain, roles: [aRole({ name: domain })], version: 1 })

    for (const domain of names) {
      expect((await stores().roles.read(domain)).roles.map(({ name }) => name)).toEqual([domain])
    }
  })
}
