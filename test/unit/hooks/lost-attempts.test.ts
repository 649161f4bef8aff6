import { describe, expect, it } from 'vitest'
import { queues } from '../../../contracts/resources.ts'
import { requeueLimits } from '../../../core/hooks/delivery/requeue-deliveries.ts'
import { resendDelivery } from '../../../core/hooks/delivery/resend-delivery.ts'
import { type DeliveryLab, aDeliveryLab, anArrival, checkDeliveries } from '../../support/hooks/delivery-lab.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const statuses = (lab: DeliveryLab, hook: { id: string }) => lab.delivery(hook).attempts.map(({ status }) => status)

describe('F51 a backlog', () => {
  it('a backlog of attempts is not queued again and again while it waits in the queue', async () => {
    const lab = aDeliveryLab()
    await lab.hook()
    for (let count = 0; count < 30; count += 1) await lab.dispatch([anArrival()])
    lab.ports.deliveryQueue.backlog = requeueLimits.backlog + 1
    lab.clock.move(2 * hour)

    await lab.sweep()

    expect(lab.messages()).toHaveLength(30)
    expect(lab.log.lines.at(-1)).toMatchObject({ keys: { requeued: 0, stoppedBy: 'backlog' } })
  })

  it('a backlog that never ends delays no requeueing of dropped messages', async () => {
    expect(queues.deliveries.retentionSeconds * second).toBe(requeueLimits.droppedMs)
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    await lab.dispatch([anArrival()])
    lab.lose()
    lab.ports.deliveryQueue.backlog = requeueLimits.backlog + 1
    lab.clock.move(requeueLimits.droppedMs)
    await lab.sweep()
    expect(lab.messages()).toEqual([])

    lab.clock.move(1)
    await lab.sweep()

    expect(lab.messages()).toMatchObject([{ hookId: hook.id, attempt: 1 }])
  })

  it('attempts that the queue drops after four days are queued again', async () => {
    expect(queues.deliveries.retentionSeconds).toBe(4 * 86_400)
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    const events = Array.from({ length: 250 }, () => anArrival())
    for (const event of events) await lab.dispatch([event])
    lab.clock.move(4 * day)
    lab.lose()

    await lab.sweep()

    expect(lab.messages()).toHaveLength(250)
    await lab.settle()
    checkDeliveries(lab, events, [hook])
    expect(lab.requests(hook)).toHaveLength(250)
  })
})

describe('a lost attempt', () => {
  it('a lost attempt is found when it is five minutes overdue and not before, by one of two simultaneous searches', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    await lab.dispatch([anArrival()])
    lab.lose()
    lab.clock.move(5 * minute)
    await lab.sweep()
    expect(lab.messages()).toEqual([])

    lab.clock.move(1)
    await Promise.all([lab.sweep(), lab.sweep()])

    expect(lab.messages()).toHaveLength(1)
    await lab.work()
    expect(lab.delivery(hook).state).toBe('delivered')
  })

  it('an attempt that was recorded but whose next message was lost is continued when its own message returns', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [500, 200] })
    await lab.dispatch([anArrival()])
    lab.ports.deliveryQueue.refuses = () => true
    await lab.work()
    expect(lab.delivery(hook)).toMatchObject({ state: 'pending', tries: 1 })
    expect(lab.messages()).toMatchObject([{ attempt: 1 }])

    lab.ports.deliveryQueue.refuses = () => false
    lab.moveToNext()
    await lab.workOnce()

    expect(lab.messages()).toMatchObject([{ attempt: 2 }])
    await lab.work()
    expect(statuses(lab, hook)).toEqual([500, 200])
  })

  it('a lost message of an attempt that arrives after all does nothing, since a new plan replaced it', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [500, 200] })
    await lab.dispatch([anArrival()])
    lab.clock.move(6 * minute)
    await lab.sweep()
    expect(lab.messages()).toHaveLength(2)

    await lab.work()

    expect(lab.requests(hook)).toHaveLength(1)
    await lab.settle()
    expect(lab.requests(hook)).toHaveLength(2)
  })

  it('an attempt is also found after the queue has dropped its message', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    await lab.dispatch([anArrival()])
    const broken = {
      ...lab.ports,
      secretBox: { ...lab.ports.secretBox, open: () => Promise.reject(new Error('gone')) },
    }
    while (lab.dead.length === 0) {
      lab.moveToNext()
      await lab.workOnce(broken)
    }
    expect(lab.messages()).toEqual([])

    await lab.settle()

    expect(lab.delivery(hook)).toMatchObject({ state: 'delivered', begun: {} })
    expect(lab.requests(hook)).toHaveLength(1)
  })

  it('an attempt that kills its function each time fails for good after twenty times, and each is logged', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    await lab.dispatch([anArrival()])
    const deadly = {
      ...lab.ports,
      hookClient: { ...lab.ports.hookClient, send: () => Promise.reject(new Error('killed')) },
    }
    for (let step = 0; lab.delivery(hook).state === 'pending' && step < 200; step += 1) {
      if (!lab.moveToNext()) {
        lab.clock.move(6 * minute)
        await lab.sweep()
      }
      await lab.workOnce(deadly)
    }

    expect(lab.delivery(hook)).toMatchObject({ state: 'failed', attempts: [{ reason: 'interrupted' }] })
    expect(Object.keys(lab.delivery(hook).begun)).toHaveLength(20)
    const { id } = lab.delivery(hook)
    await resendDelivery({ ...lab.ports, clock: lab.clock }, { domain: hook.domain, hookId: hook.id, id })
    await lab.work()

    expect(lab.delivery(hook), 'sent again it has all its runs before it').toMatchObject({
      state: 'delivered',
      begun: {},
    })
    const reasons = lab.delivery(hook).attempts.map(({ reason }) => reason)
    expect(reasons).toEqual([...Array.from({ length: 21 }, () => 'interrupted'), undefined])
  })

  it('a lost attempt is found although another delivery cannot be read, which is logged', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    await lab.dispatch([anArrival()])
    lab.lose()
    lab.clock.move(6 * minute)
    const { deliveries } = lab.ports
    const listDue: typeof deliveries.listDue = async (...given) => {
      return { ...(await deliveries.listDue(...given)), unreadable: ['some delivery'] }
    }

    await lab.sweep({ ...lab.ports, deliveries: { ...deliveries, listDue } })

    expect(lab.messages().map(({ hookId }) => hookId)).toEqual([hook.id])
    expect(lab.log.lines.find(({ message }) => message === 'stored records cannot be read')).toMatchObject({
      level: 'error',
      keys: { count: 1 },
    })
  })

  it('lost attempts are searched page by page, up to the limit of one run', async () => {
    const lab = aDeliveryLab()
    await lab.hook()
    const few = requeueLimits.page * 2 + 1
    for (let count = 0; count < few; count += 1) await lab.dispatch([anArrival()])
    lab.lose()
    lab.clock.move(6 * minute)
    let reads = 0
    const counted = {
      ...lab.ports.deliveries,
      listDue: (...given: Parameters<typeof lab.ports.deliveries.listDue>) => {
        reads += 1
        return lab.ports.deliveries.listDue(...given)
      },
    }

    await lab.sweep({ ...lab.ports, deliveries: counted })

    expect(reads).toBe(3)
    expect(lab.messages()).toHaveLength(few)
  })
})
