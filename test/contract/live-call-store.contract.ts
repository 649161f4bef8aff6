import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import type { StoreKind } from '../support/stores/stores.ts'

/** The contract of every {@link LiveCallStore}. */
export function liveCallStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  let domains = 0
  const aDomainName = () => `calls-${(domains += 1)}.example.com`

  test('a domain without calls has an empty list of calls', async () => {
    expect([...(await stores().liveCalls.list(aDomainName()))]).toEqual([])
  })

  test('calls are recorded with their time, and removed when they are forgotten', async () => {
    const [domain, first, second] = [aDomainName(), randomUUID(), randomUUID()]

    expect(await stores().liveCalls.put(domain, first, 1, 9)).toBe(true)
    expect(await stores().liveCalls.put(domain, second, 2, 9)).toBe(true)
    expect(new Map(await stores().liveCalls.list(domain))).toEqual(
      new Map([
        [first, 1],
        [second, 2],
      ]),
    )
    await stores().liveCalls.remove(domain, [first, randomUUID()])
    expect([...(await stores().liveCalls.list(domain))]).toEqual([[second, 2]])
    expect([...(await stores().liveCalls.list(`${domain}.org`))]).toEqual([])
  })

  test('no call beyond the limit is recorded, but a recorded call can get a new time', async () => {
    const [domain, first] = [aDomainName(), randomUUID()]
    await stores().liveCalls.put(domain, first, 1, 2)
    await stores().liveCalls.put(domain, randomUUID(), 1, 2)

    expect(await stores().liveCalls.put(domain, randomUUID(), 1, 2)).toBe(false)
    expect(await stores().liveCalls.put(domain, first, 5, 2)).toBe(true)
    expect((await stores().liveCalls.list(domain)).get(first)).toBe(5)
    expect((await stores().liveCalls.list(domain)).size).toBe(2)
  })

  test('exactly the limit of many simultaneous calls is recorded', async () => {
    const domain = aDomainName()

    const noted = await Promise.all(
      Array.from({ length: 12 }, () => stores().liveCalls.put(domain, randomUUID(), 1, 5)),
    )

    expect(noted.filter(Boolean)).toHaveLength(5)
    expect((await stores().liveCalls.list(domain)).size).toBe(5)
  })

  test('forgetting no calls, or calls of a domain without any, changes nothing', async () => {
    const domain = aDomainName()

    await stores().liveCalls.remove(domain, [])
    await stores().liveCalls.remove(domain, [randomUUID()])

    expect((await stores().liveCalls.list(domain)).size).toBe(0)
  })
}
