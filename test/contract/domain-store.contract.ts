import { expect, test } from 'vitest'
import { opened } from '../support/opened.ts'
import { aDomain } from '../support/records.ts'
import type { StoreKind } from '../support/stores.ts'

/** What every {@link DomainStore} promises. */
export function domainStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('a written domain is read back as it was', async () => {
    const domain = aDomain({ name: 'whole.example.com', variables: { a: '', 'b|%': 'ü🙂' }, parameters: { c: '1' } })

    expect(await stores().domains.create(domain)).toBe(true)
    expect(await stores().domains.read('whole.example.com')).toEqual(domain)
  })

  test('a domain that nobody made is not there', async () => {
    expect(await stores().domains.read('nobody.example.com')).toBeUndefined()
  })

  test('of many that create one domain at once exactly one does, and its record stays', async () => {
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
}
