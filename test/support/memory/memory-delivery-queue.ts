import type { DeliveryQueue, QueuedDelivery } from '../../../core/hooks/delivery/delivery-queue.ts'

/** A {@link DeliveryQueue} that can be read and made to refuse. */
export interface MemoryDeliveryQueue extends DeliveryQueue {
  /** Every attempt taken, in order. */
  readonly queued: QueuedDelivery[]
  /** Whether the queue refuses an attempt; it takes all until replaced. */
  refuses: (delivery: QueuedDelivery) => boolean
  /** The answer of `waiting`; 0 until replaced. */
  backlog: number
}

/** Attempts in memory. */
export function memoryDeliveryQueue(): MemoryDeliveryQueue {
  const queue: MemoryDeliveryQueue = {
    queued: [],
    refuses: () => false,
    backlog: 0,
    async send(deliveries) {
      const refused = deliveries.filter((delivery) => queue.refuses(delivery))
      queue.queued.push(...deliveries.filter((delivery) => !refused.includes(delivery)))
      return refused.map((delivery) => delivery.id)
    },
    async waiting() {
      return queue.backlog
    },
  }
  return queue
}
