/**
 * Which answers engines may keep. Their cache is the model in
 * packages/simulated-freeswitch/directory/user-directory.ts.
 */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { handler as lookUpDirectory } from '../../../functions/engine/look-up-directory.ts'
import { anApi } from '../../support/platform/api.ts'
import { askDirectory as ask, directoryForm as form, engineUsers } from '../../support/platform/directory-reader.ts'
import { fixed } from '../../support/records/hostile-text.ts'
import { engineAuthorization } from '../../support/platform/engine-credential.ts'

const domain = 'tenant1.example.com'

async function setUp(env: Readonly<Record<string, string>> = {}) {
  const api = anApi(env)
  await api.account({ login: 'alice', domain, numbers: ['55alice'] })
  return api
}

describe('an answer about an account', () => {
  const exactName = { user: 'alice', domain }
  const purposes = [
    ['its key', {}],
    ['a call to it', { action: 'user_call' }],
    ['the authentication of its phone', { action: 'sip_auth', sip_auth_method: 'INVITE' }],
  ] as const

  it.each(purposes)(
    "the directory's answer is not cached by an engine that asks for %s and names no time",
    async (_what, purpose) => {
      const { users, text } = await ask(await setUp(), form({ ...exactName, ...purpose }))

      expect(users).toHaveLength(1)
      expect(text).not.toMatch(/cacheable|sip-force-extension/)
    },
  )

  it.each(purposes)(
    "the directory's answer may be cached for the time that an engine that asks for %s names",
    async (_what, purpose) => {
      for (const time of ['1', '2100000', 'until-flushed']) {
        const { users } = await ask(await setUp(), form({ ...exactName, ...purpose }), `cache=${time}`)

        expect(users).toMatchObject([{ id: 'alice', cacheable: time }])
      }
    },
  )

  it.each([
    ['a number', { user: '55alice', domain }],
    ['its login in other letters', { user: 'Alice', domain }],
    ['its domain in other letters', { user: 'alice', domain: 'Tenant1.example.com' }],
  ])(
    "the directory's answer is never cached when it was requested by %s, since a change flushes the exact name",
    async (_what, name) => {
      const { users } = await ask(await setUp(), form({ ...name, action: 'user_call' }), 'cache=until-flushed')

      expect(users).toHaveLength(1)
      expect(users[0]).not.toHaveProperty('cacheable')
    },
  )

  it("a cacheable directory answer makes phones register under the account's full name, which no To header can be", async () => {
    const { users, params } = await ask(await setUp(), form(exactName), 'cache=60000')

    expect(users[0].params).toMatchObject({
      'sip-force-extension': 'alice=tenant1.example.com',
      'mwi-account': 'alice@tenant1.example.com',
    })
    const listed = '${sofia_contact(*/${dialed_user}=${dialed_domain}@${dialed_domain}/${contact_mark})}'
    expect(params['dial-string']).toContain(listed)
  })

  it.each([
    ['10.1.2.3', false],
    ['[2001:db8::7]', false],
    ['Phones.example.com', false],
    ['10.1.3.3', true],
    ['phones.example.com.evil.example', true],
    ['', true],
  ])(
    'with hosts of contacts, the answer for a contact at %j keeps its source: %s, and is not cached',
    async (host, isForced) => {
      const api = await setUp({ CONTACT_HOSTS: '10.1.2.0/24, 2001:db8::/32,phones.example.com' })
      const asked = { ...exactName, action: 'sip_auth', sip_auth_method: 'REGISTER', sip_contact_host: host }

      const { users } = await ask(api, form({ ...asked, sip_to_user: 'alice', sip_to_host: domain }), 'cache=60000')

      expect(users[0]).not.toHaveProperty('cacheable')
      expect('sip-force-contact' in users[0].params).toBe(isForced)
    },
  )

  it.each(['0', '2100001', '9999999', '-1', '1.5', '1e3', 'true', 'until-flushed,', '', '1&cache=2'])(
    'a cacheable answer is refused to an engine that wants to keep it for %j',
    async (time) => {
      const api = await setUp()
      const basic = engineAuthorization(api.ports.secrets.engine)
      const headers = { ...basic, 'content-type': 'application/x-www-form-urlencoded' }

      const answer = await api.call(lookUpDirectory, { rawBody: form(exactName), query: `cache=${time}`, headers })

      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
    },
  )
})

describe("the engine's cache", () => {
  const labels = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba', 'a.b'), { minLength: 1, maxLength: 3 })
  const address = fc.tuple(
    fc.array(fc.constantFrom('a', 'A', 'b', 'a.'), { minLength: 1, maxLength: 3 }),
    labels,
    fc.boolean(),
  )

  it.each(['', 'cache=60000', 'cache=until-flushed'])(
    "the engine's cache gives no phone the record of another domain, whatever accounts there are and however phones spell them: %j",
    async (query) => {
      await fc.assert(
        fc.asyncProperty(fc.array(address, { minLength: 2, maxLength: 8 }), async (given) => {
          const addresses = given.map(([login, labels]) => ({ login: login.join(''), domain: labels.join('.') }))
          const domains = new Map(addresses.map((each) => [each.domain, each]))
          const api = anApi()
          for (const { login, domain } of domains.values()) await api.account({ login, domain })
          const users = engineUsers(api, query)
          const spelled = given.map(([login, labels, isUpper]) => {
            const domain = labels.join('.')
            return {
              user: login.join(''),
              domain: isUpper ? domain.toUpperCase() : domain,
              action: 'sip_auth',
            } as const
          })
          const splits = addresses.flatMap(({ login, domain }) => everySplit(login + domain))

          for (const question of [...spelled, ...spelled, ...splits]) {
            const found = await users.ask(question)
            const isTenant = domains.has(question.domain.toLowerCase())
            if (typeof found !== 'string' && isTenant) expect(found.domain).toBe(question.domain.toLowerCase())
          }
        }),
        fixed(50),
      )
    },
  )

  it("the directory lets the engine cache neither of two accounts that the engine's cache would confuse", async () => {
    const api = anApi()
    await api.account({ login: '1000ac', domain: 'me.example.com' })
    await api.account({ login: '1000', domain: 'acme.example.com' })

    for (const [user, domain] of [
      ['1000ac', 'me.example.com'],
      ['1000', 'acme.example.com'],
    ] as const) {
      const { users } = await ask(api, form({ user, domain }), 'cache=until-flushed')

      expect(users).toHaveLength(1)
      expect(users[0]).not.toHaveProperty('cacheable')
    }
  })

  it('the directory gives the record of an account to no user of a domain that was created and flushed later', async () => {
    const api = anApi()
    await api.account({ login: '1000ac', domain: 'me.example.com' })
    const users = engineUsers(api, 'cache=until-flushed')
    const attempt = { user: '1000', domain: 'acme.example.com', action: 'sip_auth' } as const
    await users.ask({ user: '1000ac', domain: 'me.example.com', action: 'sip_auth' })
    expect(await users.ask(attempt)).toMatchObject({ login: '1000ac' })

    await api.account({ login: '1001', domain: 'acme.example.com' })
    users.flush()
    await users.ask({ user: '1000ac', domain: 'me.example.com', action: 'sip_auth' })

    expect(await users.ask(attempt)).toBe('unknown')
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
