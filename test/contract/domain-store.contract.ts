import { describe, expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aDomain, anAccount } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

/** The contract of every {@link DomainStore}. */
export function domainStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('a written domain is read back unchanged', async () => {
    const domain = aDomain({ name: 'whole.example.com', variables: { a: '', 'b|%': 'ü🙂' }, parameters: { c: '1' } })

    expect(await stores().domains.create(domain)).toBe(true)
    expect(await stores().domains.read('whole.example.com')).toEqual(domain)
  })

  test('a domain that was never created does not exist', async () => {
    expect(await stores().domains.read('nobody.example.com')).toBeUndefined()
  })

  test('one of many simultaneous creations of a domain succeeds, and its record stays', async () => {
    const rivals = Array.from({ length: 8 }, (_, index) =>
      aDomain({ name: 'race.example.com', customerId: `c${index}` }),
    )

    const won = await Promise.all(rivals.map((rival) => stores().domains.create(rival)))

    expect(won.filter(Boolean)).toHaveLength(1)
    const stored = await stores().domains.read('race.example.com')
    expect(stored?.customerId).toBe(rivals[won.indexOf(true)]?.customerId)
  })

  test('the list holds every domain in the order of names, past one page of the store', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `page-${String(index).padStart(2, '0')}.example.com`)
    const large = { variables: { filler: 'x'.repeat(50_000) } }
    await Promise.all(names.toReversed().map((name) => stores().domains.create(aDomain({ name, ...large }))))

    const listed = (await stores().domains.list()).map((domain) => domain.name)

    expect(listed).toEqual(listed.toSorted())
    expect(listed.filter((name) => name.startsWith('page-'))).toEqual(names)
  })

  test('settings are replaced if no other write came between, and the count of accounts stays', async () => {
    const domain = aDomain({ name: 'settings.example.com' })
    await stores().domains.create(domain)
    await stores().accounts.create(anAccount({ domain: domain.name }), 9)
    const changed = { ...domain, variables: { a: '1' }, parameters: { 'x-b': '2' }, version: 2 }

    expect(await stores().domains.replaceSettings(changed)).toBe(true)
    expect(await stores().domains.replaceSettings({ ...changed, variables: {} })).toBe(false)

    expect(await stores().domains.read(domain.name)).toEqual({ ...changed, accountCount: 1 })
  })

  test('one of many replacements of the same version of the settings succeeds', async () => {
    const domain = aDomain({ name: 'rivals.example.com' })
    await stores().domains.create(domain)
    const rivals = Array.from({ length: 8 }, (_, index) => ({ ...domain, variables: { by: `${index}` }, version: 2 }))

    const results = await Promise.all(rivals.map((rival) => stores().domains.replaceSettings(rival)))

    expect(results.filter(Boolean)).toHaveLength(1)
  })

  test('replacing the settings of a missing domain does not create the domain', async () => {
    expect(await stores().domains.replaceSettings(aDomain({ name: 'no.example.com', version: 2 }))).toBe(false)
    expect(await stores().domains.exists('no.example.com')).toBe(false)
  })

  describe('a domain whose deletion has begun', () => {
    async function deleted(name: string) {
      const domain = aDomain({ name })
      await stores().domains.create(domain)
      expect(await stores().domains.beginDeletion(name, 42)).toBe(true)
      return domain
    }

    test('a domain that is being deleted exists only for callers that ask for deleted ones', async () => {
      const domain = await deleted('gone.example.com')

      expect(await stores().domains.read(domain.name)).toBeUndefined()
      expect((await stores().domains.list()).map(({ name }) => name)).not.toContain(domain.name)
      expect(await stores().domains.readDeleted(domain.name)).toEqual({
        name: domain.name,
        since: 42,
        parameters: domain.parameters,
      })
      expect(await stores().domains.listDeleted()).toContainEqual({
        name: domain.name,
        since: 42,
        parameters: domain.parameters,
      })
      expect(await stores().domains.exists(domain.name)).toBe(true)
    })

    test('a domain that is being deleted accepts no settings and no accounts', async () => {
      const domain = await deleted('closed.example.com')

      expect(await stores().domains.replaceSettings({ ...domain, version: 2 })).toBe(false)
      expect(await stores().accounts.create(anAccount({ domain: domain.name }), 9)).toBe('domain_missing')
    })

    test('a domain that is being deleted is not deleted again, and keeps its name until the end', async () => {
      const domain = await deleted('name.example.com')

      expect(await stores().domains.beginDeletion(domain.name, 43)).toBe(false)
      const next = aDomain({ name: domain.name })
      expect(await stores().domains.create(next)).toBe(false)
      await stores().domains.endDeletion(domain.name)

      expect(await stores().domains.exists(domain.name)).toBe(false)
      expect(await stores().domains.create(next)).toBe(true)
      expect(await stores().domains.read(domain.name)).toEqual(next)
    })
  })

  test('the store knows whether one of up to a hundred names is in use, also by a domain that is being deleted', async () => {
    const [live, deleted] = [aDomain({ name: 'any-live.example.com' }), aDomain({ name: 'any-deleted.example.com' })]
    for (const domain of [live, deleted]) await stores().domains.create(domain)
    await stores().domains.beginDeletion(deleted.name, 1)
    const unused = Array.from({ length: 99 }, (_, at) => `any-${at}.example.com`)
    const anyExists = (...names: string[]) => stores().domains.anyExists(names)

    expect([await anyExists(), await anyExists(...unused)]).toEqual([false, false])
    expect(await anyExists(...unused, live.name)).toBe(true)
    expect(await anyExists(deleted.name, ...unused)).toBe(true)
  })

  test('the deletion of a domain begins once however many requests ask for it, and never for a missing domain', async () => {
    await stores().domains.create(aDomain({ name: 'once.example.com' }))

    const begun = await Promise.all(
      Array.from({ length: 6 }, () => stores().domains.beginDeletion('once.example.com', 1)),
    )

    expect(begun.filter(Boolean)).toHaveLength(1)
    expect(await stores().domains.beginDeletion('never.example.com', 1)).toBe(false)
    expect(await stores().domains.exists('never.example.com')).toBe(false)
  })

  test('ending a deletion that never began removes nothing', async () => {
    const domain = aDomain({ name: 'stays.example.com' })
    await stores().domains.create(domain)

    await stores().domains.endDeletion(domain.name)

    expect(await stores().domains.read(domain.name)).toEqual(domain)
  })
}
