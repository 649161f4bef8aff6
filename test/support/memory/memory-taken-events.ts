import type { TakenEvents } from '../../../core/events/taken-events.ts'

/** Events of a batch in memory, and the receipts of those that were removed, by call. */
export interface MemoryTakenEvents extends TakenEvents {
  readonly removed: (readonly string[])[]
}

/** Returns a queue from which nothing is taken, and which notes what is removed. */
export function memoryTakenEvents(): MemoryTakenEvents {
  const removed: (readonly string[])[] = []
  return { removed, remove: async (receipts) => void removed.push(receipts) }
}
