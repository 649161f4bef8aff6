import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import type { StoreKind } from '../support/stores/stores.ts'

/** The contract of every {@link RateLimitStore}. */
export function rateLimitStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const fiveASecond = { intervalMs: 200, burst: 3 }

  test('a bucket gives its burst at once and then one more in each interval', async () => {
    const [key, start] = [randomUUID(), stores().clock.now()]
    const take = async (ms: number) => stores().rateLimits.take(key, fiveASecond, start + ms)

    expect(await take(0)).toEqual({ isAllowed: true, limit: 3, remaining: 2, resetMs: 200, waitMs: 0 })
    expect(await take(0)).toMatchObject({ isAllowed: true, remaining: 1, resetMs: 400 })
    expect(await take(0)).toMatchObject({ isAllowed: true, remaining: 0, resetMs: 600, waitMs: 200 })
    expect(await take(50)).toEqual({ isAllowed: false, limit: 3, remaining: 0, resetMs: 550, waitMs: 150 })
    expect(await take(200)).toMatchObject({ isAllowed: true, remaining: 0 })
    expect(await take(399)).toMatchObject({ isAllowed: false, waitMs: 1 })
    expect(await take(5000)).toMatchObject({ isAllowed: true, remaining: 2 })
  })

  test('a refused request uses up nothing', async () => {
    const [key, start] = [randomUUID(), stores().clock.now()]
    for (let index = 0; index < 10; index += 1) await stores().rateLimits.take(key, fiveASecond, start)

    expect(await stores().rateLimits.take(key, fiveASecond, start + 200)).toMatchObject({ isAllowed: true })
  })

  test('exactly the burst of many simultaneous requests is admitted', async () => {
    const [key, now] = [randomUUID(), stores().clock.now()]

    const verdicts = await Promise.all(
      Array.from({ length: 20 }, () => stores().rateLimits.take(key, { intervalMs: 60_000, burst: 7 }, now)),
    )

    expect(verdicts.filter(({ isAllowed }) => isAllowed)).toHaveLength(7)
  })

  test('exactly the burst of 200 requests that two processes count at once is admitted', async () => {
    const [key, now] = [randomUUID(), stores().clock.now()]
    const processes = [stores().rateLimits, stores().elsewhere.rateLimits]

    const verdicts = await Promise.all(
      processes.flatMap((store) =>
        Array.from({ length: 100 }, () => store.take(key, { intervalMs: 60_000, burst: 40 }, now)),
      ),
    )

    expect(verdicts.filter(({ isAllowed }) => isAllowed)).toHaveLength(40)
  })

  test('two processes that are flooded for a second together let the burst and the rate of that second through', async () => {
    const [key, start] = [randomUUID(), stores().clock.now()]
    const processes = [stores().rateLimits, stores().elsewhere.rateLimits]
    const flood = (ms: number) =>
      Promise.all(
        processes.flatMap((store) =>
          Array.from({ length: 10 }, () => store.take(key, { intervalMs: 1000 / 30, burst: 12 }, start + ms)),
        ),
      )

    let allowed = 0
    for (let ms = 0; ms <= 1000; ms += 50) allowed += (await flood(ms)).filter(({ isAllowed }) => isAllowed).length

    expect(allowed).toBe(12 + 30)
  })

  test('requests under one key do not use up the allowance of another', async () => {
    const [one, now] = [{ intervalMs: 60_000, burst: 1 }, stores().clock.now()]
    const key = randomUUID()

    for (const each of [key, `${key}|x`, `${key}x`]) {
      expect(await stores().rateLimits.take(each, one, now)).toMatchObject({ isAllowed: true })
      expect(await stores().rateLimits.take(each, one, now)).toMatchObject({ isAllowed: false })
      expect(await stores().rateLimits.takeInWindow(each, { limit: 1, windowMs: 1 }, now)).toMatchObject({
        isAllowed: true,
      })
    }
  })

  test('a window allows exactly its number of uses in any span of its length', async () => {
    const [key, start] = [randomUUID(), stores().clock.now()]
    const use = async (ms: number) =>
      (await stores().rateLimits.takeInWindow(key, { limit: 2, windowMs: 1000 }, start + ms)).isAllowed

    expect([await use(0), await use(600), await use(999)]).toEqual([true, true, false])
    expect([await use(1000), await use(1001), await use(1599)]).toEqual([true, false, false])
    expect([await use(1600), await use(1601)]).toEqual([true, false])
  })

  test('a refused use of a window returns the time at which the next one is free', async () => {
    const [key, start] = [randomUUID(), stores().clock.now()]
    const window = { limit: 2, windowMs: 1000 }
    await stores().rateLimits.takeInWindow(key, window, start)
    await stores().rateLimits.takeInWindow(key, window, start + 300)

    expect(await stores().rateLimits.takeInWindow(key, window, start + 400)).toEqual({
      isAllowed: false,
      limit: 2,
      remaining: 0,
      resetMs: 900,
      waitMs: 600,
    })
  })

  test('exactly the limit of many simultaneous uses of a window is allowed', async () => {
    const [key, now] = [randomUUID(), stores().clock.now()]

    const verdicts = await Promise.all(
      Array.from({ length: 12 }, () => stores().rateLimits.takeInWindow(key, { limit: 5, windowMs: 1000 }, now)),
    )

    expect(verdicts.filter(({ isAllowed }) => isAllowed)).toHaveLength(5)
  })

  test('no more slots are taken than exist until one is released', async () => {
    const [key, now] = [randomUUID(), stores().clock.now()]
    const enter = (store = stores().rateLimits) => store.enter(key, { limit: 2, leaseMs: 1000 }, now)
    const first = await enter()
    expect(await enter(stores().elsewhere.rateLimits)).toBeDefined()
    expect(await enter()).toBeUndefined()

    await stores().elsewhere.rateLimits.leave(key, first ?? '')

    expect(await enter()).toBeDefined()
    expect(await enter()).toBeUndefined()
    expect(await stores().rateLimits.enter(randomUUID(), { limit: 1, leaseMs: 1000 }, now)).toBeDefined()
  })

  test('a slot that was never released is free when its lease is over, and cannot be released for its next holder', async () => {
    const [key, now] = [randomUUID(), stores().clock.now()]
    const enter = (at: number) => stores().rateLimits.enter(key, { limit: 1, leaseMs: 1000 }, at)
    const lost = await enter(now)
    expect(await enter(now + 999)).toBeUndefined()
    expect(await enter(now + 1000)).toBeDefined()

    await stores().rateLimits.leave(key, lost ?? '')

    expect(await enter(now + 1001)).toBeUndefined()
  })

  test('as many simultaneous requests enter as there are slots', async () => {
    const [key, now] = [randomUUID(), stores().clock.now()]

    const places = await Promise.all(
      Array.from({ length: 9 }, () => stores().rateLimits.enter(key, { limit: 3, leaseMs: 1000 }, now)),
    )

    expect(new Set(places.filter((place) => place !== undefined)).size).toBe(3)
  })
}
