import { beforeEach, describe, expect, it } from 'vitest'
import { handler as deleteAccount } from '../../../functions/accounts/delete-account.ts'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { handler as logOut } from '../../../functions/auth/log-out.ts'
import { type Api, anApi } from '../../support/platform/api.ts'

let api: Api
let user: { 'x-key': string; 'x-access-token': string }

beforeEach(async () => {
  api = anApi()
  user = { ...(await api.as(await api.account({ login: '1001', role: 'user' }))) }
})

/** Returns status, code, text and details of a refusal. */
async function refusalOf(headers: Record<string, string>) {
  const { status, body } = await api.call(listAccounts, { headers })
  return { status, code: body.code, info: body.info, details: body.details }
}
const badCaller = (field: string, problem: string) => ({
  status: 401,
  code: 'invalid_token',
  info: 'Bad caller',
  details: [{ field, problem }],
})

describe('a refused credential', () => {
  it('a refusal says which credential header is missing or malformed', async () => {
    const { 'x-key': key, 'x-access-token': token } = user
    const other = '00000000-0000-4000-8000-000000000000'

    expect(await refusalOf({})).toEqual(badCaller('X-Access-Token', 'must be given: POST /login answers it as token'))
    expect(await refusalOf({ 'x-access-token': token })).toEqual(
      badCaller('X-Key', 'must be given once: POST /login answers it as key'),
    )
    expect(await refusalOf({ 'x-access-token': token, 'x-key': other })).toEqual(
      badCaller('X-Key', 'must be the key of the token'),
    )
    expect(await refusalOf({ 'x-access-token': 'abc', 'x-key': key })).toEqual(
      badCaller('X-Access-Token', 'is no token of this service, or was given twice'),
    )
  })

  it('a refusal does not reveal whether a token has ended, is forged, or has lost its account', async () => {
    const unknown = badCaller('X-Access-Token', 'is unknown or has ended: log in again')
    const forged = { ...user, 'x-access-token': `${user['x-access-token'].slice(0, -4)}AAAA` }
    const lost = await api.account({ login: '1002', role: 'user' })
    const gone = { ...(await api.as(lost)) }
    await api.ports.accounts.remove(lost, false)
    expect(await refusalOf(forged)).toEqual(unknown)
    expect(await refusalOf(gone)).toEqual(unknown)

    await api.call(logOut, { headers: user })

    expect(await refusalOf(user)).toEqual(unknown)
  })
})

describe('a forbidden request', () => {
  it('a refusal names the permission that the role lacks', async () => {
    const { status, body } = await api.call(deleteAccount, { params: { account_id: '1001' }, headers: user })

    expect(status).toBe(403)
    expect(body).toMatchObject({
      info: 'Permission denied!',
      details: [{ field: 'permission', problem: 'your role lacks the permission "d" of "account"' }],
    })
  })

  it('a refusal is the same for an account that exists and one that does not', async () => {
    await api.account({ login: '1002', role: 'user' })
    const refused = async (account_id: string) => {
      const { status, body } = await api.call(deleteAccount, { params: { account_id }, headers: user })
      return { status, code: body.code, details: body.details }
    }

    expect(await refused('1002')).toEqual(await refused('9999'))
    expect((await refused('1002')).status).toBe(403)
  })
})
