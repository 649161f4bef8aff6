import type { Log } from '../../adapters/log/logger.ts'
import { type KnownCall, isSameLeg } from '../../core/channels/known-call.ts'
import type { KnownCallStore } from '../../core/channels/known-call-store.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { writeBehind } from '../../core/concurrency/write-behind.ts'
import type { CallWatcher } from './call-watcher.ts'
import type { Channel } from './channel.ts'
import { failedOf, peerChecks } from './stored-batches.ts'

/** From the end of one round of writes to the next: calls that begin meanwhile share its calls to the store. */
const paceMs = 50

/** The ends of a restarted engine's calls are reported 3 s after they are noted, and take a moment. */
const settleMs = 5_000

/** How often ended calls are looked at, while some wait. */
const lookMs = 5_000

/** As many as the registry has channels. What exceeds it while the store is away is not stored, and not removed. */
const maxWaiting = 50_000

/** Keeps the store in step with the calls that are known to be up. */
export interface StoredCalls extends CallWatcher {
  /** Resolves when all that can be written is stored, or has failed once more. For an orderly stop: nothing ends later. */
  flushed(): Promise<void>
  /** Stops forgetting calls: what waits now is not handed over by this process. */
  close(): void
  /** Calls whose newest state is not stored yet, and ended ones that are still stored. */
  readonly waiting: number
}

export interface StoredCallsDeps extends Time {
  readonly store: Pick<KnownCallStore, 'put' | 'readEach' | 'remove'>
  /** All events that were taken before this moment, epoch milliseconds, have been handed over. */
  readonly handedOverTo: () => number
  /** Whether another connector that hears the same stores what changes, so that this one only checks it. */
  readonly isStoredByPeer: () => boolean
  readonly random: () => number
  readonly log: Log
}

/** A call that is up, or one that has ended, and when this was noted, epoch milliseconds. */
interface Noted {
  readonly call: Pick<KnownCall, 'domain' | 'uuid'>
  /** Absent when the call has ended. */
  readonly live?: KnownCall
  readonly at: number
}

/**
 * Stores a call at once, and forgets it when its end has been handed over: a connector that is killed before that leaves
 * the call to its successor. While a peer does this, changes are compared with the store a moment later, and only what
 * is missing there is written. What cannot be written is tried again with growing waits.
 */
export function storedCalls(deps: StoredCallsDeps): StoredCalls {
  const { store, handedOverTo, isStoredByPeer, clock, log } = deps
  const live = new Map<string, Noted>()
  const ended = new Map<string, Noted>()
  let isStopping = false
  let isClosed = false
  /** When ended calls are looked at next, epoch milliseconds. */
  let lookAt = 0

  /** The moment up to which ended calls can be forgotten. */
  const forgettableTo = () => {
    if (isStopping) return handedOverTo()
    // The peer forgets it a look earlier.
    return handedOverTo() - settleMs - (isStoredByPeer() ? lookMs + peerChecks.afterMs : 0)
  }

  const take = (from: Map<string, Noted>, to: number): Noted[] => {
    const taken: Noted[] = []
    for (const [uuid, noted] of from) {
      if (noted.at > to) break
      from.delete(uuid)
      taken.push(noted)
    }
    return taken
  }

  const giveBack = (noted: Noted) => {
    const { uuid } = noted.call
    if (live.has(uuid) || ended.has(uuid)) return
    if (noted.live === undefined) ended.set(uuid, noted)
    else live.set(uuid, noted)
  }

  /** Those whose state in the store is another one. */
  const outdated = async (noted: readonly Noted[]): Promise<readonly Noted[]> => {
    const stored = new Map((await store.readEach(noted.map(({ call }) => call))).map((call) => [call.uuid, call]))
    return noted.filter(({ call, live: wanted }) => {
      const found = stored.get(call.uuid)
      return wanted === undefined ? found !== undefined : found === undefined || !isSameLeg(found, wanted)
    })
  }

  const write = async (noted: readonly Noted[], isChecked: boolean): Promise<void> => {
    const due = isChecked ? await outdated(noted) : noted
    const calls = due.flatMap(({ live: call }) => call ?? [])
    const gone = due.filter(({ live: call }) => call === undefined)
    if (calls.length > 0) await store.put(calls)
    if (gone.length > 0) await store.remove(gone.map(({ call }) => call))
  }

  /** Looks every few seconds: what can be forgotten is found by looking at all events that wait. */
  const takeForgettable = (now: number) => {
    const isEarly = now < lookAt && lookAt - now <= lookMs
    if (ended.size === 0 || isClosed || (isEarly && !isStopping)) return []
    lookAt = now + lookMs
    return take(ended, forgettableTo())
  }

  const writeDue = async (): Promise<boolean> => {
    const isChecked = isStoredByPeer()
    const now = clock.now()
    const begun = take(live, isChecked && !isStopping ? now - peerChecks.afterMs : Infinity)
    const over = takeForgettable(now)
    if (begun.length + over.length === 0) return false
    const together = isChecked ? peerChecks.together : undefined
    const attempt = (noted: readonly Noted[]) => failedOf(noted, (chunk) => write(chunk, isChecked), together)
    const failed = [...(await attempt(begun)), ...(await attempt(over))]
    failed.forEach(giveBack)
    if (failed.length > 0) throw new Error(`${failed.length} calls could not be stored`)
    return true
  }

  const writes = writeBehind({
    ...deps,
    paceMs: () => (isStoredByPeer() ? peerChecks.lookMs : paceMs),
    write: writeDue,
    nextMs: () => {
      if (live.size > 0) return peerChecks.lookMs
      return ended.size > 0 && !isClosed && !isStopping ? Math.max(0, lookAt - clock.now()) : undefined
    },
    onFailure: (_problem, failures) => {
      if (failures === 1) log.warn('the calls that are up cannot be stored; it will be tried again')
    },
  })

  return {
    live: (channel) => {
      ended.delete(channel.uuid)
      const call = knownCall(channel, clock.now())
      keep(live, channel.uuid, { call, live: call, at: call.knownAt })
      writes.wake()
    },
    ended: ({ uuid, domain, core }) => {
      live.delete(uuid)
      if (domain === '' || core === '') return
      keep(ended, uuid, { call: { domain, uuid }, at: clock.now() })
      writes.wake()
    },
    flushed: () => {
      isStopping = true
      return writes.flushed()
    },
    close: () => {
      isClosed = true
    },
    get waiting() {
      return live.size + ended.size
    },
  }
}

/** Puts a value last, so that a map is in the order of its moments. */
function keep<T>(waiting: Map<string, T>, uuid: string, value: T): void {
  waiting.delete(uuid)
  const [oldest] = waiting.size >= maxWaiting ? waiting.keys() : []
  if (oldest !== undefined) waiting.delete(oldest)
  waiting.set(uuid, value)
}

function knownCall(channel: Channel, knownAt: number): KnownCall {
  const { uuid, engine, core, domain, presenceId, direction, createdAt, name, source, origin } = channel
  const { callerName, callerNumber, calledNumber } = channel
  const parties = { callerName, callerNumber, calledNumber }
  return { uuid, engine, core, domain, presenceId, direction, ...parties, createdAt, name, source, origin, knownAt }
}
