import type { ReceivedEvents } from '../../../core/events/received-events.ts'

/** Events of a batch in memory, and the receipts of those that were acked, by call. */
export interface MemoryReceivedEvents extends ReceivedEvents {
  readonly acked: (readonly string[])[]
}

/** Returns a queue from which nothing is taken, and which notes what is acked. */
export function memoryReceivedEvents(): MemoryReceivedEvents {
  const acked: (readonly string[])[] = []
  return { acked, ack: async (receipts) => void acked.push(receipts) }
}
