import { expect, onTestFinished, test, vi } from 'vitest'
import type { CdrStore } from '../../../core/cdr/cdr-store.ts'
import { DomainError } from '../../../core/errors.ts'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { handler as searchCdrs } from '../../../functions/cdr/search-cdrs.ts'
import { aContext, type Api, anApi, gatewayEvent } from '../../support/platform/api.ts'
import { checkedHandler } from '../../support/platform/declared.ts'

/** A platform with a user's two logins, and a search store whose searches take until they are let go. */
async function setUp(rates = 'searching=2') {
  const api = anApi({ RATE_LIMITS: rates })
  const account = await api.account({ login: '1000', role: 'admin' })
  const [user, again] = [{ ...(await api.as(account)) }, { ...(await api.as(account)) }]
  const waiting: (() => void)[] = []
  const search: CdrStore['search'] = async (plan, limitMs) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return api.ports.cdrs.search(plan, limitMs)
  }
  const slow: Api = api.with({ cdrs: { ...api.ports.cdrs, search } })
  const find = (headers: Record<string, string>) => slow.call(searchCdrs, { headers, body: {} })
  return { api, slow, user, again, find, waiting }
}

test('a token may have two searches under way, and a third when one of them has ended', async () => {
  const { user, find, waiting } = await setUp()
  const [first, second] = [find(user), find(user)]
  await expect.poll(() => waiting.length).toBe(2)

  expect(await find(user)).toMatchObject({
    status: 429,
    headers: { 'Retry-After': '1', 'RateLimit-Limit': '2', 'RateLimit-Remaining': '0', 'RateLimit-Reset': '1' },
    body: { code: 'rate_limited', info: '2 requests of this token are under way: try again later' },
  })

  waiting[0]?.()
  expect(await first).toMatchObject({ status: 200 })
  const third = find(user)
  await expect.poll(() => waiting.length).toBe(3)
  waiting.forEach((end) => end())
  expect([await second, await third]).toMatchObject([{ status: 200 }, { status: 200 }])
})

test('each token has slots of its own', async () => {
  const { user, again, find, waiting } = await setUp('searching=1')
  const first = find(user)
  await expect.poll(() => waiting.length).toBe(1)
  const other = find(again)
  await expect.poll(() => waiting.length).toBe(2)
  waiting.forEach((end) => end())

  expect([await first, await other]).toMatchObject([{ status: 200 }, { status: 200 }])
})

test('a search that fails releases its slot', async () => {
  const { api, user } = await setUp('searching=1')
  const search: CdrStore['search'] = async () => {
    throw new DomainError('search_unavailable', 'away')
  }
  const broken = api.with({ cdrs: { ...api.ports.cdrs, search } })

  for (let index = 0; index < 3; index += 1) {
    expect(await broken.call(searchCdrs, { headers: user, body: {} })).toMatchObject({ status: 503 })
  }
})

test('the slot of a search that never ended is free after 30 s', async () => {
  const { api, user, find, waiting } = await setUp('searching=1')
  const lost = find(user)
  await expect.poll(() => waiting.length).toBe(1)
  api.clock.move(29_000)
  expect(await find(user)).toMatchObject({ status: 429 })
  api.clock.move(1_000)
  const next = find(user)
  await expect.poll(() => waiting.length).toBe(2)
  waiting.forEach((end) => end())

  expect(await next).toMatchObject({ status: 200 })
  await lost
})

test('a request whose slot cannot be counted is admitted', async () => {
  const { api, user } = await setUp('searching=1')
  const enter = async () => {
    throw new DomainError('store_unavailable', 'away')
  }
  const left: string[] = []
  const leave = async (_key: string, place: string) => void left.push(place)
  const uncounted = api.with({ rateLimits: { ...api.ports.rateLimits, enter, leave } })

  expect(await uncounted.call(searchCdrs, { headers: user, body: {} })).toMatchObject({ status: 200 })
  expect(left).toEqual([])
})

test('searches that are refused because others are under way do not use up the allowance of their domain', async () => {
  const { api, user, again, waiting, slow } = await setUp('searching=1,domain=1/h:5')
  const handler = checkedHandler(searchCdrs.route, searchCdrs.over(slow.ports, slow.tools))
  const find = async (headers: Record<string, string>) =>
    (await handler(gatewayEvent(searchCdrs.route, { headers, body: {} }), aContext)).statusCode
  const first = find(user)
  await expect.poll(() => waiting.length).toBe(1)

  for (let index = 0; index < 10; index += 1) expect(await find(user)).toBe(429)

  expect((await api.call(listAccounts, { headers: again })).status).toBe(200)
  waiting[0]?.()
  expect(await first).toBe(200)
})

test('a search whose slot count arrives shortly after the credential check is refused if all slots are taken', async () => {
  const { api, user } = await setUp('searching=1')
  // The deadline passes only by the clock, which stands still here however busy the machine is.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const enter = async () => {
    for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve))
    return undefined
  }
  const slower = api.with({ rateLimits: { ...api.ports.rateLimits, enter } })

  expect(await slower.call(searchCdrs, { headers: user, body: {} })).toMatchObject({ status: 429 })
})

test('a search is admitted if its slot count has not arrived 50 ms after the credential check', async () => {
  const { api, user } = await setUp('searching=1')
  const place = Promise.withResolvers<undefined>()
  const stuck = api.with({ rateLimits: { ...api.ports.rateLimits, enter: () => place.promise } })
  const search: CdrStore['search'] = async (plan, limitMs) => {
    place.resolve(undefined)
    return api.ports.cdrs.search(plan, limitMs)
  }

  const answer = await stuck.with({ cdrs: { ...api.ports.cdrs, search } }).call(searchCdrs, { headers: user, body: {} })

  expect(answer).toMatchObject({ status: 200 })
})
