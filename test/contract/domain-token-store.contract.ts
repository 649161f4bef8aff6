import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aDomain, aDomainToken, aRole, aToken } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

/** The contract of every {@link DomainTokenStore}, and the {@link CredentialReader} over the same records,. */
export function domainTokenStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('a domain token is read back unchanged, alone and in the list, which is ordered by uuid', async () => {
    const tokens = Array.from({ length: 3 }, () => aDomainToken({ domain: 'whole.test', description: 'für 🙂' }))
    for (const token of tokens) expect(await stores().domainTokens.create(token, 9)).toBe(true)

    for (const token of tokens) expect(await stores().domainTokens.read('whole.test', token.uuid)).toEqual(token)
    expect(await stores().domainTokens.list('whole.test')).toEqual(
      tokens.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1)),
    )
  })

  test('an expired domain token is still listed and counts against the limit', async () => {
    const ended = aDomainToken({ domain: 'ended.test', expiresAt: stores().clock.now() - 1 })
    await stores().domainTokens.create(ended, 1)

    expect(await stores().domainTokens.list('ended.test')).toEqual([ended])
    expect(await stores().domainTokens.create(aDomainToken({ domain: 'ended.test' }), 1)).toBe(false)
  })

  test('the limit of domain tokens is exact for simultaneous creations, and a removal makes room', async () => {
    const tokens = Array.from({ length: 8 }, () => aDomainToken({ domain: 'limit.test' }))

    const results = await Promise.all(tokens.map((token) => stores().domainTokens.create(token, 3)))

    expect(results.filter(Boolean)).toHaveLength(3)
    const [kept] = await stores().domainTokens.list('limit.test')
    expect(await stores().domainTokens.remove('limit.test', kept?.uuid ?? '')).toBe(true)
    expect(await stores().domainTokens.create(aDomainToken({ domain: 'limit.test' }), 3)).toBe(true)
    expect(await stores().domainTokens.create(aDomainToken({ domain: 'limit.test' }), 3)).toBe(false)
  })

  test('creating a domain token again in a repeated request succeeds and makes no second token', async () => {
    const token = aDomainToken({ domain: 'again.test' })
    await stores().domainTokens.create(token, 2)

    expect(await stores().domainTokens.create(token, 2)).toBe(true)
    expect(await stores().domainTokens.create(aDomainToken({ domain: 'again.test' }), 2)).toBe(true)
    expect(await stores().domainTokens.list('again.test')).toHaveLength(2)
  })

  test('enabling or disabling a domain token returns the changed token', async () => {
    const token = aDomainToken({ domain: 'state.test' })
    await stores().domainTokens.create(token, 9)

    expect(await stores().domainTokens.setEnabled('state.test', token.uuid, false)).toEqual({
      ...token,
      enabled: false,
    })
    expect((await stores().domainTokens.read('state.test', token.uuid))?.enabled).toBe(false)
    expect(await stores().domainTokens.setEnabled('state.test', token.uuid, true)).toEqual(token)
  })

  test('a missing domain token can be neither changed nor removed, and changing it creates nothing', async () => {
    const { uuid } = aDomainToken()

    expect(await stores().domainTokens.setEnabled('absent.test', uuid, true)).toBeUndefined()
    expect(await stores().domainTokens.remove('absent.test', uuid)).toBe(false)
    expect(await stores().domainTokens.list('absent.test')).toEqual([])
  })

  test('one of many simultaneous removals of a domain token counts', async () => {
    const token = aDomainToken({ domain: 'removal.test' })
    await stores().domainTokens.create(token, 1)

    const removed = await Promise.all(
      Array.from({ length: 4 }, () => stores().domainTokens.remove('removal.test', token.uuid)),
    )

    expect(removed.filter(Boolean)).toHaveLength(1)
    expect(await stores().domainTokens.create(aDomainToken({ domain: 'removal.test' }), 1)).toBe(true)
    expect(await stores().domainTokens.create(aDomainToken({ domain: 'removal.test' }), 1)).toBe(false)
  })

  test('tokens of a domain and tokens of its logins are kept apart, even under the same key', async () => {
    const token = aDomainToken({ domain: 'apart.test' })
    await stores().domainTokens.create(token, 9)
    await stores().tokens.create(aToken({ domain: 'apart.test', login: 'domain', key: token.uuid }), 1)

    expect(await stores().domainTokens.list('apart.test')).toEqual([token])
    expect(await stores().tokens.remove('apart.test', 'domain', token.uuid)).toBe(true)
    expect(await stores().domainTokens.read('apart.test', token.uuid)).toEqual(token)
  })

  test('the credential of a domain is read together with the domain and its roles', async () => {
    const domain = aDomain({ name: 'together.test' })
    const token = aDomainToken({ domain: domain.name })
    const roles = [aRole()]
    await stores().domains.create(domain)
    await stores().domainTokens.create(token, 9)
    await stores().roles.write({ domain: domain.name, roles, version: 1 })

    const read = await stores().credentials.readDomainToken({ domain: domain.name, uuid: token.uuid })

    expect(read).toEqual({ token, domain, roles })
  })

  test('a domain token is not found by its uuid in another domain, whatever the names of the two have in common', async () => {
    const token = aDomainToken({ domain: 'x.test' })
    await stores().domainTokens.create(token, 9)

    for (const domain of ['x.test.org', 'a.x.test', 'x', 'x.test|domain', '']) {
      const { token: found } = await stores().credentials.readDomainToken({ domain, uuid: token.uuid })
      expect(found).toBeUndefined()
      expect(await stores().domainTokens.read(domain, token.uuid)).toBeUndefined()
    }
  })
}
