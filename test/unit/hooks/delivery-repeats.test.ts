import { describe, expect, it } from 'vitest'
import { queues } from '../../../contracts/resources.ts'
import { DomainError } from '../../../core/errors.ts'
import { handler as deliver } from '../../../functions/hooks/deliver.ts'
import { handler as hookDispatch } from '../../../functions/hooks/hook-dispatch.ts'
import { aContext } from '../../support/platform/api.ts'
import {
  type DeliveryHarness,
  aDeliveryHarness,
  anArrival,
  checkDeliveries,
} from '../../support/hooks/delivery-harness.ts'
import { aBatch } from '../../support/records/queue-batch.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const statuses = (harness: DeliveryHarness, hook: { id: string }) =>
  harness.delivery(hook).attempts.map(({ status }) => status)

describe('F32 the same event from the queue again', () => {
  it('an event that is queued again at once or ten minutes later is one delivery for each hook, under one id in every attempt', async () => {
    const harness = aDeliveryHarness()
    const hooks = [await harness.hook({ answers: [500, 500, 200] }), await harness.hook()]
    const event = anArrival()

    await Promise.all([harness.dispatch([event]), harness.dispatch([event])])
    await harness.work()
    await harness.dispatch([event])
    harness.clock.move(10 * minute)
    await harness.dispatch([event])
    await harness.settle()
    await harness.dispatch([event])
    await harness.work()

    checkDeliveries(harness, [event], hooks)
    expect(
      hooks.map((hook) => new Set(harness.requests(hook).map(({ headers }) => headers['webhook-id'])).size),
    ).toEqual([1, 1])
  })

  it('an event and all messages of its attempts, redelivered one after another, repeat no attempt and continue one chain', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook({ answers: [500], retries: 3 })
    await harness.dispatch([anArrival()])

    while (harness.delivery(hook).state === 'pending') {
      harness.repeat()
      expect(harness.messages().length).toBeLessThanOrEqual(4)
      while ((await harness.workOnce(harness.ports, 1)) > 0);
      harness.moveToNext()
    }

    expect(harness.requests(hook)).toHaveLength(4)
    expect(harness.delivery(hook).attempts).toHaveLength(4)
  })

  it('two simultaneous runs of one attempt are both logged, and one of them plans the next', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook({ answers: [503, 503, 200] })
    await harness.dispatch([anArrival()])
    harness.repeat()

    await harness.work()

    expect(statuses(harness, hook)).toEqual([503, 503])
    expect(harness.delivery(hook)).toMatchObject({ state: 'pending', tries: 1 })
    expect(harness.messages()).toHaveLength(1)
    await harness.settle()
    expect(statuses(harness, hook)).toEqual([503, 503, 200])
  })

  it('a success counts in two simultaneous runs of an attempt, whichever ends first', async () => {
    for (const answers of [
      [200, 500],
      [500, 200],
      [404, 200],
    ]) {
      const harness = aDeliveryHarness()
      const hook = await harness.hook({ answers })
      await harness.dispatch([anArrival()])
      harness.repeat()
      await harness.work()
      await harness.settle()

      expect(harness.delivery(hook)).toMatchObject({
        state: 'delivered',
        attempts: answers.map((status) => ({ status })),
      })
      expect(harness.requests(hook)).toHaveLength(2)
    }
  })
})

describe('F33 one bad message in a batch of ten', () => {
  it('one bad message in a batch of ten is redelivered alone, and the nine others are delivered', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook()
    const events = Array.from({ length: 9 }, () => anArrival())
    for (const event of events) await harness.dispatch([event])
    const messages = harness.messages().map((body) => Object.assign({ version: 1 }, body))

    const batch = aBatch([...messages.slice(0, 4), 'not JSON', ...messages.slice(4)])
    const { batchItemFailures } = await deliver.over(harness.ports, harness.tools)(batch, aContext)

    expect(batchItemFailures).toEqual([{ itemIdentifier: 'message-4' }])
    checkDeliveries(harness, events, [hook])
  })

  it('one bad message in a batch of ten events is redelivered alone, and the nine others are dispatched', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook()
    const events = Array.from({ length: 9 }, () => anArrival())
    const bodies = events.map((event) => ({ version: 1, ...event }))

    const batch = aBatch([...bodies.slice(0, 4), '{"version":2}', ...bodies.slice(4)])
    const { batchItemFailures } = await hookDispatch.over(harness.ports, harness.tools)(batch, aContext)

    expect(batchItemFailures).toEqual([{ itemIdentifier: 'message-4' }])
    await harness.settle()
    checkDeliveries(harness, events, [hook])
  })
})

describe('F33 an outage of the stores and an unreadable message', () => {
  const { visibilitySeconds, maxReceives, retentionSeconds } = queues.events

  it('events survive an outage of the stores of more than an hour, while an unreadable message ends in the dead-letter queue', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook()
    const event = anArrival()
    const away = () => Promise.reject(new DomainError('store_unavailable', 'away'))
    const broken = { ...harness.ports, eventLogWriter: { ...harness.ports.eventLogWriter, take: away } }

    let receives = 0
    for (
      const until = harness.clock.now() + hour;
      harness.clock.now() < until;
      harness.clock.move(visibilitySeconds * second)
    ) {
      expect(await harness.dispatch([event], broken)).toBe(1)
      receives += 1
    }
    expect(receives).toBeLessThan(maxReceives)
    expect(await harness.dispatch([event])).toBe(0)
    await harness.settle()

    checkDeliveries(harness, [event], [hook])
    expect(maxReceives * visibilitySeconds, 'before the queue drops it').toBeLessThan(retentionSeconds / 2)
  })
})

describe('F50 deliveries out of order', () => {
  it('deliveries that arrive out of order can be sorted by a number that rises within a call and is the same in every attempt', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook({ answers: [500, 200] })
    const uuid = '6f1b8a52-58f7-4f3f-9d5a-2b7f9b4f2d10'
    const events = Array.from({ length: 5 }, () => anArrival({ uuid }))
    for (const event of events) await harness.dispatch([event])
    while ((await harness.workOnce(harness.ports, 1)) > 0);
    await harness.settle()

    const byEvent = harness.requests(hook).map(({ headers, body }) => ({
      sequence: Number(headers['webhook-sequence']),
      id: headers['webhook-id'],
      time: body.includes('data'),
    }))
    expect(byEvent.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 1])
    expect(byEvent[0]?.id).toBe(byEvent[5]?.id)
    const ordered = harness.deliveries().toSorted((a, b) => a.sequence - b.sequence)
    expect(ordered.map(({ eventId }) => eventId)).toEqual(events.map(({ id }) => id))
  })
})
