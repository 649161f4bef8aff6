import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aKnownCall, aPlacedCall } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

const DAY_MS = 86_400_000

const byUuid = <T extends { readonly uuid: string }>(calls: readonly T[]) =>
  calls.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1))

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
    for (const call of [...calls, aKnownCall({ engine: `${engine}2`, domain })]) await stores().knownCalls.put(call)
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
    await Promise.all(calls.map((call) => stores().knownCalls.put(call)))

    const listed = await stores().knownCalls.list(engine)

    expect(new Set(listed.map(({ uuid }) => uuid))).toEqual(new Set(calls.map(({ uuid }) => uuid)))
  })

  test('a leg that is stored again replaces the earlier record, and leaves the list of its former engine', async () => {
    const call = aKnownCall({ engine: randomUUID() })
    await stores().knownCalls.put(call)

    const again = { ...call, core: 'another', engine: randomUUID() }
    await stores().knownCalls.put(again)

    expect(await stores().knownCalls.read(call.domain, call.uuid)).toEqual(again)
    expect(await stores().knownCalls.list(call.engine)).toEqual([])
  })

  test('thirty legs of two domains are listed by domain and removed together', async () => {
    const domains = [`${randomUUID()}.test`, `${randomUUID()}.test`] as const
    const calls = Array.from({ length: 30 }, (_, index) => aKnownCall({ domain: domains[index < 15 ? 0 : 1] }))
    const [first, ...others] = calls
    if (first === undefined) throw new Error('a call')
    for (const call of calls) await stores().knownCalls.put(call)

    expect(byUuid(await stores().knownCalls.listOf(domains[0]))).toEqual(byUuid(calls.slice(0, 15)))

    const missing = [
      { domain: domains[0], uuid: randomUUID() },
      { domain: domains[1], uuid: first.uuid },
    ]
    await stores().knownCalls.remove([...missing, ...others])
    expect(await stores().knownCalls.listOf(domains[0])).toEqual([first])
    expect(await stores().knownCalls.listOf(domains[1])).toEqual([])
  })

  test('the newest change of a leg stays, in whatever order and however often changes are stored', async () => {
    const call = aKnownCall({})
    const changes = [call, { ...call, presenceId: '1000@a.example.com', changedAt: call.changedAt + 1 }]
    const newest = { ...call, core: 'another', state: 'ended' as const, changedAt: call.changedAt + 2 }

    await stores().knownCalls.put(call)
    await Promise.all([newest, ...changes, newest, ...changes].map((change) => stores().knownCalls.put(change)))
    for (const change of changes) await stores().knownCalls.put(change)

    expect(await stores().knownCalls.read(call.domain, call.uuid)).toEqual(newest)
  })

  test('the end of a leg is not stored after the leg was removed', async () => {
    const call = aKnownCall({})
    await stores().knownCalls.put(call)
    await stores().knownCalls.remove([call])

    await stores().knownCalls.put({ ...call, state: 'ended', changedAt: call.changedAt + 1 })

    expect(await stores().knownCalls.read(call.domain, call.uuid)).toBeUndefined()
  })

  test('a placed call is listed with its times until it is given up, and is no leg before an engine reports it', async () => {
    const domain = `${randomUUID()}.test`
    const [one, other] = [aPlacedCall({ domain, showsBy: 7 }), aPlacedCall({ domain })]
    for (const call of [one, other, aPlacedCall({ domain: `${domain}.org` })]) await stores().knownCalls.place(call)

    expect(byUuid(await stores().knownCalls.listPlaced(domain))).toEqual(
      byUuid([one, other].map((call) => Object.assign({ isUp: false }, call))),
    )
    expect(await stores().knownCalls.listOf(domain)).toEqual([])
    expect(await stores().knownCalls.read(domain, one.uuid)).toBeUndefined()

    await stores().knownCalls.unplace(one)
    await stores().knownCalls.unplace(one)
    expect((await stores().knownCalls.listPlaced(domain)).map(({ uuid }) => uuid)).toEqual([other.uuid])
  })

  test('a call that is placed again keeps the time at which it was placed and has the new one by which it shows', async () => {
    const call = aPlacedCall({ domain: `${randomUUID()}.test` })
    await stores().knownCalls.place(call)

    await stores().knownCalls.place({ ...call, placedAt: call.placedAt + 5, showsBy: call.showsBy + 5 })

    expect(await stores().knownCalls.listPlaced(call.domain)).toEqual([
      { ...call, showsBy: call.showsBy + 5, isUp: false },
    ])
  })

  test('a call that is answered shows by a new time, and is not stored again if it is stored no more', async () => {
    const call = aPlacedCall({ domain: `${randomUUID()}.test` })
    await stores().knownCalls.place(call)

    await stores().knownCalls.answered(call, call.showsBy - 5)
    expect(await stores().knownCalls.listPlaced(call.domain)).toEqual([
      { ...call, showsBy: call.showsBy - 5, isUp: false },
    ])
    await stores().knownCalls.remove([call])
    await stores().knownCalls.answered(call, call.showsBy)

    expect(await stores().knownCalls.listPlaced(call.domain)).toEqual([])
  })

  test('a placed call and what an engine reports of it are one record, whichever is stored first', async () => {
    const domain = `${randomUUID()}.test`
    const legs = [aKnownCall({ domain }), aKnownCall({ domain })]
    const [first, second] = legs.map((leg) => aPlacedCall({ domain, uuid: leg.uuid }))
    if (first === undefined || second === undefined) throw new Error('two calls')
    await stores().knownCalls.place(first)
    for (const leg of legs) await stores().knownCalls.put(leg)
    await stores().knownCalls.place(second)

    expect(byUuid(await stores().knownCalls.listPlaced(domain))).toEqual(
      byUuid([first, second].map((call) => Object.assign({ isUp: true }, call))),
    )
    expect(byUuid(await stores().knownCalls.listOf(domain))).toEqual(byUuid(legs))
  })

  test('a placed call counts no more when it has ended, and a reported one that is given up stays a leg', async () => {
    const domain = `${randomUUID()}.test`
    const legs = [aKnownCall({ domain }), aKnownCall({ domain })]
    const [over, givenUp] = legs
    if (over === undefined || givenUp === undefined) throw new Error('two calls')
    for (const leg of legs) {
      await stores().knownCalls.place(aPlacedCall({ domain, uuid: leg.uuid }))
      await stores().knownCalls.put(leg)
    }

    await stores().knownCalls.put({ ...over, state: 'ended' })
    await stores().knownCalls.unplace(givenUp)

    expect(await stores().knownCalls.listPlaced(domain)).toEqual([])
    expect(byUuid(await stores().knownCalls.listOf(domain))).toEqual(byUuid([{ ...over, state: 'ended' }, givenUp]))
  })

  test('a known call is forgotten seven days after it was stored, and can be stored again', async () => {
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
