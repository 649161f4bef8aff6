import { describe, expect, it } from 'vitest'
import type { Account } from '../../../core/accounts/account.ts'
import { handler as logIn } from '../../../functions/auth/log-in.ts'
import { handler as readAccount } from '../../../functions/accounts/read-account.ts'
import { handler as updateAccount } from '../../../functions/accounts/update-account.ts'
import { anApi, passwordOf } from '../../support/platform/api.ts'

const settings: Partial<Account> = {
  parameters: { 'vm-enabled': 'true', 'x-badge': '7' },
  variables: { default_language: 'uk', timezone: 'Europe/Kyiv' },
}

/** An admin 1000 and a user 1001; `as` is who updates. */
async function setUp(who: '1000' | '1001' | 'root' = '1000') {
  const api = anApi()
  const admin = await api.account({ login: '1000', role: 'admin' })
  const user = await api.account({ login: '1001', role: 'user', ...settings })
  const account = { '1000': admin, '1001': user, root: 'root' as const }[who]
  const headers = { ...(await api.as(account)) }
  const query = who === 'root' ? 'domain=a.example.com' : ''
  const update = (id: string, body: unknown) =>
    api.call(updateAccount, { params: { account_id: id }, body, headers, query })
  const stored = (id: string) => api.ports.accounts.read('a.example.com', id)
  return { api, admin, user, headers, update, stored }
}

describe('an update', () => {
  it('an account update merges by name, removes empty values, and leaves everything else unchanged', async () => {
    const { update, stored, user } = await setUp()

    const { status, body } = await update('1001', {
      parameters: ['x-badge=8', 'vm-enabled=', 'cc-agent-type=callback'],
      variables: ['timezone=', 'directory_full_name=Bob'],
    })

    expect(status).toBe(200)
    expect(body.status).toBe('OK')
    expect(body.info).toMatchObject({
      'x-badge': '8',
      'vm-enabled': 'false',
      'cc-agent-type': 'callback',
      variable_default_language: 'uk',
      variable_directory_full_name: 'Bob',
    })
    expect(body.info).not.toHaveProperty('variable_timezone')
    expect(await stored('1001')).toEqual({
      ...user,
      parameters: { 'x-badge': '8', 'cc-agent-type': 'callback' },
      variables: { default_language: 'uk', directory_full_name: 'Bob' },
      version: 2,
    })
  })

  it('an account update makes the engine read the directory again', async () => {
    const { api, update } = await setUp()

    await update('1001', { variables: ['timezone=UTC'] })

    expect(api.ports.engine.given.map(({ command }) => command)).toEqual([{ kind: 'flush-account', login: '1001' }])
  })

  it.each([
    ['the field', { password: 's3cr3t-new password' }],
    ['the parameter', { parameters: ['password=s3cr3t-new password'] }],
    ['the field, over the parameter', { password: 's3cr3t-new password', parameters: ['password=s3cr3t-not this'] }],
  ])('an account update by %s sets the password and ends every token of the account', async (_, body) => {
    const { api, user, update } = await setUp()
    const old = { ...(await api.as(user)) }
    const login = (password: string) => api.call(logIn, { body: { username: '1001@a.example.com', password } })

    await update('1001', body)

    expect(await api.call(readAccount, { params: { account_id: '1001' }, headers: old })).toMatchObject({ status: 401 })
    expect(await login('s3cr3t-new password')).toMatchObject({ status: 200 })
    expect(await login(passwordOf('1001'))).toMatchObject({ status: 401 })
  })

  it.each([
    [{ role: 'admin' }],
    [{ parameters: ['role=admin'] }],
    [{ variables: ['account_role=admin'] }],
    [{ role: 'admin', parameters: ['role=user'], variables: ['account_role=user'] }],
  ])('an account update by %j sets the role and ends every token of the account', async (body) => {
    const { api, user, update } = await setUp()
    const old = { ...(await api.as(user)) }

    const { body: answer } = await update('1001', body)

    expect(answer.info).toMatchObject({ variable_account_role: 'admin', 'svc-admin': 'true' })
    expect(await api.call(readAccount, { params: { account_id: '1001' }, headers: old })).toMatchObject({ status: 401 })
  })

  it('an account update of other fields leaves the tokens alone', async () => {
    const { user, update, stored } = await setUp()

    await update('1001', { role: 'user', variables: ['timezone=UTC'] })

    expect((await stored('1001'))?.credentialsId).toBe(user.credentialsId)
  })

  it('an account update changes the numbers, and an empty list of numbers falls back to the login', async () => {
    const { update, stored } = await setUp()

    await update('1001', { parameters: ['svc-extensions=501'] })
    const given = (await stored('1001'))?.numbers
    await update('1001', { parameters: ['svc-extensions='] })

    expect(given).toEqual(['501'])
    expect((await stored('1001'))?.numbers).toEqual(['1001'])
  })

  it('an account update sets, keeps or removes the voicemail PIN', async () => {
    const { update } = await setUp()
    const pinAfter = async (parameters: string[]) => (await update('1001', { parameters })).body.info['vm-password']

    expect(await pinAfter(['vm-password=4711'])).toBe('********')
    expect(await pinAfter(['x-badge=9'])).toBe('********')
    expect(await pinAfter(['vm-password='])).toBeUndefined()
  })

  it('an account update accepts the login and domain that the account already has', async () => {
    const { update } = await setUp()

    expect(await update('1001', { login: '1001', domain: 'A.example.com', variables: ['timezone=UTC'] })).toMatchObject(
      { status: 200 },
    )
  })

  it.each([
    [{}, 400, 'bad_request'],
    [{ login: '1002', variables: ['timezone=UTC'] }, 400, 'invalid_field'],
    [{ domain: 'b.example.com', variables: ['timezone=UTC'] }, 403, 'permission_denied'],
    [{ password: 'xx' }, 400, 'invalid_field'],
    [{ parameters: ['password='] }, 400, 'invalid_field'],
    [{ parameters: ['role='] }, 400, 'invalid_field'],
    [{ role: 'root' }, 400, 'invalid_field'],
    [{ parameters: ['svc-extensions=1000'] }, 409, 'conflict'],
    [{ variables: ['w_domain=b.example.com'] }, 400, 'invalid_field'],
  ])('an account update of %j is answered %i %s and changes nothing', async (body, status, code) => {
    const { api, user, update, stored } = await setUp()

    expect(await update('1001', body)).toMatchObject({ status, body: { code } })
    expect(await stored('1001')).toEqual(user)
    expect(api.ports.engine.given).toEqual([])
  })

  it.each(['9999', '1001@a.example.com', '../1001', ''])('an account update of %j finds nothing', async (id) => {
    const { update } = await setUp()

    expect(await update(id, { password: 's3cr3t-long enough' })).toMatchObject({ status: 404 })
  })
})

describe('who may update', () => {
  it('an admin may change everything of the own account except the role', async () => {
    const { update } = await setUp()

    expect(await update('1000', { role: 'user' })).toMatchObject({ status: 400, body: { code: 'bad_request' } })
    expect(await update('1000', { role: 'admin', variables: ['timezone=UTC'] })).toMatchObject({ status: 200 })
  })

  it('root may update every account, including an admin', async () => {
    const { update } = await setUp('root')

    expect(await update('1000', { role: 'user' })).toMatchObject({ status: 200 })
  })

  it.each([
    ['password', { password: 's3cr3t-new password' }],
    ['parameters', { parameters: ['password=s3cr3t-new password', 'vm-password=4711', 'vm-mailto=me@example.com'] }],
    ['language', { variables: ['default_language=en'] }],
  ])('a user himself: %s', async (_, body) => {
    const { update } = await setUp('1001')

    expect(await update('1001', body)).toMatchObject({ status: 200 })
  })

  it.each([
    { role: 'admin' },
    { role: 'user' },
    { parameters: ['role=admin'] },
    { parameters: ['svc-extensions=1'] },
    { parameters: ['x-badge=1'] },
    { parameters: ['vm-enabled=true', 'cc-agent=true'] },
    { variables: ['account_role=admin'] },
    { variables: ['effective_caller_id_name=Boss'] },
    { variables: ['toll_allow=international'] },
  ])('a user may not change the own account by %j', async (body) => {
    const { update, stored, user } = await setUp('1001')

    expect(await update('1001', body)).toMatchObject({ status: 403, body: { info: 'Permission denied!' } })
    expect(await stored('1001')).toEqual(user)
  })

  it('a user may change no other account, and does not see the digest of the own account', async () => {
    const { update } = await setUp('1001')

    expect(await update('1000', { password: 's3cr3t-new password' })).toMatchObject({ status: 403 })
    const own = await update('1001', { password: 's3cr3t-new password' })
    expect(own.body.info).not.toHaveProperty('a1-hash')
  })
})
