import * as z from 'zod/mini'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { whoAmI, logIn } from '../../contracts/routes/auth.ts'
import { originateCall } from '../../contracts/routes/channels.ts'
import type { Route } from '../../contracts/routes/route.ts'
import { type TestPlatform, aPlatform, tenantPassword } from '../support/platform/platform.ts'

const domain = 'limited.example.com'

/** Refilled once an hour, so that the time a test takes frees nothing: the burst is what may pass. */
const rates = 'token=1/h:40,domain=1/h:400,call=1/h:2,login=1/h:12'

let platform: TestPlatform

beforeAll(async () => {
  platform = await aPlatform({ RATE_LIMITS: rates })
  await platform.tenant(domain)
})

afterAll(() => platform.close())

/** The answer to one request; the clients of the demo would throw on a refusal. */
async function send({ method, path }: Route, headers: Record<string, string>, body?: object) {
  const answer = await fetch(new URL(path, platform.url), {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { code } = z.parse(z.looseObject({ code: z.optional(z.string()) }), await answer.json())
  return { status: answer.status, code }
}

const credential = z.object({ key: z.string(), token: z.string() })

/**
 * The headers of a new token of a user; on a machine so busy that the login is not counted in time, at the third try.
 */
async function aToken(login: string) {
  const body = { username: `${login}@${domain}`, password: tenantPassword(login) }
  for (let tries = 0; tries < 3; tries += 1) {
    const answer = await fetch(new URL(logIn.path, platform.url), {
      method: logIn.method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const given = z.safeParse(credential, await answer.json())
    if (given.success) return { 'x-key': given.data.key, 'x-access-token': given.data.token }
  }
  throw new Error(`no login of ${login} was let in`)
}

const many = <T>(count: number, send: () => Promise<T>) => Promise.all(Array.from({ length: count }, send))

const passed = (answers: readonly { readonly status: number }[]) =>
  answers.filter(({ status }) => status !== 429).length

it('at most a quarter more than the burst of 40 pass out of 200 simultaneous requests of one token', async () => {
  const headers = await aToken('1000')

  const answers = await many(200, () => send(whoAmI, headers))

  expect(passed(answers)).toBeGreaterThanOrEqual(40)
  expect(passed(answers)).toBeLessThanOrEqual(50)
})

it('at most a quarter more than the burst of 40 pass out of 200 consecutive requests of one token', async () => {
  const headers = await aToken('1001')

  const answers = []
  for (let count = 0; count < 200; count += 1) answers.push(await send(whoAmI, headers))

  expect(passed(answers)).toBeGreaterThanOrEqual(40)
  expect(passed(answers)).toBeLessThanOrEqual(50)
})

it('a domain that may place two calls places no third one when fifteen are requested at the same time', async () => {
  const headers = await aToken('1002')
  const calls = { calledId: '9196' }

  const answers = await many(15, () => send(originateCall, headers, calls))

  // On a busy machine fewer: a call that is not counted in time is refused.
  expect(passed(answers)).toBeLessThanOrEqual(2)
})

it('no login of 36 simultaneous ones is checked if its source has no allowance left', async () => {
  const wrong = { username: `1002@${domain}`, password: 'wrong' }
  for (let count = 0; count < 12; count += 1) await send(logIn, {}, wrong)

  const answers = await many(36, () => send(logIn, {}, wrong))

  expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 'rate_limited'))
})
