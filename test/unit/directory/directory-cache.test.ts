/** No directory answer may be cached. The engine's cache is the model in local/engine/directory/user-directory.ts. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anApi } from '../../support/api.ts'
import { askDirectory as ask, directoryForm as form, engineUsers } from '../../support/directory-reader.ts'
import { fixed } from '../../support/hostile-text.ts'

const domain = 'tenant1.example.com'

describe('an answer about an account', () => {
  it.each([
    ['key, login and domain', { user: 'alice', domain }],
    ['its number', { user: '55alice', domain }],
    ['a call to it', { user: 'alice', domain, action: 'user_call' }],
    ['the authentication of its phone', { user: 'alice', domain, action: 'sip_auth', sip_auth_method: 'INVITE' }],
  ])('that was asked for by %s does not let the engine cache it', async (_what, fields) => {
    const api = anApi()
    await api.account({ login: 'alice', domain, numbers: ['55alice'] })

    const { users, text } = await ask(api, form(fields))

    expect(users).toHaveLength(1)
    expect(text).not.toContain('cacheable')
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

  it('never gives the record of an account to a user of a domain that is created later', async () => {
    const api = anApi()
    await api.account({ login: '1000ac', domain: 'me.example.com' })
    const users = engineUsers(api)
    await users.ask({ user: '1000ac', domain: 'me.example.com', action: 'sip_auth' })

    expect(await users.ask({ user: '1000', domain: 'acme.example.com', action: 'sip_auth' })).toBe('unknown')
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
