/** Under which address a phone can register. The engine takes it from the To header and compares it with nothing. */
import { describe, expect, it } from 'vitest'
import { anApi } from '../../support/platform/api.ts'
import { askDirectory as ask, directoryForm as form, engineUsers } from '../../support/platform/directory-reader.ts'

const attacker = { user: '1000', domain: 'evil.example.com' }
const victim = { login: '1000', domain: 'acme.example.com' }

async function setUp() {
  const api = anApi()
  await api.account({ login: '1000', domain: 'evil.example.com', numbers: ['551000'] })
  await api.account({ login: '1001', domain: 'evil.example.com' })
  await api.account({ login: '1000', domain: 'acme.example.com' })
  return { api, users: engineUsers(api) }
}

describe('a phone that registers', () => {
  it.each([
    ['an account of the same name in another domain', victim],
    ['another account of its domain', { login: '1001', domain: 'evil.example.com' }],
    ['a domain that does not exist yet', { login: '1000', domain: 'later.example.com' }],
    ['a number of its account, which no drop of registrations names', { login: '551000', domain: 'evil.example.com' }],
    [
      'its domain in other letters, which no drop of registrations names',
      { login: '1000', domain: 'Evil.example.com' },
    ],
  ])('a phone cannot register under the address of %s', async (_what, to) => {
    const { users } = await setUp()

    expect(await users.ask({ ...attacker, action: 'sip_auth', to })).toBe('unknown')
  })

  it.each(['sip_auth', 'user_call'] as const)(
    'a phone cannot register under the address of another tenant right after a lookup of its own account (%s)',
    async (action) => {
      const { users } = await setUp()
      expect(await users.ask({ ...attacker, action })).toMatchObject({ login: '1000', domain: 'evil.example.com' })

      expect(await users.ask({ ...attacker, action: 'sip_auth', to: victim })).toBe('unknown')
    },
  )

  it('a phone can register under the address of its own account', async () => {
    const { users } = await setUp()
    const to = { login: '1000', domain: 'evil.example.com' }

    expect(await users.ask({ ...attacker, action: 'sip_auth', to })).toMatchObject(to)
  })
})

it('a phone may call any number: the To header of an INVITE names whom it calls', async () => {
  const { api } = await setUp()
  const call = { ...attacker, action: 'sip_auth', sip_auth_method: 'INVITE', sip_to_user: '911', sip_to_host: 'x.test' }

  expect((await ask(api, form(call))).users).toHaveLength(1)
})

it.each([
  ['a number of its account', { user: '551000', domain: 'evil.example.com' }],
  ['its login in other letters', { user: 'BOB', domain: 'evil.example.com' }],
  ['its domain in other letters', { user: '1000', domain: 'Evil.example.com' }],
])(
  'a phone cannot authenticate by %s, which the engine would show as the account of its calls',
  async (_what, name) => {
    const { api } = await setUp()
    await api.account({ login: 'bob', domain: 'evil.example.com' })
    const call = {
      ...name,
      action: 'sip_auth',
      sip_auth_method: 'INVITE',
      sip_to_user: '911',
      sip_to_host: name.domain,
    }

    expect((await ask(api, form(call))).users).toEqual([])
    expect((await ask(api, form({ ...name, action: 'user_call' }))).users).toHaveLength(1)
  },
)
