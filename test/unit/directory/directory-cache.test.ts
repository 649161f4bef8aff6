/** What the engine may cache of directory answers. Its cache is the model in local/engine/directory/user-directory.ts. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { handler as createDomain } from '../../../functions/domains/create-domain.ts'
import { anApi } from '../../support/api.ts'
import { askDirectory as ask, directoryForm as form, engineUsers } from '../../support/directory-reader.ts'
import { fixed } from '../../support/hostile-text.ts'

const domain = 'tenant1.example.com'

async function setUp(...addresses: readonly string[]) {
  const api = anApi()
  for (const address of addresses) {
    const [login = '', domain = ''] = address.split('@')
    await api.account({ login, domain, numbers: [`55${login}`] })
  }
  const cacheable = async (fields: Record<string, string>) => (await ask(api, form(fields))).users[0]?.cacheable
  return { api, cacheable, users: engineUsers(api) }
}

describe('an answer about an account', () => {
  it('may be cached for a minute when it was asked for by key, login and domain as a flush names them', async () => {
    const { cacheable } = await setUp(`alice@${domain}`)

    expect(await cacheable({ user: 'alice', domain })).toBe('60000')
  })

  it.each([
    ['its number', { user: '55alice', domain }],
    ['its login in other letters', { user: 'ALICE', domain }],
    ['its domain in other letters', { user: 'alice', domain: 'Tenant1.example.com' }],
    ['another key', { user: 'alice', domain, key: 'number-alias' }],
    ['no key', { user: 'alice', domain, key: '' }],
  ])('is not cached when it was asked for by %s, since no flush would reach it', async (_what, fields) => {
    const { api, cacheable } = await setUp(`alice@${domain}`)

    expect((await ask(api, form(fields))).users).toHaveLength(1)
    expect(await cacheable(fields)).toBeUndefined()
  })

  it('has a time that the 32-bit arithmetic of the engine does not turn into an expired one', async () => {
    const { cacheable } = await setUp(`alice@${domain}`)

    expect(Number(await cacheable({ user: 'alice', domain }))).toBeLessThanOrEqual(2_100_000)
  })
})

describe('a record that could be read as that of a user of another domain', () => {
  it.each([
    ['a domain that is longer by the end of the login', '1000ac@me.example.com', 'acme.example.com'],
    ['a domain that is a tail of its own', '1000@acme.example.com', 'me.example.com'],
    ['its parent domain', '1000@sub.example.com', 'example.com'],
    ['a domain that a phone can spell in other letters', '1000AC@me.example.com', 'acme.example.com'],
  ])('is not cached: %s exists', async (_what, address, other) => {
    const [user = '', domain = ''] = address.split('@')
    const { cacheable } = await setUp(address, `1@${other}`)

    expect(await cacheable({ user, domain })).toBeUndefined()
  })

  it('is not cached while that domain is being deleted', async () => {
    const { api, cacheable } = await setUp('1000ac@me.example.com', '1000@acme.example.com')
    await api.ports.domains.beginDeletion('acme.example.com', 1)

    expect(await cacheable({ user: '1000ac', domain: 'me.example.com' })).toBeUndefined()
  })

  it('is not cached when there are more names to look for than a store looks at in one call', async () => {
    const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.example.com`
    const { cacheable } = await setUp(`1000@${long}`)

    expect(await cacheable({ user: '1000', domain: long })).toBeUndefined()
  })

  it('is cached when no such domain exists', async () => {
    const { cacheable } = await setUp('1000ac@me.example.com', '1000@acme.example.org')

    expect(await cacheable({ user: '1000ac', domain: 'me.example.com' })).toBe('60000')
  })
})

describe("the engine's cache", () => {
  const labels = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba', 'a.b'), { minLength: 1, maxLength: 3 })
  const address = fc.tuple(
    fc.array(fc.constantFrom('a', 'A', 'b', 'a.'), { minLength: 1, maxLength: 3 }),
    labels,
    fc.boolean(),
  )

  it('gives no phone the record of another domain, whatever accounts there are and however phones spell them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(address, { minLength: 2, maxLength: 8 }), async (given) => {
        const addresses = given.map(([login, labels]) => ({ login: login.join(''), domain: labels.join('.') }))
        const domains = new Map(addresses.map((each) => [each.domain, each]))
        const api = anApi()
        for (const { login, domain } of domains.values()) await api.account({ login, domain })
        const users = engineUsers(api)
        const spelled = given.map(([login, labels, isUpper]) => {
          const domain = labels.join('.')
          return { user: login.join(''), domain: isUpper ? domain.toUpperCase() : domain, action: 'sip_auth' } as const
        })
        const splits = addresses.flatMap(({ login, domain }) => everySplit(login + domain))

        for (const question of [...spelled, ...spelled, ...splits]) {
          const found = await users.ask(question)
          const isTenant = domains.has(question.domain.toLowerCase())
          if (typeof found !== 'string' && isTenant) expect(found.domain).toBe(question.domain.toLowerCase())
        }
      }),
      fixed(150),
    )
  })

  it('holds no record that a new domain collides with, once the flush that the creation orders is done', async () => {
    const { api, users } = await setUp('1000ac@me.example.com')
    const attacker = { user: '1000ac', domain: 'me.example.com', action: 'sip_auth' } as const
    const victim = { user: '1000', domain: 'acme.example.com', action: 'sip_auth' } as const
    await users.ask(attacker)
    expect(await users.ask(victim)).toMatchObject({ login: '1000ac' })

    await api.call(createDomain, {
      body: { domain_name: victim.domain, customer_id: 'c' },
      headers: { ...(await api.as('root')) },
    })
    for (const { command } of api.ports.engine.given) if (command.kind === 'flush-directory') users.flush()
    await users.ask(attacker)

    expect(await users.ask(victim)).toBe('unknown')
  })
})

/** Every way to read a joined text as a login and a domain. */
function everySplit(joined: string) {
  return Array.from({ length: joined.length - 1 }, (_, at) => ({
    user: joined.slice(0, at + 1),
    domain: joined.slice(at + 1),
    action: 'sip_auth' as const,
  }))
}
