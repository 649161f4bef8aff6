import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { handler as deleteAccount } from '../../../functions/accounts/delete-account.ts'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { handler as updateAccount } from '../../../functions/accounts/update-account.ts'
import { handler as logIn } from '../../../functions/auth/log-in.ts'
import { handler as logOut } from '../../../functions/auth/log-out.ts'
import { handler as deleteDomain } from '../../../functions/domains/delete-domain.ts'
import { anApi, passwordOf } from '../../support/platform/api.ts'

async function setUp() {
  const api = anApi()
  await api.account({ login: '1000', role: 'admin' })
  const boss = { ...(await api.as(await api.account({ login: 'boss', role: 'admin' }))) }
  const { body } = await api.call(logIn, { body: { username: '1000@a.example.com', password: passwordOf('1000') } })
  const headers = { 'x-access-token': String(body.token), 'x-key': String(body.key) }
  const use = async () => (await api.call(listAccounts, { headers })).status
  return { api, boss, headers, use }
}

type SetUp = Awaited<ReturnType<typeof setUp>>

const change = ({ api, boss }: SetUp, body: object) =>
  api.call(updateAccount, { params: { account_id: '1000' }, headers: boss, body })

/** The samples of the group, each with what it comes to. */
const lives: Record<string, (given: SetUp) => Promise<void>> = {
  'token used while its logout is in progress (either answer, then 401 for good)': async ({ api, headers, use }) => {
    const [during] = await Promise.all([use(), api.call(logOut, { headers })])

    expect([200, 401]).toContain(during)
    expect(await use()).toBe(401)
  },
  'second logout of the same token': async ({ api, headers }) => {
    expect(await api.call(logOut, { headers })).toMatchObject({
      status: 200,
      body: { status: 'OK', info: 'Successful logout.' },
    })
    expect(await api.call(logOut, { headers })).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  },
  'token one second before its expiry (200)': async ({ api, use }) => {
    api.clock.move(604_800_000 - 1000)

    expect(await use()).toBe(200)
  },
  'expired token still present in the table': async ({ api, headers }) => {
    api.clock.move(604_800_000)

    expect(await api.call(listAccounts, { headers })).toMatchObject({ status: 401, body: { code: 'token_expired' } })
    expect(api.ports.state.tokens.size).toBe(2)
  },
  'token of a deleted account': async ({ api, boss, use }) => {
    await api.call(deleteAccount, { params: { account_id: '1000' }, headers: boss })

    expect(await use()).toBe(401)
  },
  'token of an account moved from admin to user': async (given) => {
    expect(await change(given, { role: 'user' })).toMatchObject({ status: 200 })

    expect(await given.use()).toBe(401)
  },
  'token of a deleted domain': async ({ api, use }) => {
    const params = { domain_name: 'a.example.com' }
    await api.call(deleteDomain, { params, headers: { ...(await api.as('root')) } })

    expect(await use()).toBe(401)
    await api.ports.tenantData.purge('a.example.com', Number.MAX_SAFE_INTEGER)
    await api.ports.domains.endDeletion('a.example.com')
    await api.account({ login: '1000', role: 'admin' })
    expect(await use()).toBe(401)
  },
  'token after a password change': async (given) => {
    expect(await change(given, { password: 's3cr3t-another' })).toMatchObject({ status: 200 })

    expect(await given.use()).toBe(401)
  },
  'token with a device clock 10 minutes slow': async ({ api, headers }) => {
    const date = new Date(api.clock.now() - 600_000).toUTCString()

    expect(await api.call(listAccounts, { headers: { ...headers, date } })).toMatchObject({ status: 200 })
  },
}

describe('the life of a token', () => {
  const samples: Record<string, string[]> = JSON.parse(
    readFileSync(new URL('../../fixtures/bad-inputs/credentials.json', import.meta.url), 'utf8'),
  )

  it.each(samples['token life'] ?? [])('the life of a token follows the model: %s', async (sample) => {
    const live = lives[sample]
    if (live === undefined) throw new Error('the sample has no test')

    await live(await setUp())
  })
})
