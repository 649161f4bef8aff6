import { mapAtMost } from '../../core/concurrency/semaphore.ts'

const parallelCalls = 16

/** Runs `work` on each item, several at a time, and returns the items that failed. */
export async function failedOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<T[]> {
  const failed: T[] = []
  await mapAtMost(items, parallelCalls, (item) => work(item).catch(() => void failed.push(item)))
  return failed
}
