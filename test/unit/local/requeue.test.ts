import { expect, it } from 'vitest'
import { beginOver } from '../../../local/platform/begin-queues.ts'
import { requeueWork } from '../../../local/platform/requeue.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import type { QueuedDelivery } from '../../../core/hooks/delivery/delivery-queue.ts'
import type { Delivery } from '../../../core/hooks/delivery/delivery.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { aDelivery, aDomain } from '../../support/records/records.ts'

const clock = { now: () => Date.UTC(2026, 0, 15) }

const ports = () => ({ ...memoryPorts({ clock, random: systemRandomness }), clock })

/** A store that hands out its deliveries in pages of two. */
const storeOf = (all: readonly Delivery[]) => ({
  async listDue(_before: number, _limit: number, after?: Delivery) {
    const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after.id) + 1
    return { deliveries: all.slice(from, from + 2), unreadable: [] }
  },
})

/** A queue that refuses a delivery the first `times[id]` times. */
function queueRefusing(times: Record<string, number>) {
  const taken: string[] = []
  const asked: string[][] = []
  return {
    taken,
    asked,
    async send(deliveries: readonly QueuedDelivery[]) {
      asked.push(deliveries.map(({ id }) => id))
      return deliveries.flatMap(({ id }) => {
        const left = times[id] ?? 0
        times[id] = left - 1
        if (left > 0) return [id]
        taken.push(id)
        return []
      })
    },
  }
}

const deliveries = ['a', 'b', 'c'].map((id) => aDelivery({ id }))

it('a delivery that the queue refused at the start of the platform is sent again, and no other is sent with it', async () => {
  const queue = queueRefusing({ b: 2 })

  const result = await requeueWork({ ...ports(), deliveries: storeOf(deliveries), deliveryQueue: queue })

  expect(result).toEqual({ queued: 3, refused: 0 })
  expect(queue.taken).toEqual(['a', 'b', 'c'])
  expect(queue.asked).toEqual([['a', 'b'], ['b'], ['b'], ['c']])
})

it('a delivery that the queue keeps refusing at the start is counted as refused, and the others are queued', async () => {
  const queue = queueRefusing({ a: Number.MAX_SAFE_INTEGER })

  const result = await requeueWork({ ...ports(), deliveries: storeOf(deliveries), deliveryQueue: queue })

  expect(result).toEqual({ queued: 2, refused: 1 })
  expect(queue.taken).toEqual(['b', 'c'])
  expect(queue.asked).toHaveLength(4)
})

it('a start queues deliveries and clean-ups that were under way once its queues have begun, and says what was lost or refused', async () => {
  const deps = ports()
  const delivery = aDelivery({ nextAttemptAt: clock.now() + 60_000 })
  await deps.deliveries.create(delivery)
  await deps.domains.create(aDomain({ name: 'gone.example.com' }))
  await deps.domains.beginDeletion('gone.example.com', 5)
  const queued = () => [deps.deliveryQueue.queued, deps.cleanups.queued]
  let before: unknown
  const run = (isLost: boolean) => ({ isLost, begin: () => void (before ??= structuredClone(queued())) })

  expect(await beginOver(run(false), deps)).toEqual([])

  expect(before).toEqual([[], []])
  expect(queued()).toMatchObject([
    [{ id: delivery.id, delaySeconds: 60 }],
    [{ domain: 'gone.example.com', requestedAt: 5, delaySeconds: 0 }],
  ])
  const refusing = { ...deps, deliveryQueue: { send: async () => [delivery.id] } }
  expect(await beginOver(run(true), refusing)).toEqual([
    expect.stringContaining('events since'),
    expect.stringContaining('1 deliveries could not be queued'),
  ])
})
