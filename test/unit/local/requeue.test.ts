import { expect, it } from 'vitest'
import { queuePending } from '../../../local/platform/requeue.ts'
import type { QueuedDelivery } from '../../../core/hooks/delivery/delivery-queue.ts'
import type { Delivery } from '../../../core/hooks/delivery/delivery.ts'
import { aDelivery } from '../../support/records/records.ts'

const clock = { now: () => Date.UTC(2026, 0, 15) }

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

  const result = await queuePending({ deliveries: storeOf(deliveries), queue, clock })

  expect(result).toEqual({ queued: 3, refused: 0 })
  expect(queue.taken).toEqual(['a', 'b', 'c'])
  expect(queue.asked).toEqual([['a', 'b'], ['b'], ['b'], ['c']])
})

it('a delivery that the queue keeps refusing at the start is counted as refused, and the others are queued', async () => {
  const queue = queueRefusing({ a: Number.MAX_SAFE_INTEGER })

  const result = await queuePending({ deliveries: storeOf(deliveries), queue, clock })

  expect(result).toEqual({ queued: 2, refused: 1 })
  expect(queue.taken).toEqual(['b', 'c'])
  expect(queue.asked).toHaveLength(4)
})
