import { describe, expect, it } from 'vitest'
import { handler as createAccount } from '../../../functions/accounts/create-account.ts'
import { handler as readAccount } from '../../../functions/accounts/read-account.ts'
import { handler as updateAccount } from '../../../functions/accounts/update-account.ts'
import { handler as createDomain } from '../../../functions/domains/create-domain.ts'
import { anApi } from '../../support/platform/api.ts'

/** A request that is wrong in every way; each case mends what comes before its own fault. */
async function setUp() {
  const api = anApi()
  const user = await api.account({ login: '1000', role: 'user' })
  const admin = await api.account({ login: '1001', role: 'admin' })
  return { api, user: { ...(await api.as(user)) }, admin: { ...(await api.as(admin)) } }
}

const huge = 'x'.repeat(256 * 1024 + 1)

describe('of several faults the first in the order of the contract is reported', () => {
  it('the size of a body is checked before the credential', async () => {
    const { api } = await setUp()

    expect(await api.call(createAccount, { rawBody: huge })).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    })
  })

  it('the credential is checked before the syntax of the body', async () => {
    const { api } = await setUp()

    expect(await api.call(createAccount, { rawBody: '{' })).toMatchObject({ status: 401 })
  })

  it('media type and syntax of the body are checked before the domain', async () => {
    const { api, user } = await setUp()
    const query = 'domain=b.example.com'

    const type = await api.call(createAccount, {
      rawBody: '{',
      query,
      headers: { ...user, 'content-type': 'text/plain' },
    })
    const syntax = await api.call(createAccount, { rawBody: '{', query, headers: user })

    expect(type).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
    expect(syntax).toMatchObject({ status: 400, body: { code: 'invalid_json' } })
  })

  it('the domain is checked before the permission, so root is answered that there is no such domain', async () => {
    const { api } = await setUp()
    const headers = { ...(await api.as('root')) }

    const absent = await api.call(createAccount, { body: {}, headers })
    const unknown = await api.call(createAccount, { body: { domain: 'nobody.example.com' }, headers })

    expect(absent).toMatchObject({ status: 400, body: { code: 'domain_required' } })
    expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  it('the permission is checked before the fields', async () => {
    const { api, user, admin } = await setUp()

    expect(await api.call(createAccount, { body: {}, headers: user })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', info: 'Permission denied!' },
    })
    expect(await api.call(createDomain, { body: {}, headers: admin })).toMatchObject({ status: 403 })
    expect(await api.call(createAccount, { body: {}, headers: admin })).toMatchObject({
      status: 400,
      body: { code: 'missing_field' },
    })
  })

  it('fields are checked before the existence of the record', async () => {
    const { api, admin } = await setUp()
    const params = { account_id: '9999' }

    const wrong = await api.call(updateAccount, { params, body: { password: 5 }, headers: admin })
    const absent = await api.call(updateAccount, { params, body: { password: 's3cr3t-long enough' }, headers: admin })

    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
    expect(absent).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  it('the permission is checked before existence, so that a user learns nothing of other accounts', async () => {
    const { api, user } = await setUp()
    const body = { password: 's3cr3t-long enough' }
    const update = (id: string) => api.call(updateAccount, { params: { account_id: id }, body, headers: user })

    const [there, absent] = [await update('1001'), await update('9999')]

    expect(there).toMatchObject({ status: 403 })
    expect({ ...there.body, requestId: '' }).toEqual({ ...absent.body, requestId: '' })
  })

  it.each(['a\u0000', 'a\ufffd'])('a path parameter %j is no text at all', async (id) => {
    const { api, admin } = await setUp()

    expect(await api.call(readAccount, { params: { account_id: id }, headers: admin })).toMatchObject({
      status: 400,
      body: { code: 'invalid_field', details: [{ field: 'account_id' }] },
    })
  })
})
