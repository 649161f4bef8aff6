import { describe, expect, it } from 'vitest'
import { oneTimeCodes } from '../../../adapters/otp/one-time-codes.ts'
import { handler as createAccount } from '../../../functions/accounts/create-account.ts'
import { handler as endAccountTotp } from '../../../functions/accounts/end-account-totp.ts'
import { handler as readAccount } from '../../../functions/accounts/read-account.ts'
import { handler as updateAccount } from '../../../functions/accounts/update-account.ts'
import { handler as beginTotp } from '../../../functions/auth/begin-totp.ts'
import { handler as confirmTotp } from '../../../functions/auth/confirm-totp.ts'
import { handler as endTotp } from '../../../functions/auth/end-totp.ts'
import { handler as logIn } from '../../../functions/auth/log-in.ts'
import { handler as whoAmI } from '../../../functions/auth/who-am-i.ts'
import type { Account } from '../../../core/accounts/account.ts'
import { anApi, passwordOf } from '../../support/platform/api.ts'
import { aRole } from '../../support/records/records.ts'
import { codeAt } from '../../support/records/totp.ts'

const stepMs = 30_000
const domain = 'a.example.com'

/** A user and an admin of one domain. */
async function setUp() {
  const api = anApi()
  const user = await api.account({ login: 'Ann' })
  const headers = { ...(await api.as(user)) }
  const admin = { ...(await api.as(await api.account({ login: 'admin', role: 'admin' }))) }
  const enter = (code?: string, password = passwordOf('Ann')) =>
    api.call(logIn, { body: { username: `ann@${domain}`, password, ...(code === undefined ? {} : { code }) } })
  const begin = async () => String((await api.call(beginTotp, { headers })).body.info.secret)
  const now = (secret: string, steps = 0) => codeAt(secret, api.clock.now() + steps * stepMs)
  const confirm = (code: string) => api.call(confirmTotp, { headers, body: { code } })
  const end = (code: string) => api.call(endTotp, { headers, body: { code } })
  const stored = async () => (await api.ports.accounts.read(domain, 'ann'))?.secondFactor
  return { api, user, headers, admin, enter, begin, now, confirm, end, stored }
}

/** The same, with the second factor switched on; the clock stands at a step whose code was not used yet. */
async function withFactor() {
  const given = await setUp()
  const secret = await given.begin()
  await given.confirm(given.now(secret))
  given.api.clock.move(stepMs)
  return { ...given, secret }
}

describe('one-time codes', () => {
  it('one-time codes are those of RFC 6238', () => {
    const secret = new TextEncoder().encode('12345678901234567890')

    // Appendix B, SHA-1, the last six of eight digits.
    expect(oneTimeCodes.stepOf(secret, '287082', 59_000)).toBe(1)
    expect(oneTimeCodes.stepOf(secret, '081804', 1_111_111_109_000)).toBe(37_037_036)
    expect(oneTimeCodes.stepOf(secret, '279037', 2_000_000_000_000)).toBe(66_666_666)
  })

  it('one-time codes are accepted one step early or late, and the matching step is returned', async () => {
    const { api } = await setUp()
    const secret = new Uint8Array(20).fill(7)
    const { secret: typed } = oneTimeCodes.show(secret, 'ann@a.example.com')
    const now = api.clock.now()

    const steps = [-2, -1, 0, 1, 2].map((away) => oneTimeCodes.stepOf(secret, codeAt(typed, now + away * stepMs), now))

    const step = Math.floor(now / stepMs)
    expect(steps).toEqual([undefined, step - 1, step, step + 1, undefined])
  })
})

describe('a second factor', () => {
  it('a second factor begins with a secret that is shown once and stored encrypted', async () => {
    const { api, headers, stored } = await setUp()

    const { body } = await api.call(beginTotp, { headers })

    expect(body.info.secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(body.info.uri).toMatch(/^otpauth:\/\/totp\/Callplane:/)
    expect(new URL(body.info.uri).searchParams.get('secret')).toBe(body.info.secret)
    expect(decodeURIComponent(body.info.uri)).toContain(`Ann@${domain}`)
    expect(await stored()).toMatchObject({ isOn: false, usedStep: 0 })
    expect(JSON.stringify([...api.ports.state.accounts.values(), ...api.ports.state.audit])).not.toContain(
      body.info.secret,
    )
  })

  it('a second factor is not required for a login before it is confirmed', async () => {
    const { begin, enter } = await setUp()
    await begin()

    expect(await enter()).toMatchObject({ status: 200 })
  })

  it('a second factor is on after a code of its secret was confirmed', async () => {
    const { begin, now, confirm, stored, enter } = await setUp()
    const secret = await begin()

    expect(await confirm(now(secret))).toMatchObject({ status: 200, body: { status: 'OK' } })
    expect(await stored()).toMatchObject({ isOn: true })
    expect((await enter()).status).toBe(401)
  })

  it('a second factor that is begun again has a new secret, and the old one is invalid', async () => {
    const { begin, now, confirm } = await setUp()
    const [first, second] = [await begin(), await begin()]

    expect(first).not.toBe(second)
    expect(await confirm(now(first))).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
    expect(await confirm(now(second))).toMatchObject({ status: 200 })
  })

  it.each([
    [{}, 'missing_field'],
    [{ code: '' }, 'invalid_field'],
    [{ code: '12345' }, 'invalid_field'],
    [{ code: '1234567' }, 'invalid_field'],
    [{ code: 'abcdef' }, 'invalid_field'],
    [{ code: '１２３４５６' }, 'invalid_field'],
    [{ code: 123456 }, 'invalid_field'],
    [{ code: ['123456'] }, 'invalid_field'],
  ])('a second factor is neither confirmed nor ended by %j', async (body, code) => {
    const { api, headers, begin } = await setUp()
    await begin()

    expect(await api.call(confirmTotp, { headers, body })).toMatchObject({ status: 400, body: { code } })
    expect(await api.call(endTotp, { headers, body })).toMatchObject({ status: 400, body: { code } })
  })

  it('a second factor that is on cannot be begun or confirmed again', async () => {
    const { api, headers, now, confirm, secret } = await withFactor()

    expect(await api.call(beginTotp, { headers })).toMatchObject({ status: 409 })
    expect(await confirm(now(secret))).toMatchObject({ status: 409 })
  })

  it('a second factor that was never begun can be neither confirmed nor ended', async () => {
    const { confirm, end } = await setUp()

    expect(await confirm('123456')).toMatchObject({ status: 409 })
    expect(await end('123456')).toMatchObject({ status: 404 })
  })

  it('a second factor is ended by a code, and a login then requires none', async () => {
    const { now, end, secret, stored, enter } = await withFactor()

    expect(await end(now(secret))).toMatchObject({ status: 200 })
    expect(await stored()).toBeUndefined()
    expect(await enter()).toMatchObject({ status: 200 })
  })

  it('a second factor is not ended by a code that was used to confirm it or to log in', async () => {
    const { api, now, end, secret, enter } = await withFactor()
    api.clock.move(-stepMs)
    expect(await end(now(secret))).toMatchObject({ status: 400 })
    api.clock.move(stepMs)

    await enter(now(secret))

    expect(await end(now(secret))).toMatchObject({ status: 400 })
  })

  it('a second factor cannot be guessed with a stolen token: after ten tries the right code is refused too', async () => {
    const { api, now, end, secret, enter } = await withFactor()
    const wrong = now(secret) === '000000' ? '111111' : '000000'
    for (let count = 0; count < 10; count += 1) expect((await end(wrong)).status).toBe(400)

    expect(await end(now(secret))).toMatchObject({ status: 429, body: { code: 'locked_out' } })
    // Logins of the user are not locked with it.
    expect(await enter(now(secret))).toMatchObject({ status: 200 })
    api.clock.move(16 * 60_000)
    expect(await end(now(secret))).toMatchObject({ status: 200 })
  })

  it('root, which has no account, cannot have a second factor', async () => {
    const { api } = await setUp()

    expect(await api.call(beginTotp, { headers: { ...(await api.as('root')) } })).toMatchObject({ status: 400 })
  })

  it('a second factor stays when password or role change', async () => {
    const { api, admin, enter, now, secret } = await withFactor()
    const params = { account_id: 'Ann' }

    await api.call(updateAccount, { params, headers: admin, body: { password: 's3cr3t-another', role: 'admin' } })

    expect(await enter(undefined, 's3cr3t-another')).toMatchObject({
      status: 401,
      body: { details: [{ field: 'code' }] },
    })
    expect(await enter(now(secret), 's3cr3t-another')).toMatchObject({ status: 200 })
  })

  it('the secret of a second factor is never shown in an account', async () => {
    const { api, admin } = await withFactor()

    const { text } = await api.call(readAccount, { params: { account_id: 'Ann' }, headers: admin })

    expect(text).not.toMatch(/secondFactor|sealed|totp/i)
  })

  it('the second factor of a deleted account does not belong to a new account of the same name', async () => {
    const { api, user, admin, enter } = await withFactor()
    await api.ports.accounts.remove(user)

    await api.call(createAccount, { headers: admin, body: { login: 'ann', password: 's3cr3t-new', role: 'user' } })

    expect(await enter(undefined, 's3cr3t-new')).toMatchObject({ status: 200 })
  })
})

describe('a login with a second factor', () => {
  it('a login with a second factor requires a code after the right password, and not before', async () => {
    const { enter } = await withFactor()

    expect(await enter()).toMatchObject({
      status: 401,
      body: { code: 'invalid_credentials', details: [{ field: 'code', problem: 'required' }] },
    })
    expect(await enter('')).toMatchObject({ status: 401, body: { details: [{ field: 'code', problem: 'required' }] } })
    const wrong = await enter('123456', 'wrong')
    expect(wrong).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } })
    expect(wrong.body).not.toHaveProperty('details')
  })

  it.each([-1, 0, 1])('a login with a second factor accepts the code of a step %i away', async (away) => {
    const { api, enter, now, secret } = await withFactor()
    api.clock.move(stepMs)

    expect(await enter(now(secret, away))).toMatchObject({ status: 200 })
  })

  it.each(['000000x', 'secret', '12 345', '1'.repeat(1000), '-12345'])(
    'a login with a second factor does not accept %j',
    async (code) => {
      const { api, enter } = await withFactor()

      expect(await enter(code)).toMatchObject({ status: 401, body: { details: [{ field: 'code' }] } })
      expect(api.ports.state.tokens.size).toBe(2)
    },
  )

  it('a login with a second factor accepts a code once, even if many send it at the same moment', async () => {
    const { enter, now, secret } = await withFactor()
    const code = now(secret)

    const answers = await Promise.all(Array.from({ length: 6 }, () => enter(code)))

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401, 401, 401])
    expect(await enter(code)).toMatchObject({ status: 401 })
  })

  it('a login with a second factor accepts no code of an earlier step than a used one', async () => {
    const { enter, now, secret } = await withFactor()

    expect(await enter(now(secret, 1))).toMatchObject({ status: 200 })
    expect(await enter(now(secret))).toMatchObject({ status: 401 })
  })

  it('a login with a second factor does not accept the code that confirmed the second factor', async () => {
    const { api, enter, now, secret } = await withFactor()
    api.clock.move(-stepMs)

    expect(await enter(now(secret))).toMatchObject({ status: 401 })
  })

  it('a login with a wrong one-time code counts as a failed login', async () => {
    const { enter, now, secret } = await withFactor()
    const wrong = now(secret) === '000000' ? '111111' : '000000'
    for (let count = 0; count < 10; count += 1) expect((await enter(wrong)).status).toBe(401)

    expect(await enter(now(secret))).toMatchObject({ status: 429, body: { code: 'locked_out' } })
  })

  it('a right password without a one-time code counts as no failed login, however often', async () => {
    const { api, enter, now, secret } = await withFactor()
    await api.account({ login: 'bob' })
    for (let count = 0; count < 120; count += 1) expect((await enter()).status).toBe(401)

    expect(await enter(now(secret))).toMatchObject({ status: 200 })
    const neighbour = { username: `bob@${domain}`, password: passwordOf('bob') }
    expect(await api.call(logIn, { body: neighbour })).toMatchObject({ status: 200 })
    expect([...api.ports.state.failures.values()].flat()).toEqual([])
  })

  it('a wrong password with a one-time code counts as a failed login', async () => {
    const { enter, now, secret } = await withFactor()
    for (let count = 0; count < 10; count += 1) expect((await enter(now(secret), 's3cr3t-wrong')).status).toBe(401)

    expect(await enter(now(secret))).toMatchObject({ status: 429, body: { code: 'locked_out' } })
  })

  it('wrong one-time codes from ever new networks are bounded by the limit of the user', async () => {
    const { api, now, secret } = await withFactor()
    const code = now(secret) === '000000' ? '111111' : '000000'
    const attempt = (index: number) =>
      api.call(logIn, {
        body: { username: `ann@${domain}`, password: passwordOf('Ann'), code },
        sourceAddress: `10.1.${index}.1`,
      })
    for (let count = 0; count < 100; count += 1) expect((await attempt(count)).status).toBe(401)

    expect(await attempt(100)).toMatchObject({ status: 429, body: { code: 'locked_out' } })
  })

  it('a login to an account without a second factor ignores the code', async () => {
    const { enter } = await setUp()

    expect(await enter('whatever')).toMatchObject({ status: 200 })
  })
})

describe('the second factor of another account', () => {
  const take = (given: Awaited<ReturnType<typeof withFactor>>, headers: Record<string, string>, login = 'Ann') =>
    given.api.call(endAccountTotp, { params: { account_id: login }, headers })

  it('an admin can remove the second factor of another account', async () => {
    const given = await withFactor()

    expect(await take(given, given.admin)).toMatchObject({ status: 200 })
    expect(await given.enter()).toMatchObject({ status: 200 })
    expect(await take(given, given.admin)).toMatchObject({ status: 404 })
  })

  it('a user can remove neither the own nor another second factor through the account', async () => {
    const given = await withFactor()

    expect(await take(given, given.headers)).toMatchObject({ status: 403 })
    expect(await take(given, given.headers, 'admin')).toMatchObject({ status: 403 })
    expect(await given.stored()).toMatchObject({ isOn: true })
  })

  it('an admin cannot remove the own second factor without a code', async () => {
    const given = await withFactor()

    expect(await take(given, given.admin, 'Admin')).toMatchObject({ status: 400, body: { code: 'bad_request' } })
  })

  it('the second factor of an account above the caller stays', async () => {
    const given = await withFactor()
    const roles = [aRole({ name: 'mighty', allows: { license: ['r'] } })]
    await given.api.ports.roles.write({ domain, roles, version: 1 })
    const secondFactor = { sealed: 'AA==', isOn: true, usedStep: 0 }
    await given.api.account({ login: 'mighty', role: 'mighty', secondFactor } satisfies Partial<Account>)

    expect(await take(given, given.admin, 'mighty')).toMatchObject({ status: 403 })
  })

  it.each(['absent', '../Ann', 'Ann@a.example.com'])(
    'an account %s has no second factor to be taken away',
    async (login) => {
      const given = await withFactor()

      expect(await take(given, given.admin, login)).toMatchObject({ status: 404 })
    },
  )
})

describe('a caller that asks for its own description', () => {
  it("the caller's own description has identity, role, permissions and the end of the token", async () => {
    const { api, headers } = await setUp()

    const { status, body } = await api.call(whoAmI, { headers })

    expect(status).toBe(200)
    expect(body).toEqual({
      id: `Ann@${domain}`,
      domain,
      role: 0,
      roleName: 'user',
      acl: expect.objectContaining({ account: ['r', 'uo'] }),
      expires: api.clock.now() + 3_600_000,
      cdr: { host: 'https://api.test', useProxy: 'true' },
    })
  })

  it('the description of root has no domain', async () => {
    const { api } = await setUp()

    expect((await api.call(whoAmI, { headers: { ...(await api.as('root')) } })).body).toMatchObject({
      id: 'root',
      domain: '',
      role: 2,
      roleName: 'root',
      acl: { license: ['*'] },
    })
  })

  it("the caller's own description requires a token", async () => {
    expect(await anApi().call(whoAmI)).toMatchObject({ status: 401 })
  })
})
