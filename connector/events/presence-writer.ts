import type { Log } from '../../adapters/log/logger.ts'
import type { PresenceStore } from '../../core/accounts/presence-store.ts'
import type { Presence } from '../../core/accounts/presence.ts'
import { type Timers, backoffMs } from '../../core/concurrency/timers.ts'
import type { PresenceTracker } from './presence.ts'

/** Writes at a time. */
const parallelWrites = 8

/** Stores what a tracker learns. */
export interface PresenceWriter {
  /** Something may have changed. */
  wake(): void
  /** Resolves when all that was known on calling is stored, or has failed once more. */
  flushed(): Promise<void>
}

/**
 * Stores changed accounts soon after `wake`, always in their newest state: changes that come while a write runs
 * become one write. What cannot be stored is tried again with growing waits.
 */
export function presenceWriter(parts: {
  readonly store: Pick<PresenceStore, 'put'>
  readonly tracker: PresenceTracker
  readonly timers: Timers
  readonly random: () => number
  readonly log: Log
}): PresenceWriter {
  const { store, tracker, timers, random, log } = parts
  let busy = false
  let current: Promise<void> = Promise.resolve()
  let failures = 0

  const writeBatch = async (batch: readonly Presence[]): Promise<boolean> => {
    let isStored = true
    for (let start = 0; start < batch.length; start += parallelWrites) {
      const slice = batch.slice(start, start + parallelWrites)
      const results = await Promise.allSettled(slice.map((presence) => store.put(presence)))
      for (const [index, presence] of slice.entries()) {
        if (results[index]?.status === 'fulfilled') tracker.stored(presence)
        else {
          tracker.giveBack(presence)
          isStored = false
        }
      }
    }
    return isStored
  }

  const writeAll = async () => {
    for (let batch = tracker.takeChanged(); batch.length > 0; batch = tracker.takeChanged()) {
      if (await writeBatch(batch)) {
        failures = 0
        continue
      }
      failures += 1
      log.warn('the presence of accounts cannot be stored; it will be tried again', { failures })
      timers.after(backoffMs(failures, random), wake)
      break
    }
    busy = false
  }

  const wake = () => {
    if (busy) return
    busy = true
    current = writeAll()
  }

  return {
    wake,
    flushed: async () => {
      await current
      wake()
      await current
    },
  }
}
