import { describe, expect, it } from 'vitest'
import { handler as deleteAccountTotp } from '../../../functions/accounts/end-account-totp.ts'
import { handler as readAccount } from '../../../functions/accounts/read-account.ts'
import { handler as updateAccount } from '../../../functions/accounts/update-account.ts'
import { anApi } from '../../support/platform/api.ts'
import { giveSecondFactor } from '../../support/records/second-factor.ts'

const badges = Array.from({ length: 20 }, (_, index) => `x-badge-${index}`)

async function setUp() {
  const api = anApi()
  const admin = await api.account({ login: '1000', role: 'admin' })
  const user = await api.account({ login: '1001', role: 'user' })
  const headers = { ...(await api.as(admin)) }
  const params = { account_id: '1001' }
  const update = (body: unknown, more: Record<string, string> = {}) =>
    api.call(updateAccount, { params, body, headers: { ...headers, ...more } })
  const read = () => api.call(readAccount, { params, headers })
  return { api, user, headers, params, update, read }
}

describe('account updates that arrive at the same time', () => {
  it('simultaneous account updates without If-Match are all kept', async () => {
    const { update, read } = await setUp()

    const answers = await Promise.all(badges.map((name) => update({ parameters: [`${name}=on`] })))

    expect(answers.map(({ status }) => status)).toEqual(badges.map(() => 200))
    expect((await read()).body.data).toMatchObject(Object.fromEntries(badges.map((name) => [name, 'on'])))
  })

  it('only one of several simultaneous account updates with the same If-Match succeeds', async () => {
    const { update, read } = await setUp()
    const tag = (await read()).headers['ETag'] ?? ''

    const answers = await Promise.all(badges.map((name) => update({ parameters: [`${name}=on`] }, { 'if-match': tag })))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(badges.length - 1)
  })

  it('simultaneous account updates do not make the removal of a second factor fail', async () => {
    const { api, user, headers, params, update, read } = await setUp()
    await giveSecondFactor(api, user, true)

    const [removal, ...updates] = await Promise.all([
      api.call(deleteAccountTotp, { params, headers }),
      ...badges.map((name) => update({ parameters: [`${name}=on`] })),
    ])

    expect([removal.status, ...updates.map(({ status }) => status)]).toEqual([200, ...badges.map(() => 200)])
    expect((await api.ports.accounts.read(user.domain, '1001'))?.secondFactor).toBeUndefined()
    expect((await read()).body.data).toMatchObject({ 'x-badge-0': 'on', 'x-badge-19': 'on' })
  })
})
