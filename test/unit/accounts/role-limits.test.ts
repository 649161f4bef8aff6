import { describe, expect, it } from 'vitest'
import type { ChangeContext } from '../../../core/accounts/account-context.ts'
import { createAccount } from '../../../core/accounts/create-account.ts'
import { deleteAccount } from '../../../core/accounts/delete-account.ts'
import { updateAccount } from '../../../core/accounts/update-account.ts'
import { noPrecondition } from '../../../core/requests/precondition.ts'
import { handler as deleteHandler } from '../../../functions/accounts/delete-account.ts'
import { anApi } from '../../support/platform/api.ts'
import { aCaller } from '../../support/platform/caller.ts'

/** A tenant with an admin 1000 and a user 1001, and a clerk who may manage accounts and nothing else. */
async function setUp() {
  const api = anApi()
  await api.account({ login: '1000', role: 'admin' })
  await api.account({ login: '1001', role: 'user' })
  const clerk = aCaller({ login: '1002', role: 'clerk', acl: { account: ['*'] } })
  const context: ChangeContext = {
    caller: clerk,
    domain: 'a.example.com',
    scope: 'all',
    clock: api.clock,
    random: api.tools.random,
    passwordMinLength: 3,
    clientVariables: new Map(),
    precondition: noPrecondition,
    a1Hash: () => '',
    reportUnsent: () => {},
  }
  return { ports: api.ports, context }
}

const denied = { code: 'permission_denied' }

describe('a caller who may manage accounts, but has fewer permissions than an admin', () => {
  it('a manager of accounts with fewer permissions than a user can create neither an admin nor a user', async () => {
    const { ports, context } = await setUp()
    const input = { login: '2000', password: 's3cr3t-long enough' }

    await expect(createAccount(ports, { ...input, role: 'admin' }, context)).rejects.toMatchObject(denied)
    await expect(createAccount(ports, { ...input, role: 'user' }, context)).rejects.toMatchObject(denied)
    expect(ports.state.accounts.size).toBe(2)
  })

  it('a limited manager of accounts can neither set the password of an admin nor delete the admin', async () => {
    const { ports, context } = await setUp()

    await expect(updateAccount(ports, '1000', { password: 's3cr3t-taken over' }, context)).rejects.toMatchObject(denied)
    await expect(deleteAccount(ports, '1000', context)).rejects.toMatchObject(denied)
    expect(ports.state.accounts.size).toBe(2)
  })

  it("a manager of accounts who also has a user's permissions can manage users but no admin", async () => {
    const { ports, context } = await setUp()
    const acl = {
      'acl/roles': ['r'],
      blacklist: ['*'],
      channels: ['*'],
      cdr: ['r'],
      'cdr/files': ['r'],
      'cc/tiers': ['r'],
    } as const
    const stronger = { ...context, caller: { ...context.caller, acl: { ...context.caller.acl, ...acl } } }

    await expect(updateAccount(ports, '1001', { role: 'admin' }, stronger)).rejects.toMatchObject(denied)
    await expect(updateAccount(ports, '1001', { password: 's3cr3t-new one' }, stronger)).resolves.toBeDefined()
    await expect(deleteAccount(ports, '1001', stronger)).resolves.toBeUndefined()
  })
})

describe('root', () => {
  it('root is not the account of a domain that happens to have the same name', async () => {
    const api = anApi()
    await api.account({ login: 'root', role: 'user' })

    const answer = await api.call(deleteHandler, {
      params: { account_id: 'root' },
      query: 'domain=a.example.com',
      headers: { ...(await api.as('root')) },
    })

    expect(answer.status).toBe(200)
  })
})
