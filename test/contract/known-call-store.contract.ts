import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { KnownCall } from '../../core/channels/known-call.ts'
import { opened } from '../support/opened.ts'
import { aKnownCall } from '../support/records.ts'
import type { StoreKind } from '../support/stores.ts'

const DAY_MS = 86_400_000

const byUuid = (calls: readonly KnownCall[]) => calls.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1))

/** What every {@link KnownCallStore} promises. */
export function knownCallStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('what was put is read back by domain and uuid, and listed by engine until it is removed', async () => {
    const [engine, domain, other] = [randomUUID(), `${randomUUID()}.test`, `${randomUUID()}.test`]
    const calls = [
      aKnownCall({ engine, domain }),
      aKnownCall({ engine, domain }),
      aKnownCall({ engine, domain: other }),
    ]
    for (const call of [...calls, aKnownCall({ engine: `${engine}2`, domain })]) await stores().knownCalls.put(call)
    const [first] = calls
    if (first === undefined) throw new Error('a call')

    expect(await stores().knownCalls.read(domain, first.uuid)).toEqual(first)
    expect(await stores().knownCalls.read(other, first.uuid)).toBeUndefined()
    expect(byUuid(await stores().knownCalls.list(engine))).toEqual(byUuid(calls))

    await stores().knownCalls.remove(domain, first.uuid)
    await stores().knownCalls.remove(domain, first.uuid)
    expect(await stores().knownCalls.read(domain, first.uuid)).toBeUndefined()
    expect(byUuid(await stores().knownCalls.list(engine))).toEqual(byUuid(calls.slice(1)))
  })

  test('the list goes past one page of the store', async () => {
    const engine = randomUUID()
    const callerName = 'x'.repeat(100_000)
    const calls = Array.from({ length: 120 }, () => aKnownCall({ engine, callerName }))
    await Promise.all(calls.map((call) => stores().knownCalls.put(call)))

    const listed = await stores().knownCalls.list(engine)

    expect(new Set(listed.map(({ uuid }) => uuid))).toEqual(new Set(calls.map(({ uuid }) => uuid)))
  })

  test('what is told again of a leg changes nothing, unless its engine, its process or its account is another', async () => {
    const call = aKnownCall({ engine: randomUUID() })
    const stored = () => stores().knownCalls.read(call.domain, call.uuid)
    await stores().knownCalls.put(call)

    await stores().knownCalls.put({ ...call, callerName: 'somebody else' })
    expect(await stored()).toEqual(call)

    for (const changed of [{ core: 'another' }, { presenceId: '1000@a.example.com' }, { engine: randomUUID() }]) {
      const again = { ...call, ...changed }
      await stores().knownCalls.put(again)
      expect(await stored()).toEqual(again)
    }
    expect(await stores().knownCalls.list(call.engine)).toEqual([])
  })

  test('a leg is forgotten seven days after it was noted, and can be noted anew', async () => {
    const now = stores().clock.now()
    const call = aKnownCall({ engine: randomUUID(), knownAt: now })
    await stores().knownCalls.put(call)

    stores().clock.move(7 * DAY_MS - 1_000)
    expect(await stores().knownCalls.list(call.engine)).toEqual([call])
    stores().clock.move(1_000)
    expect(await stores().knownCalls.list(call.engine)).toEqual([])
    expect(await stores().knownCalls.read(call.domain, call.uuid)).toBeUndefined()

    const again = { ...call, knownAt: stores().clock.now() }
    await stores().knownCalls.put(again)
    expect(await stores().knownCalls.list(call.engine)).toEqual([again])
  })
}
