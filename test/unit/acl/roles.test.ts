import { describe, expect, it } from 'vitest'
import { handler as createAccount } from '../../../functions/accounts/create-account.ts'
import { handler as deleteAccount } from '../../../functions/accounts/delete-account.ts'
import { handler as updateAccount } from '../../../functions/accounts/update-account.ts'
import { handler as createRole } from '../../../functions/acl/create-role.ts'
import { handler as deleteRole } from '../../../functions/acl/delete-role.ts'
import { handler as listRoles } from '../../../functions/acl/list-roles.ts'
import { handler as readRole } from '../../../functions/acl/read-role.ts'
import { handler as updateRole } from '../../../functions/acl/update-role.ts'
import { handler as logIn } from '../../../functions/auth/log-in.ts'
import { handler as listHooks } from '../../../functions/hooks/list-hooks.ts'
import type { CustomRole } from '../../../core/access/custom-role.ts'
import { anApi, passwordOf } from '../../support/platform/api.ts'
import { aDomainToken, aRole } from '../../support/records/records.ts'

const domain = 'a.example.com'
const other = 'b.a.example.com'

/** Two tenants; the admin of the first may also write roles. */
async function setUp(...custom: CustomRole[]) {
  const api = anApi()
  const chief = aRole({ name: 'chief', parent: 'admin', allows: { 'acl/roles': ['*'] } })
  await api.ports.roles.write({ domain, roles: [chief, ...custom], version: 1 })
  await api.ports.roles.write({ domain: other, roles: [aRole({ name: 'operator' })], version: 1 })
  const [admin, foreign] = [await api.account({ role: 'chief' }), await api.account({ domain: other, role: 'admin' })]
  const headers = { ...(await api.as(admin)) }
  const root = { ...(await api.as('root')) }
  const stored = async (name: string, of = domain) =>
    (await api.ports.roles.read(of)).roles.find((role) => role.name === name)
  return { api, headers, root, foreign: { ...(await api.as(foreign)) }, stored }
}

describe('a new role', () => {
  it('a new role is stored with its own permissions and its parent', async () => {
    const { api, headers, stored } = await setUp()
    const body = { roles: 'operator', allows: { hook: ['r', 'c'], cdr: ['c', 'r', '*'] }, parents: ['user'] }

    expect(await api.call(createRole, { body, headers })).toMatchObject({ status: 200, body: { status: 'OK' } })

    expect(await stored('operator')).toMatchObject({ parent: 'user', allows: { hook: ['c', 'r'], cdr: ['*'] } })
  })

  it.each([
    { roles: ['operator'], allows: {}, parents: [] },
    { roles: 'operator', parents: '' },
    { roles: 'operator', parents: null },
    { roles: 'operator', allows: { hook: [] }, domain: 'A.example.com' },
  ])('a new role may be sent as %j and then has no permissions', async (body) => {
    const { api, headers, stored } = await setUp()

    expect(await api.call(createRole, { body, headers })).toMatchObject({ status: 200 })
    expect(await stored('operator')).toMatchObject({ parent: null, allows: {} })
  })

  it.each([
    [{}, 400, 'missing_field'],
    [{ roles: '' }, 400, 'invalid_field'],
    [{ roles: 'a' }, 400, 'invalid_field'],
    [{ roles: 'Operator' }, 400, 'invalid_field'],
    [{ roles: '1operator' }, 400, 'invalid_field'],
    [{ roles: 'x'.repeat(33) }, 400, 'invalid_field'],
    [{ roles: 'a b' }, 400, 'invalid_field'],
    [{ roles: 'opérateur' }, 400, 'invalid_field'],
    [{ roles: ['one', 'two'] }, 400, 'invalid_field'],
    [{ roles: 'operator', allows: { hooks: ['r'] } }, 400, 'invalid_field'],
    [{ roles: 'operator', allows: { toString: ['r'] } }, 400, 'invalid_field'],
    [{ roles: 'operator', allows: { hook: ['x'] } }, 400, 'invalid_field'],
    [{ roles: 'operator', allows: { hook: ['R'] } }, 400, 'invalid_field'],
    [{ roles: 'operator', allows: { hook: 'r' } }, 400, 'invalid_field'],
    [{ roles: 'operator', allows: ['hook'] }, 400, 'invalid_field'],
    [{ roles: 'operator', parents: ['user', 'admin'] }, 400, 'invalid_field'],
    [{ roles: 'operator', parents: ['nobody'] }, 400, 'invalid_field'],
    [{ roles: 'operator', parents: 'root' }, 400, 'invalid_field'],
    [{ roles: 'operator', parents: 'operator' }, 400, 'invalid_field'],
    [{ roles: 'operator', allows: { license: ['r'] } }, 403, 'permission_denied'],
    [{ roles: 'operator', allows: { domain: ['r'] } }, 403, 'permission_denied'],
    [{ roles: 'operator', domain: other }, 403, 'permission_denied'],
    [{ roles: 'chief' }, 409, 'conflict'],
    [{ roles: 'admin' }, 409, 'conflict'],
    [{ roles: 'root' }, 409, 'conflict'],
  ])('a new role sent as %j is refused with %i %s and nothing is written', async (body, status, code) => {
    const { api, headers } = await setUp()
    const before = await api.ports.roles.read(domain)

    expect(await api.call(createRole, { body, headers })).toMatchObject({ status, body: { code } })
    expect(await api.ports.roles.read(domain)).toEqual(before)
  })

  it.each(['admin', 'user'])('a new role cannot be created by an %s, who may only read roles', async (role) => {
    const { api } = await setUp()
    const headers = { ...(await api.as(await api.account({ login: role, role }))) }

    expect(await api.call(createRole, { body: { roles: 'operator' }, headers })).toMatchObject({ status: 403 })
    expect(await api.call(listRoles, { headers })).toMatchObject({ status: 200 })
  })

  it('one of many equal simultaneous role creations succeeds, and all of different ones do', async () => {
    const { api, headers } = await setUp()
    const make = (roles: string) => api.call(createRole, { body: { roles }, headers })

    const same = await Promise.all(Array.from({ length: 8 }, () => make('same')))
    const different = await Promise.all(Array.from({ length: 8 }, (_, index) => make(`role-${index}`)))

    expect(same.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 409),
    ])
    expect(different.every(({ status }) => status === 200)).toBe(true)
    expect((await api.ports.roles.read(domain)).roles).toHaveLength(10)
  })

  it('a domain that has fifty roles is refused another one', async () => {
    const many = Array.from({ length: 49 }, (_, index) => aRole({ name: `role-${index}` }))
    const { api, headers } = await setUp(...many)

    expect(await api.call(createRole, { body: { roles: 'one-more' }, headers })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    })
  })

  it('root creates a role in the domain that it names', async () => {
    const { api, root, stored } = await setUp()
    const body = { roles: 'licensee', allows: { license: ['r'] } }

    expect(await api.call(createRole, { body, headers: root })).toMatchObject({
      status: 400,
      body: { code: 'domain_required' },
    })
    expect(await api.call(createRole, { body, headers: root, query: `domain=${other}` })).toMatchObject({ status: 200 })
    expect(await stored('licensee', other)).toMatchObject({ allows: { license: ['r'] } })
    expect(await stored('licensee')).toBeUndefined()
  })
})

describe('the roles of a domain', () => {
  it('the roles of a domain are listed by name together with the default roles, each with its own permissions', async () => {
    const { api, headers } = await setUp(aRole({ name: 'operator', parent: 'user' }))

    const { body } = await api.call(listRoles, { headers })

    expect(body.info.map(({ roles }: { roles: string }) => roles)).toEqual([
      'admin',
      'chief',
      'operator',
      'root',
      'user',
    ])
    expect(body.info[2]).toEqual({ roles: 'operator', allows: { hook: ['r'] }, parents: ['user'] })
  })

  it('the list of roles is paged and cut like every list', async () => {
    const { api, headers } = await setUp()

    const { body, headers: sent } = await api.call(listRoles, { headers, query: 'limit=1&page=2&columns=roles' })

    expect(body.info).toEqual([{ roles: 'chief' }])
    expect(sent).toHaveProperty('X-Next-Cursor')
  })

  it('reading a role shows its permissions including everything that it inherits', async () => {
    const deep = aRole({ name: 'deep', parent: 'middle', allows: { hook: ['c'] } })
    const middle = aRole({ name: 'middle', parent: 'user', allows: { hook: ['r'], cdr: ['r'] } })
    const { api, headers } = await setUp(deep, middle)
    const read = (name: string) => api.call(readRole, { params: { name }, headers })

    expect((await read('deep')).body.info).toMatchObject({ hook: ['r', 'c'], cdr: ['ro', 'r'], account: ['r', 'uo'] })
    expect((await read('root')).body.info).toMatchObject({ license: ['*'] })
    expect((await read('user')).body.info).not.toHaveProperty('hook')
  })

  it.each(['operator', 'nobody', '../chief', '__proto__', '', 'CHIEF'])(
    'a domain has no role called %j',
    async (name) => {
      const { api, headers } = await setUp()

      expect(await api.call(readRole, { params: { name }, headers })).toMatchObject({ status: 404 })
      expect(await api.call(updateRole, { params: { name }, headers, body: { allows: {} } })).toMatchObject({
        status: 404,
      })
      expect(await api.call(deleteRole, { params: { name }, headers })).toMatchObject({ status: 404 })
    },
  )
})

describe('a changed role', () => {
  it('changing a role replaces the given fields and keeps the rest', async () => {
    const { api, headers, stored } = await setUp(aRole({ name: 'operator', parent: 'user' }))
    const put = (body: unknown) => api.call(updateRole, { params: { name: 'operator' }, body, headers })

    expect(await put({ allows: { cdr: ['r'] } })).toMatchObject({ status: 200 })
    expect(await stored('operator')).toMatchObject({ allows: { cdr: ['r'] }, parent: 'user', version: 2 })
    expect(await put({ parents: [] })).toMatchObject({ status: 200 })
    expect(await stored('operator')).toMatchObject({ allows: { cdr: ['r'] }, parent: null, version: 3 })
  })

  it('a changed role applies to the very next request of its users', async () => {
    const { api, headers } = await setUp(aRole({ name: 'operator' }))
    const token = { ...(await api.as(await api.account({ login: '1001', role: 'operator' }))) }
    const list = () => api.call(listHooks, { headers: token })

    expect((await list()).status).toBe(200)
    await api.call(updateRole, { params: { name: 'operator' }, body: { allows: {} }, headers })
    expect((await list()).status).toBe(403)
  })

  it('a changed role applies to the users of its child roles, too', async () => {
    const { api, headers } = await setUp(aRole({ name: 'base' }), aRole({ name: 'child', parent: 'base', allows: {} }))
    const token = { ...(await api.as(await api.account({ login: '1001', role: 'child' }))) }

    expect(await api.call(listHooks, { headers: token })).toMatchObject({ status: 200 })
    await api.call(updateRole, { params: { name: 'base' }, body: { allows: {} }, headers })
    expect(await api.call(listHooks, { headers: token })).toMatchObject({ status: 403 })
  })

  it.each([
    ['operator', {}, 400, 'bad_request'],
    ['operator', { allows: { nothing: ['r'] } }, 400, 'invalid_field'],
    ['operator', { parents: 'operator' }, 400, 'invalid_field'],
    ['base', { parents: 'operator' }, 400, 'invalid_field'],
    ['operator', { allows: { license: ['r'] } }, 403, 'permission_denied'],
    ['mighty', { allows: {} }, 403, 'permission_denied'],
    ['admin', { allows: {} }, 403, 'permission_denied'],
    ['root', { allows: {} }, 403, 'permission_denied'],
    ['user', { parents: [] }, 403, 'permission_denied'],
  ])('a change of the role %s by %j is refused with %i %s, and the role stays', async (name, body, status, code) => {
    const { api, headers } = await setUp(
      aRole({ name: 'operator', parent: 'base' }),
      aRole({ name: 'base' }),
      aRole({ name: 'mighty', allows: { license: ['*'] } }),
    )
    const before = await api.ports.roles.read(domain)

    expect(await api.call(updateRole, { params: { name }, body, headers })).toMatchObject({ status, body: { code } })
    expect(await api.ports.roles.read(domain)).toEqual(before)
  })

  it("a change of parents never closes a cycle, also when two roles become each other's parents at once", async () => {
    const { api, headers, stored } = await setUp(aRole({ name: 'one' }), aRole({ name: 'two' }))

    const answers = await Promise.all([
      api.call(updateRole, { params: { name: 'one' }, body: { parents: 'two' }, headers }),
      api.call(updateRole, { params: { name: 'two' }, body: { parents: 'one' }, headers }),
    ])

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
    expect([(await stored('one'))?.parent, (await stored('two'))?.parent]).toContain(null)
  })

  it('a change of a role respects If-Match', async () => {
    const { api, headers, stored } = await setUp(aRole({ name: 'operator' }))
    const { headers: read } = await api.call(readRole, { params: { name: 'operator' }, headers })
    const put = (tag = '') =>
      api.call(updateRole, {
        params: { name: 'operator' },
        body: { allows: {} },
        headers: { ...headers, 'if-match': tag },
      })

    expect((await put(read['ETag'])).status).toBe(200)
    expect((await put(read['ETag'])).status).toBe(412)
    expect(await stored('operator')).toMatchObject({ version: 2 })
  })
})

describe('the tag of a role', () => {
  const family = () => [
    aRole({ name: 'child', parent: 'middle' }),
    aRole({ name: 'middle', parent: 'base', version: 4 }),
    aRole({ name: 'base', parent: 'user' }),
    aRole({ name: 'cousin', version: 3 }),
  ]

  async function setUpFamily() {
    const { api, headers } = await setUp(...family())
    const tag = async (name = 'child') =>
      (await api.call(readRole, { params: { name }, headers })).headers['ETag'] ?? ''
    const put = (name: string, body: object, ifMatch = '*') =>
      api.call(updateRole, { params: { name }, body, headers: { ...headers, 'if-match': ifMatch } })
    const remove = (name: string, ifMatch: string) =>
      api.call(deleteRole, { params: { name }, headers: { ...headers, 'if-match': ifMatch } })
    return { tag, put, remove }
  }

  it.each(['middle', 'base'])(
    'the tag of a role changes when only its parent %s changes, since it shows what that allows',
    async (name) => {
      const { tag, put } = await setUpFamily()
      const [before, ofCousin] = [await tag(), await tag('cousin')]

      await put(name, { allows: { cdr: ['r'] } })

      expect(await tag()).not.toBe(before)
      expect(await tag('cousin')).toBe(ofCousin)
      expect(await tag()).toBe(await tag())
    },
  )

  it('the tag of a role changes when a parent gets another parent, even if the sums of both versions are equal', async () => {
    const { tag, put } = await setUpFamily()
    await put('base', { allows: {} })
    await put('base', { allows: {} })
    await put('base', { allows: {} })
    const before = await tag()

    await put('middle', { parents: 'cousin' })

    expect(await tag()).not.toBe(before)
  })

  it("a tag from before a change of the role's parent is refused by a change and by a removal", async () => {
    const { tag, put, remove } = await setUpFamily()
    const before = await tag()
    await put('base', { allows: {} })

    expect(await put('child', { allows: {} }, before)).toMatchObject({ status: 412 })
    expect(await remove('child', before)).toMatchObject({ status: 412 })
    expect(await put('child', { allows: {} }, await tag())).toMatchObject({ status: 200 })
    expect(await remove('child', await tag())).toMatchObject({ status: 200 })
  })
})

describe('a deleted role', () => {
  it('a deleted role no longer exists', async () => {
    const { api, headers, stored } = await setUp(aRole({ name: 'operator' }))

    expect(await api.call(deleteRole, { params: { name: 'operator' }, headers })).toMatchObject({ status: 200 })
    expect(await stored('operator')).toBeUndefined()
  })

  it.each(['an account', 'a token', 'another role'])('deleting a role is refused while %s has it', async (user) => {
    const { api, headers, stored } = await setUp(aRole({ name: 'operator' }))
    if (user === 'an account') await api.account({ login: '1001', role: 'operator' })
    if (user === 'a token') await api.ports.domainTokens.create(aDomainToken({ role: 'operator' }), 100)
    if (user === 'another role') {
      await api.call(createRole, { body: { roles: 'child', parents: 'operator' }, headers })
    }

    expect(await api.call(deleteRole, { params: { name: 'operator' }, headers })).toMatchObject({
      status: 409,
      body: { code: 'conflict', info: expect.stringContaining(user) },
    })
    expect(await stored('operator')).toBeDefined()
  })

  it('deleting a role is not refused because of an account of another domain', async () => {
    const { api, headers } = await setUp(aRole({ name: 'operator' }))
    await api.account({ domain: other, login: '1001', role: 'operator' })

    expect(await api.call(deleteRole, { params: { name: 'operator' }, headers })).toMatchObject({ status: 200 })
  })

  it.each([
    ['mighty', 403],
    ['admin', 403],
    ['root', 403],
    ['user', 403],
  ])('%s is refused with %i', async (name, status) => {
    const { api, headers } = await setUp(aRole({ name: 'mighty', allows: { license: ['*'] } }))

    expect(await api.call(deleteRole, { params: { name }, headers })).toMatchObject({ status })
  })
})

describe('an account with a role that its domain made', () => {
  const account = { login: '1001', password: 's3cr3t-account', role: 'operator' }

  it('an account with a custom role is created, learns its permissions at login, and is limited to them', async () => {
    const { api, headers } = await setUp(aRole({ name: 'operator' }))

    expect(await api.call(createAccount, { body: account, headers })).toMatchObject({
      status: 200,
      body: { data: { variable_account_role: 'operator', 'svc-admin': 'false' } },
    })
    const login = await api.call(logIn, { body: { username: `1001@${domain}`, password: 's3cr3t-account' } })
    expect(login.body).toMatchObject({ role: -1, roleName: 'operator', acl: { hook: ['r'] } })
  })

  it.each([
    ['nobody', 400],
    ['root', 400],
    ['mighty', 403],
  ])('%s is refused with %i to a new and to an existing account', async (role, status) => {
    const { api, headers } = await setUp(aRole({ name: 'mighty', allows: { license: ['r'] } }))
    await api.account({ login: '1002' })

    expect(await api.call(createAccount, { body: { ...account, role }, headers })).toMatchObject({ status })
    expect(await api.call(updateAccount, { params: { account_id: '1002' }, body: { role }, headers })).toMatchObject({
      status,
    })
    expect(await api.ports.accounts.read(domain, '1002')).toMatchObject({ role: 'user', version: 1 })
  })

  it('a custom role of another domain does not exist in this one', async () => {
    const { api, headers } = await setUp()

    expect(await api.call(createAccount, { body: account, headers })).toMatchObject({ status: 400 })
  })

  it('an account with a custom role above the caller is neither changed nor deleted', async () => {
    const { api, headers } = await setUp(aRole({ name: 'mighty', allows: { license: ['r'] } }))
    await api.account({ login: '1002', role: 'mighty' })
    const params = { account_id: '1002' }

    expect(await api.call(updateAccount, { params, body: { password: 's3cr3t-new' }, headers })).toMatchObject({
      status: 403,
    })
    expect(await api.call(deleteAccount, { params, headers })).toMatchObject({ status: 403 })
  })

  it('the tokens of an account end when it gets another custom role', async () => {
    const { api, headers } = await setUp(aRole({ name: 'operator' }))
    const token = { ...(await api.as(await api.account({ login: '1001', role: 'operator' }))) }

    await api.call(updateAccount, { params: { account_id: '1001' }, body: { role: 'user' }, headers })

    expect(await api.call(listHooks, { headers: token })).toMatchObject({ status: 401 })
  })

  it('an account whose custom role was removed nevertheless has no permissions', async () => {
    const { api } = await setUp(aRole({ name: 'operator' }))
    const token = { ...(await api.as(await api.account({ login: '1001', role: 'operator' }))) }
    await api.ports.roles.write({ domain, roles: [], version: 2 })

    expect(await api.call(listHooks, { headers: token })).toMatchObject({ status: 403 })
    expect(await api.call(logIn, { body: { username: `1001@${domain}`, password: passwordOf('1001') } })).toMatchObject(
      {
        status: 200,
        body: { acl: {} },
      },
    )
  })
})
