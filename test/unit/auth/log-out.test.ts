import { describe, expect, it } from 'vitest'
import { handler as logOut } from '../../../functions/auth/log-out.ts'
import { anApi } from '../../support/platform/api.ts'

describe('a logout', () => {
  it('logging out ends the presented token and no other', async () => {
    const api = anApi()
    const account = await api.account()
    const [headers, other] = [{ ...(await api.as(account)) }, { ...(await api.as(account)) }]

    const first = await api.call(logOut, { headers })
    const second = await api.call(logOut, { headers })

    expect(first).toMatchObject({ status: 200, body: { status: 'OK', info: 'Successful logout.' } })
    expect(second).toMatchObject({ status: 401, body: { code: 'invalid_token', info: 'Bad caller' } })
    expect(await api.call(logOut, { headers: other })).toMatchObject({ status: 200 })
  })

  it('one of two simultaneous logouts succeeds', async () => {
    const api = anApi()
    const headers = { ...(await api.as('root')) }

    const answers = await Promise.all([api.call(logOut, { headers }), api.call(logOut, { headers })])

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
  })
})
