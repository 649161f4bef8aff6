import type { CleanupQueue, QueuedCleanup } from '../../../core/domains/cleanup-queue.ts'

/** A {@link CleanupQueue} that can be looked into. */
export interface MemoryCleanupQueue extends CleanupQueue {
  /** Everything queued, in order. */
  readonly queued: QueuedCleanup[]
}

/** Deleted domains in memory. */
export function memoryCleanupQueue(): MemoryCleanupQueue {
  const queued: QueuedCleanup[] = []
  return {
    queued,
    async send(cleanup) {
      queued.push(cleanup)
    },
  }
}
