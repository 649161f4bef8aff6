import { expect, test } from 'vitest'
import type { StoredRoute } from '../../core/default-routes/stored-route.ts'
import { opened } from '../support/processes/opened.ts'
import { aRoute } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

/** The contract of every {@link RouteStore}. */
export function routeStoreContract(open: StoreKind['open'], port: 'defaultRoutes' | 'publicRoutes'): void {
  const stores = opened(open)
  const routes = () => stores()[port]
  const edition = async (domain: string) => (await routes().list(domain)).edition
  const create = async (given: Partial<StoredRoute> & { domain: string }) => {
    const route = aRoute(given)
    expect(await routes().create(route, await edition(given.domain))).toBe(true)
    return route
  }
  const ids = async (domain: string) => (await routes().list(domain)).routes.map(({ id }) => id)

  test('a domain without routes has an empty set', async () => {
    expect(await routes().list('none.test')).toEqual({ routes: [], edition: 0 })
    expect(await routes().read('none.test', 'a')).toBeUndefined()
    expect(await routes().callflows('none.test', ['a'])).toEqual(new Map())
    expect(await routes().remove(aRoute({ domain: 'none.test' }))).toBe(false)
  })

  test('a route is read back unchanged, in its own domain only', async () => {
    const route = await create({
      domain: 'whole.test',
      order: -5,
      fsTimezone: 'Europe/Kyiv',
      gateway: 'trunk',
      callflow: [{ if: { expression: '${a}', then: [{ answer: '' }] } }, { sleep: 1.5, break: true }],
    })

    expect(await routes().read('whole.test', route.id)).toEqual(route)
    expect(await routes().read('whole.test.org', route.id)).toBeUndefined()
    expect(await routes().read('whole', route.id)).toBeUndefined()
    expect(await ids('whole.test.org')).toEqual([])
    expect(await routes().remove({ ...route, domain: 'whole.test.org' })).toBe(false)
    expect(await routes().callflows('whole.test.org', [route.id])).toEqual(new Map())
  })

  test('default routes and public routes are kept apart', async () => {
    const route = await create({ domain: 'kinds.test' })
    const others = stores()[port === 'defaultRoutes' ? 'publicRoutes' : 'defaultRoutes']

    expect(await others.list('kinds.test')).toEqual({ routes: [], edition: 0 })
    expect(await others.read('kinds.test', route.id)).toBeUndefined()
    expect(await others.callflows('kinds.test', [route.id])).toEqual(new Map())
    expect(await others.remove(route)).toBe(false)
  })

  test('the list is ordered by order, then id, and holds no callflows', async () => {
    const domain = 'order.test'
    const made: StoredRoute[] = []
    for (const [order, letter] of [
      [10, 'a'],
      [9, 'b'],
      [-1, 'c'],
      [9, 'a'],
      [100, 'd'],
    ] as const) {
      made.push(await create({ domain, order, id: letter.repeat(23) + (order === 9 ? '9' : '0') }))
    }

    const { routes: listed } = await routes().list(domain)

    expect(listed.map(({ order, id }) => [order, id[0]])).toEqual([
      [-1, 'c'],
      [9, 'a'],
      [9, 'b'],
      [10, 'a'],
      [100, 'd'],
    ])
    const { callflow: _callflow, ...head } = made[0] ?? aRoute()
    expect(listed[3]).toEqual(head)
  })

  test('the list of routes and the callflows are read past one page of the store', async () => {
    const domain = 'large.test'
    const callflow = [{ log: 'x'.repeat(250_000) }]
    const made = [1, 2, 3, 4, 5, 6].map((order) => aRoute({ domain, order, callflow }))
    for (const route of made) await routes().create(route, await edition(domain))

    expect(await ids(domain)).toEqual(made.map(({ id }) => id))
    const found = await routes().callflows(domain, [...made.map(({ id }) => id), 'missing'])
    expect(found.size).toBe(6)
    expect(found.get(made[5]?.id ?? '')).toEqual(callflow)
  })

  test('callflows of more routes than fit into one request of the store are all found', async () => {
    const domain = 'many.test'
    for (let order = 1; order <= 120; order += 1) await create({ domain, order })

    expect((await routes().callflows(domain, await ids(domain))).size).toBe(120)
  })

  test('every write to a route changes the edition', async () => {
    const domain = 'edition.test'
    const editions = [await edition(domain)]
    const note = async () => editions.push(await edition(domain))
    const first = await create({ domain, order: 1 })
    await note()
    const second = await create({ domain, order: 2 })
    await note()
    await routes().replace({ ...first, name: 'new', revision: 2 })
    await note()
    await routes().swap(first, second, await edition(domain))
    await note()
    await routes().remove({ ...first, revision: 3 })
    await note()

    expect(new Set(editions).size).toBe(6)
  })

  test('one of many simultaneous creations of a route in one edition succeeds', async () => {
    const domain = 'race.test'

    const results = await Promise.all(Array.from({ length: 6 }, () => routes().create(aRoute({ domain }), 0)))

    expect(results.filter(Boolean)).toHaveLength(1)
    expect(await ids(domain)).toHaveLength(1)
  })

  test('a route is replaced only if the stored revision is the one before', async () => {
    const route = await create({ domain: 'replace.test' })
    const replaced = { ...route, name: 'new', callflow: [{ hangup: 'USER_BUSY' }], revision: 2 }

    expect(await routes().replace(replaced)).toBe(true)
    expect(await routes().replace({ ...replaced, name: 'late' })).toBe(false)
    expect(await routes().replace(aRoute({ domain: 'replace.test', revision: 2 }))).toBe(false)
    expect(await routes().read('replace.test', route.id)).toEqual(replaced)
    expect(await ids('replace.test')).toHaveLength(1)
  })

  test('swapping two routes exchanges their orders and changes nothing else', async () => {
    const domain = 'swap.test'
    const [first, second] = [await create({ domain, order: 3 }), await create({ domain, order: 7 })]

    expect(await routes().swap(first, second, await edition(domain))).toBe(true)

    expect(await routes().read(domain, first.id)).toEqual({ ...first, order: 7, revision: 2 })
    expect(await routes().read(domain, second.id)).toEqual({ ...second, order: 3, revision: 2 })
  })

  test('routes are not swapped if the edition has changed', async () => {
    const domain = 'stale.test'
    const [first, second] = [await create({ domain, order: 3 }), await create({ domain, order: 7 })]
    const stale = await edition(domain)
    await create({ domain, order: 5 })

    expect(await routes().swap(first, second, stale)).toBe(false)

    expect(await routes().read(domain, first.id)).toEqual(first)
  })

  test('a route that was changed since it was read is not removed', async () => {
    const route = await create({ domain: 'changed.test' })
    await routes().replace({ ...route, revision: 2 })

    expect(await routes().remove(route)).toBe(false)
    expect(await ids('changed.test')).toEqual([route.id])
  })

  test('one of two simultaneous removals of a route succeeds', async () => {
    const route = await create({ domain: 'remove.test' })

    const results = await Promise.all([1, 2].map(() => routes().remove(route)))

    expect(results.filter(Boolean)).toHaveLength(1)
    expect(await routes().list('remove.test')).toEqual({ routes: [], edition: 2 })
  })
}
