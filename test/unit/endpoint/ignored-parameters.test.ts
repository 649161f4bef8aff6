import { expect, it } from 'vitest'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { anApi } from '../../support/platform/api.ts'

async function listWith(query: string) {
  const api = anApi()
  const headers = { ...(await api.as(await api.account())) }
  return api.call(listAccounts, { headers, query })
}

it('unknown query parameters change nothing, and the response names them', async () => {
  const { status, headers } = await listWith('limit=5&colour=red&per%20page=2')

  expect(status).toBe(200)
  expect(headers['X-Ignored-Parameters']).toBe('colour, per%20page')
})

it('a response to known query parameters names none as ignored', async () => {
  expect((await listWith('limit=5')).headers).not.toHaveProperty('X-Ignored-Parameters')
})

it('query parameters with the names of JavaScript object members are unknown ones', async () => {
  expect((await listWith('constructor=1&toString=2')).headers['X-Ignored-Parameters']).toBe('constructor, toString')
})

it('a refusal names unknown query parameters as well', async () => {
  const { status, headers } = await listWith('limit=none&colour=red')

  expect([status, headers['X-Ignored-Parameters']]).toEqual([400, 'colour'])
})

it('the names of ignored query parameters are limited in number and percent-encoded', async () => {
  const many = Array.from({ length: 400 }, (_, at) => `p${at}=1`).join('&')
  const shown = (await listWith(`${encodeURIComponent(`"é,${'x'.repeat(100)}`)}=1&${many}`)).headers[
    'X-Ignored-Parameters'
  ]

  expect(shown).toMatch(new RegExp(`^%22%C3%A9%2C${'x'.repeat(61)}, p0, p1, `))
  expect(shown?.length).toBeLessThanOrEqual(1_000)
  expect(shown?.length).toBeGreaterThan(990)
})
