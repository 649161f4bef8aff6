import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aDomainVersion } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

/** The contract of every {@link DomainVersionStore}. */
export function domainVersionStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  let domains = 0
  const someDomain = () => `versions-${(domains += 1)}.example.com`
  const aVersion = (domain: string, number: number, document = `version ${number}: für 🙂`) =>
    aDomainVersion({ domain, number, document, createdAt: stores().clock.now() })

  test('a version is read back unchanged, in its own domain only', async () => {
    const domain = someDomain()
    const version = aVersion(domain, 1)

    expect(await stores().domainVersions.create(version, 200)).toBe(true)

    expect(await stores().elsewhere.domainVersions.read(domain, 1)).toEqual(version)
    expect(await stores().domainVersions.read(domain, 2)).toBeUndefined()
    expect(await stores().domainVersions.read(`${domain}.org`, 1)).toBeUndefined()
    expect(await stores().domainVersions.list(`${domain}.org`)).toEqual([])
  })

  test('a document of 1 MiB that cannot be compressed is read back unchanged in its version', async () => {
    const version = aVersion(someDomain(), 1, randomBytes(786_432).toString('base64'))
    await stores().domainVersions.create(version, 200)

    expect(await stores().domainVersions.read(version.domain, 1)).toEqual(version)
  })

  test('versions are listed newest first and without their documents', async () => {
    const domain = someDomain()
    const versions = [9, 10, 11].map((number) => aVersion(domain, number))
    for (const version of versions) await stores().domainVersions.create(version, 200)

    const listed = await stores().domainVersions.list(domain)

    expect(listed).toEqual(versions.toReversed().map(({ document: _document, ...head }) => head))
  })

  test('a version number is used once: one of many simultaneous versions with it is stored', async () => {
    const domain = someDomain()
    const rivals = Array.from({ length: 6 }, (_, index) => aVersion(domain, 1, `rival ${index}`))

    const created = await Promise.all(rivals.map((rival) => stores().domainVersions.create(rival, 200)))

    expect(created.filter(Boolean)).toHaveLength(1)
    expect(await stores().domainVersions.read(domain, 1)).toEqual(rivals[created.indexOf(true)])
  })

  test('a version beyond the limit removes the oldest with its document', async () => {
    const domain = someDomain()
    for (const number of [1, 2, 3, 4]) await stores().domainVersions.create(aVersion(domain, number), 3)

    expect((await stores().domainVersions.list(domain)).map(({ number }) => number)).toEqual([4, 3, 2])
    expect(await stores().domainVersions.read(domain, 1)).toBeUndefined()
    expect((await stores().domainVersions.read(domain, 2))?.document).toContain('version 2')
  })

  test('a domain version is deleted after 400 days, and its number is free again', async () => {
    const domain = someDomain()
    await stores().domainVersions.create(aVersion(domain, 1, 'old'), 200)
    stores().clock.move(400 * 86_400_000)

    expect(await stores().domainVersions.list(domain)).toEqual([])
    expect(await stores().domainVersions.read(domain, 1)).toBeUndefined()
    expect(await stores().domainVersions.create(aVersion(domain, 1, 'new'), 200)).toBe(true)
    expect((await stores().domainVersions.read(domain, 1))?.document).toBe('new')
  })
}
