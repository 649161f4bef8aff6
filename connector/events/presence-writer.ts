import type { Log } from '../../adapters/log/logger.ts'
import type { PresenceStore } from '../../core/accounts/presence-store.ts'
import type { Presence } from '../../core/accounts/presence.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { type WriteBehind, writeBehind } from '../../core/concurrency/write-behind.ts'
import { failedOf, peerChecks } from '../calls/stored-batches.ts'
import { type PresenceTracker, halfLifeOf, hasSameParts, isRefreshed } from './presence.ts'

/** From the end of one round of writes to the next: an account that changes meanwhile is written once. */
const paceMs = 100

/** How often it is looked whether refreshed registrations are due, while there are some. */
const refreshLookMs = 5_000

/** Refreshed registrations that a peer should have stored are looked for so long after they were due: it looks as often. */
const refreshedLateMs = refreshLookMs

/**
 * An observation of 2 s may have been overtaken by one that the peer has stored, which it checks for then. A write without
 * a condition ends within a second, so it is made for younger ones only.
 */
const freshMs = 1_000

/** Stores what a tracker learns, once it is woken. */
export type PresenceWriter = Pick<WriteBehind, 'wake' | 'flushed'>

export interface PresenceWriterDeps extends Time {
  readonly store: Pick<PresenceStore, 'put' | 'replace' | 'readEach'>
  readonly tracker: PresenceTracker
  /** Whether another connector that hears the same stores what changes, so that this one only checks it. */
  readonly isStoredByPeer: () => boolean
  readonly random: () => number
  readonly log: Log
}

/**
 * Stores changed accounts soon after `wake`, always in their newest state: changes that come while a write runs
 * become one write. While a peer does this, changes are compared with the store a moment later, and only what is missing
 * there is written. What cannot be stored is tried again with growing waits.
 */
export function presenceWriter(deps: PresenceWriterDeps): PresenceWriter {
  const { store, tracker, isStoredByPeer, clock, log } = deps
  let isStopping = false

  /** A batch has no conditions: what may be older than what is stored goes alone. */
  const write = async (chunk: readonly Presence[]) => {
    const isFresh = ({ observedAt }: Presence) => Math.abs(clock.now() - observedAt) < freshMs
    const together = chunk.length === 1 ? [] : chunk.filter(isFresh)
    if (together.length > 0) await store.replace(together)
    for (const presence of chunk) if (!together.includes(presence)) await store.put(presence)
  }

  /** Whether a phone has refreshed what is stored since, which the peer stores when that is due. */
  const isEarly = (stored: Presence, known: Presence) =>
    !isStopping && isRefreshed(stored, known) && clock.now() < halfLifeOf(stored) + refreshedLateMs + peerChecks.afterMs

  const check = async (chunk: readonly Presence[]) => {
    const stored = await store.readEach(chunk)
    for (const presence of chunk) {
      const found = stored.find((one) => one.domain === presence.domain && isSameLogin(one, presence))
      if (!isMissing(found, presence)) continue
      if (found !== undefined && isEarly(found, presence)) tracker.storedBefore(presence, found)
      else await store.put(presence)
    }
  }

  const writeDue = async (): Promise<boolean> => {
    const isChecked = isStoredByPeer()
    const changed =
      isChecked && !isStopping ? tracker.takeChanged(peerChecks.afterMs, refreshedLateMs) : tracker.takeChanged()
    if (changed.length === 0) return false
    const failed = isChecked ? await failedOf(changed, check, peerChecks.together) : await failedOf(changed, write)
    for (const presence of failed) tracker.giveBack(presence)
    for (const presence of changed) if (!failed.includes(presence)) tracker.stored(presence)
    if (failed.length > 0) throw new Error(`${failed.length} accounts could not be stored`)
    return true
  }

  const writes = writeBehind({
    ...deps,
    paceMs: () => (isStoredByPeer() ? peerChecks.lookMs : paceMs),
    write: writeDue,
    nextMs: () => {
      if (isStopping || !tracker.isWaiting) return undefined
      return isStoredByPeer() ? peerChecks.lookMs : refreshLookMs
    },
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

/** Whether the store lacks what is known. Both connectors observe an event at the same moment of the engine's clock. */
function isMissing(stored: Presence | undefined, known: Presence): boolean {
  if (stored === undefined || stored.observedAt < known.observedAt) return true
  return stored.observedAt === known.observedAt && !hasSameParts(stored, known)
}
