import { describe, expect, it } from 'vitest'
import { type Acl, aclResources } from '../../../core/access/acl.ts'
import { decidePermission, exceeds, scopeOf } from '../../../core/access/permission.ts'
import { aclOfRole, numberOfRole } from '../../../core/access/roles.ts'

describe('the default roles', () => {
  it('the role root allows everything', () => {
    expect(aclOfRole('root')).toEqual(Object.fromEntries(aclResources.map((name) => [name, ['*']])))
  })

  it("the role user allows the contract's list and nothing more", () => {
    expect(aclOfRole('user')).toEqual({
      account: ['r', 'uo'],
      'acl/roles': ['r'],
      blacklist: ['c', 'r', 'u'],
      channels: ['co', 'ro', 'uo', 'do'],
      cdr: ['ro'],
      'cdr/files': ['ro'],
      'cc/tiers': ['r'],
    })
  })

  it('the role admin allows everything in its domain, reading and changing the domain itself, and nothing of the deployment', () => {
    const acl = aclOfRole('admin') ?? {}
    const full = Object.entries(acl)
      .filter(([, held]) => held.join() === '*')
      .map(([name]) => name)

    expect(full).toHaveLength(21)
    expect(acl).toMatchObject({ domain: ['ro', 'uo'], 'acl/roles': ['r'], account: ['*'], 'cc/tiers': ['*'] })
    for (const name of ['license', 'system/reload', 'gateway/profile', 'acl/resource'] as const) {
      expect(acl).not.toHaveProperty([name])
    }
  })

  it('the default roles have fixed numbers, and every other role has -1', () => {
    expect(['root', 'admin', 'user', 'operator'].map(numberOfRole)).toEqual([2, 1, 0, -1])
  })
})

describe('a permission', () => {
  it.each([
    [['*'], 'd', 'all'],
    [['r'], 'r', 'all'],
    [['ro'], 'r', 'own'],
    [['r', 'ro'], 'r', 'all'],
    [['c', 'u', 'd'], 'r', null],
    [undefined, 'r', null],
  ] as const)('map %j gives %s as %j', (held, action, scope) => {
    expect(scopeOf(held === undefined ? {} : { hook: held }, 'hook', action)).toBe(scope)
  })

  it("a permission for the caller's own things is not enough where all things are required", () => {
    const acl: Acl = { channels: ['co'] }

    expect(() => decidePermission(acl, { resource: 'channels', action: 'c' })).toThrow('Permission denied!')
    expect(decidePermission(acl, { resource: 'channels', action: 'c', own: true })).toBe('own')
  })

  it("a role's permission that its giver lacks is detected", () => {
    const [admin, user] = [aclOfRole('admin') ?? {}, aclOfRole('user') ?? {}]

    expect(exceeds(user, admin)).toBe(false)
    expect(exceeds(admin, admin)).toBe(false)
    expect(exceeds(admin, user)).toBe(true)
    expect(exceeds({ cdr: ['r'] }, { cdr: ['ro'] })).toBe(true)
    expect(exceeds({ cdr: ['*'] }, { cdr: ['c', 'r', 'u', 'd'] })).toBe(false)
    expect(exceeds({ cdr: ['*'] }, { cdr: ['c', 'r', 'u'] })).toBe(true)
    expect(exceeds({ cdr: ['ro'] }, {})).toBe(true)
  })
})
