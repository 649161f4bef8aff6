import { expect, test } from 'vitest'
import { opened } from '../support/opened.ts'
import { aDelivery, anEvent } from '../support/records.ts'
import type { StoreKind } from '../support/stores.ts'

const DAY_MS = 86_400_000

/** What every {@link DeliveryStore} promises. */
export function deliveryStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)

  test('a delivery is read back as it was, by its own domain and hook only', async () => {
    const delivery = aDelivery({ event: anEvent({ fields: { empty: '', 'odd|key': 'ü\u0000' } }) })

    expect(await stores().deliveries.create(delivery)).toBe(true)

    const { domain, hookId, id } = delivery
    expect(await stores().deliveries.read(domain, hookId, id)).toEqual(delivery)
    expect(await stores().deliveries.read('example.com', hookId, id)).toBeUndefined()
    expect(await stores().deliveries.read(domain, 'bbbbbbbbbbbbbbbbbbbbbbbb', id)).toBeUndefined()
  })

  test('of many that write one delivery at once exactly one does', async () => {
    const delivery = aDelivery()

    const written = await Promise.all(Array.from({ length: 8 }, () => stores().deliveries.create(delivery)))

    expect(written.filter(Boolean)).toHaveLength(1)
  })

  test('attempts are added in order until one ends the delivery; none is added after', async () => {
    const delivery = aDelivery()
    const { deliveries } = stores()
    await deliveries.create(delivery)
    const first = { at: 1, durationMs: 10, reason: 'timeout' }
    const second = { at: 2, durationMs: 20, status: 200, replySnippet: 'thanks' }

    expect(await deliveries.recordAttempt(delivery, first, 'pending')).toBe(true)
    expect(await deliveries.recordAttempt(delivery, second, 'delivered')).toBe(true)
    expect(await deliveries.recordAttempt(delivery, first, 'failed')).toBe(false)

    const read = await deliveries.read(delivery.domain, delivery.hookId, delivery.id)
    expect(read).toEqual({ ...delivery, state: 'delivered', attempts: [first, second] })
  })

  test('of many attempts that end a delivery at once one is recorded', async () => {
    const delivery = aDelivery()
    await stores().deliveries.create(delivery)
    const attempt = { at: 1, durationMs: 1, status: 200 }

    const recorded = await Promise.all(
      Array.from({ length: 6 }, () => stores().deliveries.recordAttempt(delivery, attempt, 'delivered')),
    )

    expect(recorded.filter(Boolean)).toHaveLength(1)
  })

  test('an attempt of a delivery that is not there is not recorded', async () => {
    const delivery = aDelivery()

    expect(await stores().deliveries.recordAttempt(delivery, { at: 1, durationMs: 1 }, 'failed')).toBe(false)
    expect(await stores().deliveries.read(delivery.domain, delivery.hookId, delivery.id)).toBeUndefined()
  })

  test('pending deliveries of all domains from before a moment are found, oldest first, and ended ones are not', async () => {
    const before = stores().clock.now() - DAY_MS
    const made = [0, 1, 2, 3].map((age) => aDelivery({ createdAt: before - age, domain: `pending-${age}.test` }))
    for (const delivery of made) await stores().deliveries.create(delivery)
    const [, newer, ended, older] = made
    if (ended === undefined) throw new Error('four were made')
    await stores().deliveries.recordAttempt(ended, { at: 1, durationMs: 1, status: 200 }, 'delivered')

    expect(await stores().deliveries.listPending(before)).toEqual([older, newer])
  })

  test('a delivery that failed once and waits for its next attempt is still pending', async () => {
    const createdAt = stores().clock.now() - 2 * DAY_MS
    const delivery = aDelivery({ createdAt })
    await stores().deliveries.create(delivery)
    await stores().deliveries.recordAttempt(delivery, { at: 1, durationMs: 1, status: 500 }, 'pending')

    expect(await stores().deliveries.listPending(createdAt + 1)).toMatchObject([{ id: delivery.id }])
  })

  test('pending deliveries are found past one page of the store', async () => {
    const before = stores().clock.now() - 10 * DAY_MS
    const event = anEvent({ fields: { filler: 'x'.repeat(200_000) } })
    const made = Array.from({ length: 60 }, (_, age) => aDelivery({ createdAt: before - 60 + age, event }))
    for (const delivery of made) await stores().deliveries.create(delivery)

    const pending = await stores().deliveries.listPending(before)

    expect(pending.map(({ id }) => id)).toEqual(made.map(({ id }) => id))
  })

  test('thirty days after its creation a delivery is not there', async () => {
    const delivery = aDelivery({ createdAt: stores().clock.now() })
    await stores().deliveries.create(delivery)

    stores().clock.move(30 * DAY_MS)

    expect(await stores().deliveries.read(delivery.domain, delivery.hookId, delivery.id)).toBeUndefined()
  })
}
