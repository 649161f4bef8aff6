import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aDomain, aRole, aToken, anAccount } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

const DAY_MS = 86_400_000

/** The contract of every {@link TokenStore} and the {@link CredentialReader} over the same records. */
export function tokenStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const tokenOf = async (token: { domain: string; login: string; key: string }) =>
    (await stores().credentials.read(token)).token

  test('token, account and domain of a credential are read together', async () => {
    const domain = aDomain({ name: 'together.example.com' })
    const account = anAccount({ domain: domain.name, login: 'Ann' })
    const token = aToken({ domain: domain.name, login: 'Ann' })
    await stores().domains.create(domain)
    await stores().accounts.create(account, 10)
    await stores().tokens.create(token, 50)

    const read = await stores().credentials.read({ domain: domain.name, login: 'ann', key: token.key })

    expect(read).toEqual({ token, account, domain: { ...domain, accountCount: 1 }, roles: [] })
  })

  test('a token comes with the roles of its domain, and without the domain once its deletion has begun', async () => {
    const token = aToken({ domain: 'roles.example.com' })
    const roles = [aRole()]
    await stores().domains.create(aDomain({ name: token.domain }))
    await stores().tokens.create(token, 50)
    await stores().roles.write({ domain: token.domain, roles, version: 1 })

    const before = await stores().credentials.read(token)
    await stores().domains.beginDeletion(token.domain, 1)
    const after = await stores().credentials.read(token)

    expect(before).toMatchObject({ token, roles, domain: { name: token.domain } })
    expect(after.domain).toBeUndefined()
  })

  test('the credential of root is a token without account or domain', async () => {
    const token = aToken({ domain: '', login: 'root', credentialsId: '' })
    await stores().tokens.create(token, 50)

    const read = await stores().credentials.read({ domain: '', login: 'root', key: token.key })

    expect(read).toEqual({ token, account: undefined, domain: undefined, roles: [] })
  })

  test('a key of another user or domain, or without an owner, finds no token', async () => {
    const token = aToken({ domain: 'b.example.com', login: '1000' })
    await stores().tokens.create(token, 50)

    expect(await tokenOf({ domain: 'b.example.com', login: '1001', key: token.key })).toBeUndefined()
    expect(await tokenOf({ domain: 'b.example.com.org', login: '1000', key: token.key })).toBeUndefined()
    expect(await tokenOf({ domain: '', login: '1000', key: token.key })).toBeUndefined()
    expect(await tokenOf({ domain: 'b.example.com', login: '1000', key: 'other' })).toBeUndefined()
  })

  test('a login and key that are split differently do not reach the token of another login', async () => {
    const token = aToken({ domain: 'c.example.com', login: 'a', key: 'k' })
    await stores().tokens.create(token, 50)

    expect(await tokenOf({ domain: 'c.example.com|a', login: '', key: 'k' })).toBeUndefined()
    expect(await tokenOf({ domain: 'c.example.com', login: 'a|', key: 'k' })).toBeUndefined()
    expect(await tokenOf({ domain: 'c.example.com%7c', login: 'a', key: 'k' })).toBeUndefined()
  })

  test('a removed token does not exist, and removing it again says so', async () => {
    const token = aToken({ domain: 'd.example.com' })
    await stores().tokens.create(token, 50)

    expect(await stores().tokens.remove(token.domain, token.login, token.key)).toBe(true)
    expect(await tokenOf(token)).toBeUndefined()
    expect(await stores().tokens.remove(token.domain, token.login, token.key)).toBe(false)
  })

  test('when a user has too many tokens, its oldest unexpired ones are removed, and those of other users stay', async () => {
    const now = stores().clock.now()
    const tokens = Array.from({ length: 6 }, (_, age) =>
      aToken({ domain: 'e.example.com', createdAt: now - age * 1000 }),
    )
    const other = aToken({ domain: 'e.example.com', login: '1001', createdAt: now - DAY_MS })
    await stores().tokens.create(other, 3)

    for (const token of tokens.toReversed()) await stores().tokens.create(token, 3)

    const kept = await Promise.all(tokens.map(tokenOf))
    expect(kept).toEqual([...tokens.slice(0, 3), undefined, undefined, undefined])
    expect(await tokenOf(other)).toEqual(other)
  })

  test('tokens past their end do not count against the limit', async () => {
    const now = stores().clock.now()
    const live = aToken({ domain: 'f.example.com', createdAt: now - 5000 })
    const ended = aToken({ domain: 'f.example.com', createdAt: now - 1000, expiresAt: now - 1 })
    await stores().tokens.create(live, 2)
    await stores().tokens.create(ended, 2)

    await stores().tokens.create(aToken({ domain: 'f.example.com', createdAt: now }), 2)

    expect(await tokenOf(live)).toEqual(live)
  })

  test('the limit holds when a user logs in many times at once', async () => {
    const tokens = Array.from({ length: 10 }, () => aToken({ domain: 'g.example.com' }))

    await Promise.all(tokens.map((token) => stores().tokens.create(token, 4)))

    const kept = await Promise.all(tokens.map(tokenOf))
    expect(kept.filter((token) => token !== undefined)).toHaveLength(4)
  })

  test('an expired token is readable for a day, so that it can be distinguished from an unknown one', async () => {
    const token = aToken({ domain: 'h.example.com', expiresAt: stores().clock.now() + 1000 })
    await stores().tokens.create(token, 50)

    stores().clock.move(2000)
    const soonAfter = await tokenOf(token)
    stores().clock.move(DAY_MS)
    const longAfter = await tokenOf(token)

    expect(soonAfter).toEqual(token)
    expect(longAfter).toBeUndefined()
  })
}
