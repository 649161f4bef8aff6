import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { RequestKey } from '../../core/requests/idempotency-key.ts'
import { opened } from '../support/processes/opened.ts'
import { aRequestKey } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

const DAY_MS = 86_400_000

/** The contract of every {@link IdempotencyStore}. */
export function idempotencyStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const aKey = (given: Partial<RequestKey> = {}) =>
    aRequestKey({ key: randomUUID(), createdAt: stores().clock.now(), ...given })
  const created = async (given: Partial<RequestKey> = {}) => {
    const key = aKey(given)
    expect(await stores().idempotency.create(key)).toBeUndefined()
    return key
  }

  test('a request key is written once, and the existing one is returned unchanged', async () => {
    const key = await created()

    expect(await stores().idempotency.create({ ...key, claimId: 'claim-2', seed: 'another' })).toEqual(key)
  })

  test('one of many simultaneous creations of a request key succeeds', async () => {
    const key = aKey()
    const claims = Array.from({ length: 8 }, (_, index) => ({ ...key, claimId: `claim-${index}` }))

    const answers = await Promise.all(claims.map((claim) => stores().idempotency.create(claim)))

    const won = claims.filter((_, index) => answers[index] === undefined)
    expect(won).toHaveLength(1)
    expect(new Set(answers.filter((answer) => answer !== undefined).map(({ claimId }) => claimId))).toEqual(
      new Set([won[0]?.claimId]),
    )
  })

  test.each(['a|b', 'a%7cb', '', 'x'.repeat(128), '🔑'])('the key %j is one of its own', async (text) => {
    const key = aKey({ key: text, domain: 'odd.example.com' })

    expect(await stores().idempotency.create(key)).toBeUndefined()
    expect(await stores().idempotency.create(key)).toEqual(key)
  })

  test('equal request keys of different domains, and of root, are different keys', async () => {
    const key = await created({ domain: 'a.example.com' })

    for (const domain of ['a.example.com.org', 'b.a.example.com', '']) {
      expect(await stores().idempotency.create({ ...key, domain })).toBeUndefined()
    }
  })

  test('an answer is stored once, by the holder of the claim', async () => {
    const key = await created()

    expect(await stores().idempotency.complete({ ...key, claimId: 'claim-2' }, 'theirs')).toBe(false)
    expect(await stores().idempotency.complete(key, 'ours')).toBe(true)
    expect(await stores().idempotency.complete(key, 'another')).toBe(false)
    expect(await stores().idempotency.create(key)).toEqual({ ...key, answer: 'ours' })
  })

  test('an answer of 300 KB is kept', async () => {
    const key = await created()

    await stores().idempotency.complete(key, 'x'.repeat(300_000))

    expect((await stores().idempotency.create(key))?.answer).toHaveLength(300_000)
  })

  test('one of the processes that find an expired claim takes it over, and the old claim ends', async () => {
    const key = await created()
    const claims = Array.from({ length: 8 }, (_, index) => ({ ...key, claimId: `next-${index}`, leaseUntil: 7 }))

    const taken = await Promise.all(claims.map((claim) => stores().idempotency.takeOver(claim, key.claimId)))

    expect(taken.filter(Boolean)).toHaveLength(1)
    const winner = claims[taken.indexOf(true)]
    expect(await stores().idempotency.create(key)).toEqual(winner)
    expect(await stores().idempotency.complete(key, 'late')).toBe(false)
  })

  test('a key with an answer cannot be taken over', async () => {
    const key = await created()
    await stores().idempotency.complete(key, 'answer')

    expect(await stores().idempotency.takeOver({ ...key, claimId: 'claim-2' }, key.claimId)).toBe(false)
  })

  test('releasing a claim ends only that claim, and keeps a stored answer', async () => {
    const [released, others, answered] = [await created(), await created(), await created()]
    await stores().idempotency.complete(answered, 'answer')

    await stores().idempotency.release(released)
    await stores().idempotency.release({ ...others, claimId: 'claim-2' })
    await stores().idempotency.release(answered)

    expect(await stores().idempotency.create(released)).toEqual({ ...released, leaseUntil: 0 })
    expect(await stores().idempotency.create(others)).toEqual(others)
    expect(await stores().idempotency.create(answered)).toEqual({ ...answered, answer: 'answer' })
  })

  test('a request key is forgotten after a day', async () => {
    const key = await created()
    stores().clock.move(DAY_MS - 1)
    expect(await stores().idempotency.create({ ...key, claimId: 'early' })).toEqual(key)

    stores().clock.move(1001)

    const again = { ...key, claimId: 'late', createdAt: stores().clock.now() }
    expect(await stores().idempotency.create(again)).toBeUndefined()
    expect(await stores().idempotency.create(key)).toEqual(again)
  })
}
