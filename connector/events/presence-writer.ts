import type { Log } from '../../adapters/log/logger.ts'
import type { Presence, PresenceStore } from '../../core/accounts/presence.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { type WriteBehind, failedOf, writeBehind } from '../../core/concurrency/write-behind.ts'
import { type PresenceTracker, dueAt, isRefreshed } from './presence.ts'

/** From the end of one round of writes to the next: an account that changes meanwhile is written once. */
const paceMs = 100

/** How often it is looked whether refreshed registrations are due, while there are some. */
const refreshLookMs = 5_000

/** DynamoDB reads 100 items in a call. */
const readTogether = 100

/** Stores what a tracker learns, once it is woken. */
export type PresenceWriter = Pick<WriteBehind, 'wake' | 'flushed'>

export interface PresenceWriterDeps extends Time {
  readonly store: Pick<PresenceStore, 'put' | 'readEach'>
  readonly tracker: PresenceTracker
  readonly random: () => number
  readonly log: Log
}

/**
 * Stores the phones of accounts soon after `wake`, always in their newest state: changes that come while a write runs
 * become one write. A registration that was only refreshed is stored when half of its stored life has passed, unless
 * another connector has stored it then. What cannot be stored is tried again with growing waits.
 */
export function presenceWriter(deps: PresenceWriterDeps): PresenceWriter {
  const { store, tracker, clock, log } = deps
  let isStopping = false

  /** Those that no other connector has stored lately. */
  const unstored = async (refreshed: readonly Presence[]): Promise<readonly Presence[]> => {
    const stored = await store.readEach(refreshed)
    return refreshed.filter((presence) => {
      const found = stored.find((one) => one.domain === presence.domain && isSameLogin(one, presence))
      const isStored = found !== undefined && isRefreshed(found, presence) && clock.now() < dueAt(found, 0.5)
      if (isStored) tracker.storedBefore(presence, found)
      return !isStored
    })
  }

  const writeRefreshed = async (): Promise<readonly Presence[]> => {
    const due = isStopping ? [] : tracker.takeRefreshed()
    const left: Presence[] = []
    for (let first = 0; first < due.length; first += readTogether) {
      const some = due.slice(first, first + readTogether)
      left.push(...(await unstored(some).catch(() => some)))
    }
    return left
  }

  const writeDue = async (): Promise<boolean> => {
    const changed = [...tracker.takeChanged(), ...(await writeRefreshed())]
    if (changed.length === 0) return false
    const failed = new Set(await failedOf(changed, (presence) => store.put(presence)))
    for (const presence of changed) {
      if (failed.has(presence)) tracker.giveBack(presence)
      else tracker.stored(presence)
    }
    if (failed.size > 0) throw new Error(`${failed.size} accounts could not be stored`)
    return true
  }

  const writes = writeBehind({
    ...deps,
    paceMs: () => paceMs,
    write: writeDue,
    nextMs: () => (isStopping || !tracker.isWaiting ? undefined : refreshLookMs),
    onFailure: (_problem, failures) => {
      if (failures === 1) log.warn('the presence of accounts cannot be stored; it will be tried again')
    },
  })

  return {
    wake: () => writes.wake(),
    flushed: () => {
      isStopping = true
      return writes.flushed()
    },
  }
}

function isSameLogin(one: Presence, other: Presence): boolean {
  return one.login.toLowerCase() === other.login.toLowerCase()
}
