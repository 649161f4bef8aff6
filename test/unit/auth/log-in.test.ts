import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { handler as logIn } from '../../../functions/auth/log-in.ts'
import { handler as readAccount } from '../../../functions/accounts/read-account.ts'
import { type Api, anApi, passwordOf } from '../../support/platform/api.ts'
import { gone } from '../../support/stores/flaky.ts'

const right = { username: '1000@a.example.com', password: passwordOf('1000') }
const wrong = { ...right, password: 's3cr3t-wrong' }

const log = (api: Api, body: unknown, sourceAddress?: string) =>
  api.call(logIn, { body, ...(sourceAddress === undefined ? {} : { sourceAddress }) })

async function anApiWithAccount(given = {}) {
  const api = anApi()
  await api.account(given)
  return api
}

describe('a login', () => {
  it('a login returns a token that opens the other endpoints', async () => {
    const api = await anApiWithAccount({ role: 'admin' })

    const { status, body } = await log(api, { ...right, username: '1000@A.Example.com' })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      username: '1000@a.example.com',
      role: 1,
      roleName: 'admin',
      acl: { account: ['*'], domain: ['ro', 'uo'] },
      expires: api.clock.now() + 7 * 86_400_000,
      cdr: { host: 'https://api.test', useProxy: 'true' },
    })
    const headers = { 'x-access-token': body.token, 'x-key': body.key }
    const read = await api.call(readAccount, { params: { account_id: '1000' }, headers })
    expect(read.status).toBe(200)
  })

  it('a login as root requires the password of the deployment', async () => {
    const api = anApi()

    const given = await log(api, { username: 'root', password: api.ports.secrets.root })
    const refused = await log(api, { username: 'root', password: 's3cr3t-wrong' })

    expect(given).toMatchObject({ status: 200, body: { username: 'root', role: 2, roleName: 'root' } })
    expect(given.body.acl.license).toEqual(['*'])
    expect(refused).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } })
  })

  it.each(['root@', 'ROOT', 'root@a.example.com'])(
    'a login as root under the name %s gives no token',
    async (username) => {
      const api = await anApiWithAccount()

      const { status } = await log(api, { username, password: api.ports.secrets.root })

      expect([400, 404]).toContain(status)
      expect(api.ports.state.tokens.size).toBe(0)
    },
  )

  it('a login as root is refused while the deployment has no password', async () => {
    const api = anApi()
    api.ports.secrets.root = ''

    expect(await log(api, { username: 'root', password: '' })).toMatchObject({ status: 401 })
  })

  it.each([
    ['nothing', {}, 400, 'missing_field', 'User name is required'],
    ['an empty name', { username: '', password: 'x' }, 400, 'missing_field', 'User name is required'],
    ['a name of no domain', { username: '1000', password: 'x' }, 400, 'invalid_field', expect.stringContaining('user')],
    ['no account', { username: '9999@a.example.com', password: 'x' }, 404, 'not_found', 'User not found'],
    ['no domain', { ...right, username: '1000@b.example.com' }, 404, 'not_found', 'User not found'],
    ['a wrong password', wrong, 401, 'invalid_credentials', expect.any(String)],
    ['no password', { username: right.username }, 401, 'invalid_credentials', expect.any(String)],
    ['an empty password', { ...right, password: '' }, 401, 'invalid_credentials', expect.any(String)],
  ])('a login with %s is refused', async (_, body, status, code, info) => {
    const api = await anApiWithAccount()

    expect(await log(api, body)).toMatchObject({ status, body: { code, info } })
    expect(api.ports.state.tokens.size).toBe(0)
  })

  it('a login without a body says that the user name is missing', async () => {
    expect(await anApi().call(logIn)).toMatchObject({ status: 400, body: { info: 'User name is required' } })
  })

  it.each(['1000@a.example.com', '9999@a.example.com', '1000@b.example.com', 'root', '@', 'ü@a.example.com'])(
    'a login of %s costs one password hash, whether or not there is such a user',
    async (username) => {
      const api = await anApiWithAccount()
      const verify = vi.spyOn(api.ports.passwords, 'verify')

      await log(api, { username, password: 's3cr3t-wrong' })

      expect(verify).toHaveBeenCalledOnce()
    },
  )

  it.each(['1000@a.example.com', '9999@a.example.com', 'root'])(
    'a login of %s without a password costs one password hash, too',
    async (username) => {
      const api = await anApiWithAccount()
      const verify = vi.spyOn(api.ports.passwords, 'verify')

      await log(api, { username })

      expect(verify).toHaveBeenCalledOnce()
    },
  )

  it('a login leaves at most fifty tokens of a user and removes the oldest', async () => {
    const api = await anApiWithAccount()
    const first = await log(api, right)
    for (let count = 0; count < 50; count += 1) {
      api.clock.move(1000)
      await log(api, right)
    }

    const headers = { 'x-access-token': first.body.token, 'x-key': first.body.key }
    expect(api.ports.state.tokens.size).toBe(50)
    expect(await api.call(readAccount, { params: { account_id: '1000' }, headers })).toMatchObject({ status: 401 })
  })

  it('a login stores a digest and nothing of the token itself', async () => {
    const api = await anApiWithAccount()

    const { body } = await log(api, right)
    const [kept] = api.ports.state.tokens.values()

    expect(kept?.digest).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(kept)).not.toContain(body.token.split('.')[2])
  })
})

describe('the throttle', () => {
  it('the login throttle refuses a username after ten failures, including the right password, until the window has passed', async () => {
    const api = await anApiWithAccount()
    for (let count = 0; count < 10; count += 1) expect(await log(api, wrong)).toMatchObject({ status: 401 })
    api.clock.move(60_000)

    const refused = await log(api, right)
    api.clock.move(14 * 60_000 + 1)
    const admitted = await log(api, right)

    expect(refused).toMatchObject({ status: 429, body: { code: 'locked_out' }, headers: { 'Retry-After': '840' } })
    expect(admitted.status).toBe(200)
  })

  it('the login throttle does not count refused attempts, so that repeating them cannot keep a user locked out', async () => {
    const api = await anApiWithAccount()
    for (let count = 0; count < 10; count += 1) await log(api, wrong)
    api.clock.move(14 * 60_000)
    for (let count = 0; count < 20; count += 1) expect(await log(api, wrong)).toMatchObject({ status: 429 })
    api.clock.move(60_001)

    expect(await log(api, right)).toMatchObject({ status: 200 })
  })

  it('the login throttle answers an unknown user like a known one', async () => {
    const api = await anApiWithAccount()
    const tenTimes = async (username: string) => {
      for (let count = 0; count < 10; count += 1) await log(api, { username, password: 's3cr3t-wrong' })
      const { body, status, headers } = await log(api, { username, password: 's3cr3t-wrong' })
      return { status, retryAfter: headers['Retry-After'], ...body, requestId: '' }
    }

    expect(await tenTimes('1000@a.example.com')).toEqual(await tenTimes('9999@a.example.com'))
  })

  it('a successful login resets the failures of its user name, however its letters are written', async () => {
    const api = await anApiWithAccount({ login: 'alice' })
    const good = { username: 'alice@a.example.com', password: passwordOf('alice') }
    for (let count = 0; count < 9; count += 1)
      await log(api, { username: 'Alice@A.example.com', password: 's3cr3t-wrong' })

    expect(await log(api, good)).toMatchObject({ status: 200 })
    for (let count = 0; count < 9; count += 1) await log(api, { ...good, password: 's3cr3t-wrong' })
    expect(await log(api, good)).toMatchObject({ status: 200 })
  })

  it('the login throttle admits at most ten simultaneous wrong passwords', async () => {
    const api = await anApiWithAccount()

    const answers = await Promise.all(Array.from({ length: 40 }, () => log(api, wrong)))

    const tried = answers.filter(({ status }) => status === 401)
    expect(tried.length).toBeLessThanOrEqual(10)
    expect(answers.every(({ status }) => status === 401 || status === 429)).toBe(true)
  })

  it('the login throttle refuses none of many simultaneous right passwords', async () => {
    const api = await anApiWithAccount()

    const answers = await Promise.all(Array.from({ length: 40 }, () => log(api, right)))

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect([...api.ports.state.failures.values()].flat()).toEqual([])
  })

  it('the login throttle admits a right password while nine wrong ones are under way', async () => {
    const api = await anApiWithAccount()

    const answers = await Promise.all([...Array.from({ length: 9 }, () => log(api, wrong)), log(api, right)])

    expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 9 }, () => 401), 200])
  })

  it('the login throttle refuses an attempt at once when all the counted failures are final', async () => {
    const api = await anApiWithAccount()
    for (let count = 0; count < 10; count += 1) await log(api, wrong)
    const pause = vi.spyOn(api.ports.loginThrottle, 'pause')

    expect(await log(api, right)).toMatchObject({ status: 429 })

    expect(pause).not.toHaveBeenCalled()
  })

  it('the login throttle waits five seconds, and no longer, for attempts under way that never end', async () => {
    const api = await anApiWithAccount()
    for (let count = 0; count < 10; count += 1) {
      const room = { limit: 10, since: 0 }
      await api.ports.loginThrottle.begin(`198.51.100.0/24 user ${right.username}`, room, api.clock.now())
    }
    const pause = vi.spyOn(api.ports.loginThrottle, 'pause')

    expect(await log(api, right)).toMatchObject({ status: 429, headers: { 'Retry-After': '900' } })

    const waited = pause.mock.calls.reduce((sum, [ms]) => sum + ms, 0)
    expect(waited).toBeGreaterThanOrEqual(4000)
    expect(waited).toBeLessThanOrEqual(5400)
  })

  it('the login throttle does not count an attempt that an outage interrupted', async () => {
    const api = await anApiWithAccount()
    let isGone = true
    const flaky = api.with({ accounts: gone(api.ports.accounts, 'read', () => isGone) })
    for (let count = 0; count < 20; count += 1) expect(await log(flaky, wrong)).toMatchObject({ status: 503 })
    isGone = false

    expect(await log(flaky, right)).toMatchObject({ status: 200 })
  })

  it('the login throttle refuses a source network after fifty failures of many users, and no other network', async () => {
    const api = await anApiWithAccount()
    const from = '203.0.113.9'
    for (let count = 0; count < 50; count += 1) {
      await log(api, { username: `user${count}@a.example.com`, password: 's3cr3t-wrong' }, from)
    }

    expect(await log(api, right, from)).toMatchObject({ status: 429, body: { code: 'locked_out' } })
    expect(await log(api, right, '203.0.113.10')).toMatchObject({ status: 429 })
    expect(await log(api, right, '203.0.114.10')).toMatchObject({ status: 200 })
  })

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', 429],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2:3:4:5:6', 429],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', 200],
    ['2001:db8::1', '2001:db8:0:0:1::', 429],
    ['::ffff:203.0.113.9', '203.0.113.9', 429],
    ['::ffff:cb00:7109', '203.0.113.10', 429],
    ['::ffff:203.0.113.9', '::ffff:203.0.114.10', 200],
  ])('after fifty failures from %s a login from %s is answered with %i', async (from, other, status) => {
    const api = await anApiWithAccount()
    for (let count = 0; count < 50; count += 1) {
      await log(api, { username: `user${count}@a.example.com`, password: 's3cr3t-wrong' }, from)
    }

    expect(await log(api, right, other)).toMatchObject({ status })
  })

  it('the login throttle does not count a successful login against its network', async () => {
    const api = await anApiWithAccount()
    for (let count = 0; count < 60; count += 1) expect(await log(api, right)).toMatchObject({ status: 200 })
  })
})

describe('a login body of the bad inputs', () => {
  const samples: Record<string, string[]> = JSON.parse(
    readFileSync(new URL('../../fixtures/bad-inputs/credentials.json', import.meta.url), 'utf8'),
  )

  it.each((samples['login bodies'] ?? []).filter((text) => !text.includes('<right>')))(
    '%s gives no token and leaves the counter of other users alone',
    async (rawBody) => {
      const api = anApi()
      await api.account({ domain: 'acme.example.com' })

      const answer = await api.call(logIn, { rawBody })

      expect([400, 401, 404]).toContain(answer.status)
      expect(api.ports.state.tokens.size).toBe(0)
      const counted = [...api.ports.state.failures.keys()]
      expect(counted.filter((key) => key.endsWith('user admin@acme.example.com'))).toEqual([])
    },
  )

  it("a login body with a role and permissions gives the account's own role and permissions", async () => {
    const api = await anApiWithAccount()

    const { body } = await log(api, { ...right, role: 99, acl: { '*': ['*'] } })

    expect(body).toMatchObject({ role: 0, roleName: 'user' })
    expect(body.acl).not.toHaveProperty(['*'])
  })
})

describe('the trail', () => {
  it('the audit trail has a failed login with the attempted name, and no password', async () => {
    const api = await anApiWithAccount()

    await log(api, { ...right, password: 's3cr3t-password' })

    expect(api.ports.state.audit).toEqual([
      expect.objectContaining({
        caller: '1000@a.example.com',
        domain: 'a.example.com',
        status: 401,
        path: '/login',
        fields: ['password', 'username'],
      }),
    ])
    expect(JSON.stringify([api.ports.state.audit, api.log.lines])).not.toContain('s3cr3t-password')
  })

  it('the audit trail has no line for throttled logins, so that it cannot be flooded', async () => {
    const api = await anApiWithAccount()
    for (let count = 0; count < 30; count += 1) await log(api, wrong)
    await log(api, {})

    expect(api.ports.state.audit).toHaveLength(10)
  })
})
