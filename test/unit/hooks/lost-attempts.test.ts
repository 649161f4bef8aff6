import { describe, expect, it } from 'vitest'
import { queues } from '../../../contracts/resources.ts'
import { requeueLimits } from '../../../core/hooks/delivery/requeue-deliveries.ts'
import { resendDelivery } from '../../../core/hooks/delivery/resend-delivery.ts'
import {
  type DeliveryHarness,
  aDeliveryHarness,
  anArrival,
  checkDeliveries,
} from '../../support/hooks/delivery-harness.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const statuses = (harness: DeliveryHarness, hook: { id: string }) =>
  harness.delivery(hook).attempts.map(({ status }) => status)

describe('F51 a backlog', () => {
  it('a backlog of attempts is not queued again and again while it waits in the queue', async () => {
    const harness = aDeliveryHarness()
    await harness.hook()
    for (let count = 0; count < 30; count += 1) await harness.dispatch([anArrival()])
    harness.ports.deliveryQueue.backlog = requeueLimits.backlog + 1
    harness.clock.move(2 * hour)

    await harness.sweep()

    expect(harness.messages()).toHaveLength(30)
    expect(harness.log.lines.at(-1)).toMatchObject({ keys: { requeued: 0, stoppedBy: 'backlog' } })
  })

  it('a backlog that never ends delays no requeueing of dropped messages', async () => {
    expect(queues.deliveries.retentionSeconds * second).toBe(requeueLimits.droppedMs)
    const harness = aDeliveryHarness()
    const hook = await harness.hook()
    await harness.dispatch([anArrival()])
    harness.lose()
    harness.ports.deliveryQueue.backlog = requeueLimits.backlog + 1
    harness.clock.move(requeueLimits.droppedMs)
    await harness.sweep()
    expect(harness.messages()).toEqual([])

    harness.clock.move(1)
    await harness.sweep()

    expect(harness.messages()).toMatchObject([{ hookId: hook.id, attempt: 1 }])
  })

  it('attempts that the queue drops after four days are queued again', async () => {
    expect(queues.deliveries.retentionSeconds).toBe(4 * 86_400)
    const harness = aDeliveryHarness()
    const hook = await harness.hook()
    const events = Array.from({ length: 250 }, () => anArrival())
    for (const event of events) await harness.dispatch([event])
    harness.clock.move(4 * day)
    harness.lose()

    await harness.sweep()

    expect(harness.messages()).toHaveLength(250)
    await harness.settle()
    checkDeliveries(harness, events, [hook])
    expect(harness.requests(hook)).toHaveLength(250)
  })
})

describe('a lost attempt', () => {
  it('a lost attempt is found when it is five minutes overdue and not before, by one of two simultaneous searches', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook()
    await harness.dispatch([anArrival()])
    harness.lose()
    harness.clock.move(5 * minute)
    await harness.sweep()
    expect(harness.messages()).toEqual([])

    harness.clock.move(1)
    await Promise.all([harness.sweep(), harness.sweep()])

    expect(harness.messages()).toHaveLength(1)
    await harness.work()
    expect(harness.delivery(hook).state).toBe('delivered')
  })

  it('an attempt that was recorded but whose next message was lost is continued when its own message returns', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook({ answers: [500, 200] })
    await harness.dispatch([anArrival()])
    harness.ports.deliveryQueue.refuses = () => true
    await harness.work()
    expect(harness.delivery(hook)).toMatchObject({ state: 'pending', tries: 1 })
    expect(harness.messages()).toMatchObject([{ attempt: 1 }])

    harness.ports.deliveryQueue.refuses = () => false
    harness.moveToNext()
    await harness.workOnce()

    expect(harness.messages()).toMatchObject([{ attempt: 2 }])
    await harness.work()
    expect(statuses(harness, hook)).toEqual([500, 200])
  })

  it('a lost message of an attempt that arrives after all does nothing, since a new plan replaced it', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook({ answers: [500, 200] })
    await harness.dispatch([anArrival()])
    harness.clock.move(6 * minute)
    await harness.sweep()
    expect(harness.messages()).toHaveLength(2)

    await harness.work()

    expect(harness.requests(hook)).toHaveLength(1)
    await harness.settle()
    expect(harness.requests(hook)).toHaveLength(2)
  })

  it('an attempt is also found after the queue has dropped its message', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook()
    await harness.dispatch([anArrival()])
    const broken = {
      ...harness.ports,
      secretBox: { ...harness.ports.secretBox, open: () => Promise.reject(new Error('gone')) },
    }
    while (harness.dead.length === 0) {
      harness.moveToNext()
      await harness.workOnce(broken)
    }
    expect(harness.messages()).toEqual([])

    await harness.settle()

    expect(harness.delivery(hook)).toMatchObject({ state: 'delivered', begun: {} })
    expect(harness.requests(hook)).toHaveLength(1)
  })

  it('an attempt that kills its function each time fails for good after twenty times, and each is logged', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook()
    await harness.dispatch([anArrival()])
    const deadly = {
      ...harness.ports,
      hookClient: { ...harness.ports.hookClient, send: () => Promise.reject(new Error('killed')) },
    }
    for (let step = 0; harness.delivery(hook).state === 'pending' && step < 200; step += 1) {
      if (!harness.moveToNext()) {
        harness.clock.move(6 * minute)
        await harness.sweep()
      }
      await harness.workOnce(deadly)
    }

    expect(harness.delivery(hook)).toMatchObject({ state: 'failed', attempts: [{ reason: 'interrupted' }] })
    expect(Object.keys(harness.delivery(hook).begun)).toHaveLength(20)
    const { id } = harness.delivery(hook)
    await resendDelivery({ ...harness.ports, clock: harness.clock }, { domain: hook.domain, hookId: hook.id, id })
    await harness.work()

    expect(harness.delivery(hook), 'sent again it has all its runs before it').toMatchObject({
      state: 'delivered',
      begun: {},
    })
    const reasons = harness.delivery(hook).attempts.map(({ reason }) => reason)
    expect(reasons).toEqual([...Array.from({ length: 21 }, () => 'interrupted'), undefined])
  })

  it('a lost attempt is found although another delivery cannot be read, which is logged', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook()
    await harness.dispatch([anArrival()])
    harness.lose()
    harness.clock.move(6 * minute)
    const { deliveries } = harness.ports
    const listDue: typeof deliveries.listDue = async (...given) => {
      return { ...(await deliveries.listDue(...given)), unreadable: ['some delivery'] }
    }

    await harness.sweep({ ...harness.ports, deliveries: { ...deliveries, listDue } })

    expect(harness.messages().map(({ hookId }) => hookId)).toEqual([hook.id])
    expect(harness.log.lines.find(({ message }) => message === 'stored records cannot be read')).toMatchObject({
      level: 'error',
      keys: { count: 1 },
    })
  })

  it('lost attempts are searched page by page, up to the limit of one run', async () => {
    const harness = aDeliveryHarness()
    await harness.hook()
    const few = requeueLimits.page * 2 + 1
    for (let count = 0; count < few; count += 1) await harness.dispatch([anArrival()])
    harness.lose()
    harness.clock.move(6 * minute)
    let reads = 0
    const counted = {
      ...harness.ports.deliveries,
      listDue: (...given: Parameters<typeof harness.ports.deliveries.listDue>) => {
        reads += 1
        return harness.ports.deliveries.listDue(...given)
      },
    }

    await harness.sweep({ ...harness.ports, deliveries: counted })

    expect(reads).toBe(3)
    expect(harness.messages()).toHaveLength(few)
  })
})
