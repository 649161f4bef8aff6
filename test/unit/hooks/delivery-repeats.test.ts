import { describe, expect, it } from 'vitest'
import { queues } from '../../../contracts/resources.ts'
import { DomainError } from '../../../core/errors.ts'
import { handler as deliver } from '../../../functions/hooks/deliver.ts'
import { handler as hookDispatch } from '../../../functions/hooks/hook-dispatch.ts'
import { aContext } from '../../support/platform/api.ts'
import { type DeliveryLab, aDeliveryLab, anArrival, checkDeliveries } from '../../support/hooks/delivery-lab.ts'
import { aBatch } from '../../support/records/queue-batch.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const statuses = (lab: DeliveryLab, hook: { id: string }) => lab.delivery(hook).attempts.map(({ status }) => status)

describe('F32 the same event from the queue again', () => {
  it('an event that is queued again at once or ten minutes later is one delivery for each hook, under one id in every attempt', async () => {
    const lab = aDeliveryLab()
    const hooks = [await lab.hook({ answers: [500, 500, 200] }), await lab.hook()]
    const event = anArrival()

    await Promise.all([lab.dispatch([event]), lab.dispatch([event])])
    await lab.work()
    await lab.dispatch([event])
    lab.clock.move(10 * minute)
    await lab.dispatch([event])
    await lab.settle()
    await lab.dispatch([event])
    await lab.work()

    checkDeliveries(lab, [event], hooks)
    expect(hooks.map((hook) => new Set(lab.requests(hook).map(({ headers }) => headers['webhook-id'])).size)).toEqual([
      1, 1,
    ])
  })

  it('an event and all messages of its attempts, redelivered one after another, repeat no attempt and continue one chain', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [500], retries: 3 })
    await lab.dispatch([anArrival()])

    while (lab.delivery(hook).state === 'pending') {
      lab.repeat()
      expect(lab.messages().length).toBeLessThanOrEqual(4)
      while ((await lab.workOnce(lab.ports, 1)) > 0);
      lab.moveToNext()
    }

    expect(lab.requests(hook)).toHaveLength(4)
    expect(lab.delivery(hook).attempts).toHaveLength(4)
  })

  it('two simultaneous runs of one attempt are both logged, and one of them plans the next', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [503, 503, 200] })
    await lab.dispatch([anArrival()])
    lab.repeat()

    await lab.work()

    expect(statuses(lab, hook)).toEqual([503, 503])
    expect(lab.delivery(hook)).toMatchObject({ state: 'pending', tries: 1 })
    expect(lab.messages()).toHaveLength(1)
    await lab.settle()
    expect(statuses(lab, hook)).toEqual([503, 503, 200])
  })

  it('a success counts in two simultaneous runs of an attempt, whichever ends first', async () => {
    for (const answers of [
      [200, 500],
      [500, 200],
      [404, 200],
    ]) {
      const lab = aDeliveryLab()
      const hook = await lab.hook({ answers })
      await lab.dispatch([anArrival()])
      lab.repeat()
      await lab.work()
      await lab.settle()

      expect(lab.delivery(hook)).toMatchObject({ state: 'delivered', attempts: answers.map((status) => ({ status })) })
      expect(lab.requests(hook)).toHaveLength(2)
    }
  })
})

describe('F33 one bad message in a batch of ten', () => {
  it('one bad message in a batch of ten is redelivered alone, and the nine others are delivered', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    const events = Array.from({ length: 9 }, () => anArrival())
    for (const event of events) await lab.dispatch([event])
    const messages = lab.messages().map((body) => Object.assign({ version: 1 }, body))

    const batch = aBatch([...messages.slice(0, 4), 'not JSON', ...messages.slice(4)])
    const { batchItemFailures } = await deliver.over(lab.ports, lab.tools)(batch, aContext)

    expect(batchItemFailures).toEqual([{ itemIdentifier: 'message-4' }])
    checkDeliveries(lab, events, [hook])
  })

  it('one bad message in a batch of ten events is redelivered alone, and the nine others are dispatched', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    const events = Array.from({ length: 9 }, () => anArrival())
    const bodies = events.map((event) => ({ version: 1, ...event }))

    const batch = aBatch([...bodies.slice(0, 4), '{"version":2}', ...bodies.slice(4)])
    const { batchItemFailures } = await hookDispatch.over(lab.ports, lab.tools)(batch, aContext)

    expect(batchItemFailures).toEqual([{ itemIdentifier: 'message-4' }])
    await lab.settle()
    checkDeliveries(lab, events, [hook])
  })
})

describe('F33 an outage of the stores and an unreadable message', () => {
  const { visibilitySeconds, maxReceives, retentionSeconds } = queues.events

  it('events survive an outage of the stores of more than an hour, while an unreadable message ends in the dead-letter queue', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    const event = anArrival()
    const away = () => Promise.reject(new DomainError('store_unavailable', 'away'))
    const broken = { ...lab.ports, eventLogWriter: { ...lab.ports.eventLogWriter, take: away } }

    let receives = 0
    for (const until = lab.clock.now() + hour; lab.clock.now() < until; lab.clock.move(visibilitySeconds * second)) {
      expect(await lab.dispatch([event], broken)).toBe(1)
      receives += 1
    }
    expect(receives).toBeLessThan(maxReceives)
    expect(await lab.dispatch([event])).toBe(0)
    await lab.settle()

    checkDeliveries(lab, [event], [hook])
    expect(maxReceives * visibilitySeconds, 'before the queue drops it').toBeLessThan(retentionSeconds / 2)
  })
})

describe('F50 deliveries out of order', () => {
  it('deliveries that arrive out of order can be sorted by a number that rises within a call and is the same in every attempt', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [500, 200] })
    const uuid = '6f1b8a52-58f7-4f3f-9d5a-2b7f9b4f2d10'
    const events = Array.from({ length: 5 }, () => anArrival({ uuid }))
    for (const event of events) await lab.dispatch([event])
    while ((await lab.workOnce(lab.ports, 1)) > 0);
    await lab.settle()

    const byEvent = lab.requests(hook).map(({ headers, body }) => ({
      sequence: Number(headers['webhook-sequence']),
      id: headers['webhook-id'],
      time: body.includes('data'),
    }))
    expect(byEvent.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 1])
    expect(byEvent[0]?.id).toBe(byEvent[5]?.id)
    const ordered = lab.deliveries().toSorted((a, b) => a.sequence - b.sequence)
    expect(ordered.map(({ eventId }) => eventId)).toEqual(events.map(({ id }) => id))
  })
})
