import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { KnownCall } from '../../core/channels/known-call.ts'
import { opened } from '../support/processes/opened.ts'
import { aKnownCall } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

const DAY_MS = 86_400_000

const byUuid = (calls: readonly KnownCall[]) => calls.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1))

/** The contract of every {@link KnownCallStore}. */
export function knownCallStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('a known call is read back by domain and uuid, and listed by engine until it is removed', async () => {
    const [engine, domain, other] = [randomUUID(), `${randomUUID()}.test`, `${randomUUID()}.test`]
    const calls = [
      aKnownCall({ engine, domain }),
      aKnownCall({ engine, domain }),
      aKnownCall({ engine, domain: other }),
    ]
    for (const call of [...calls, aKnownCall({ engine: `${engine}2`, domain })]) await stores().knownCalls.put([call])
    const [first] = calls
    if (first === undefined) throw new Error('a call')

    expect(await stores().knownCalls.read(domain, first.uuid)).toEqual(first)
    expect(await stores().knownCalls.read(other, first.uuid)).toBeUndefined()
    expect(byUuid(await stores().knownCalls.list(engine))).toEqual(byUuid(calls))

    await stores().knownCalls.remove([first])
    await stores().knownCalls.remove([first])
    expect(await stores().knownCalls.read(domain, first.uuid)).toBeUndefined()
    expect(byUuid(await stores().knownCalls.list(engine))).toEqual(byUuid(calls.slice(1)))
  })

  test('the list goes past one page of the store', async () => {
    const engine = randomUUID()
    const callerName = 'x'.repeat(100_000)
    const calls = Array.from({ length: 120 }, () => aKnownCall({ engine, callerName }))
    await Promise.all(calls.map((call) => stores().knownCalls.put([call])))

    const listed = await stores().knownCalls.list(engine)

    expect(new Set(listed.map(({ uuid }) => uuid))).toEqual(new Set(calls.map(({ uuid }) => uuid)))
  })

  test('a leg that is stored again replaces the earlier record, and leaves the list of its former engine', async () => {
    const call = aKnownCall({ engine: randomUUID() })
    await stores().knownCalls.put([call])

    const again = { ...call, core: 'another', engine: randomUUID() }
    await stores().knownCalls.put([again])

    expect(await stores().knownCalls.read(call.domain, call.uuid)).toEqual(again)
    expect(await stores().knownCalls.list(call.engine)).toEqual([])
  })

  test('thirty legs of two domains are stored, read and removed together', async () => {
    const domains = [`${randomUUID()}.test`, `${randomUUID()}.test`] as const
    const calls = Array.from({ length: 30 }, (_, index) => aKnownCall({ domain: domains[index < 15 ? 0 : 1] }))
    const [first, ...others] = calls
    if (first === undefined) throw new Error('a call')
    const missing = { domain: domains[0], uuid: randomUUID() }
    const foreign = { domain: domains[1], uuid: first.uuid }
    await stores().knownCalls.put(calls)

    expect(byUuid(await stores().knownCalls.readEach([...calls, missing, foreign]))).toEqual(byUuid(calls))

    await stores().knownCalls.remove([missing, foreign, ...others])
    expect(await stores().knownCalls.readEach(calls)).toEqual([first])
  })

  test('a known call is forgotten seven days after it was stored, and can be stored again', async () => {
    const now = stores().clock.now()
    const call = aKnownCall({ engine: randomUUID(), knownAt: now })
    await stores().knownCalls.put([call])

    stores().clock.move(7 * DAY_MS - 1_000)
    expect(await stores().knownCalls.list(call.engine)).toEqual([call])
    stores().clock.move(1_000)
    expect(await stores().knownCalls.list(call.engine)).toEqual([])
    expect(await stores().knownCalls.read(call.domain, call.uuid)).toBeUndefined()

    const again = { ...call, knownAt: stores().clock.now() }
    await stores().knownCalls.put([again])
    expect(await stores().knownCalls.list(call.engine)).toEqual([again])
  })
}
