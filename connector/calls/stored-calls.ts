import type { Log } from '../../adapters/log/logger.ts'
import { type KnownCall, isSameLeg } from '../../core/channels/known-call.ts'
import type { KnownCallStore } from '../../core/channels/known-call-store.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { type WriteBehind, writeBehind } from '../../core/concurrency/write-behind.ts'
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
 * Keeps the store in step with the calls that are known to be up. Stores a call at once, and forgets it when its end has
 * been handed over: a connector that is killed before that leaves the call to its successor. While a peer does this,
 * changes are compared with the store a moment later, and only what is missing there is written. What cannot be written
 * is tried again with growing waits.
 */
export class StoredCalls implements CallWatcher {
  readonly #deps: StoredCallsDeps
  readonly #writes: WriteBehind
  readonly #live = new Map<string, Noted>()
  readonly #ended = new Map<string, Noted>()
  #isStopping = false
  #isClosed = false
  /** When ended calls are looked at next, epoch milliseconds. */
  #lookAt = 0

  constructor(deps: StoredCallsDeps) {
    this.#deps = deps
    this.#writes = writeBehind({
      ...deps,
      paceMs: () => (deps.isStoredByPeer() ? peerChecks.lookMs : paceMs),
      write: () => this.#writeDue(),
      nextMs: () => this.#nextMs(),
      onFailure: (_problem, failures) => {
        if (failures === 1) deps.log.warn('the calls that are up cannot be stored; it will be tried again')
      },
    })
  }

  /** Calls whose newest state is not stored yet, and ended ones that are still stored. */
  get waiting(): number {
    return this.#live.size + this.#ended.size
  }

  live(channel: Channel): void {
    this.#ended.delete(channel.uuid)
    const call = knownCall(channel, this.#deps.clock.now())
    keep(this.#live, channel.uuid, { call, live: call, at: call.knownAt })
    this.#writes.wake()
  }

  ended({ uuid, domain, core }: Channel): void {
    this.#live.delete(uuid)
    if (domain === '' || core === '') return
    keep(this.#ended, uuid, { call: { domain, uuid }, at: this.#deps.clock.now() })
    this.#writes.wake()
  }

  /** A call is now at an engine whose calls other connectors store: nothing that was noted of it before is written. */
  leave({ uuid }: Channel): void {
    this.#live.delete(uuid)
    this.#ended.delete(uuid)
  }

  /** Resolves when all that can be written is stored, or has failed once more. For an orderly stop: nothing ends later. */
  flushed(): Promise<void> {
    this.#isStopping = true
    return this.#writes.flushed()
  }

  /** Stops forgetting calls: what waits now is not handed over by this process. */
  close(): void {
    this.#isClosed = true
  }

  async #writeDue(): Promise<boolean> {
    const { clock, isStoredByPeer } = this.#deps
    const isChecked = isStoredByPeer()
    const now = clock.now()
    const begun = takeUntil(this.#live, isChecked && !this.#isStopping ? now - peerChecks.afterMs : Infinity)
    const over = this.#takeForgettable(now)
    if (begun.length + over.length === 0) return false
    const together = isChecked ? peerChecks.together : undefined
    const attempt = (noted: readonly Noted[]) => failedOf(noted, (chunk) => this.#write(chunk, isChecked), together)
    const failed = [...(await attempt(begun)), ...(await attempt(over))]
    for (const noted of failed) this.#giveBack(noted)
    if (failed.length > 0) throw new Error(`${failed.length} calls could not be stored`)
    return true
  }

  #nextMs(): number | undefined {
    if (this.#live.size > 0) return peerChecks.lookMs
    const isLooking = this.#ended.size > 0 && !this.#isClosed && !this.#isStopping
    return isLooking ? Math.max(0, this.#lookAt - this.#deps.clock.now()) : undefined
  }

  /** Looks every few seconds: what can be forgotten is found by looking at all events that wait. */
  #takeForgettable(now: number): readonly Noted[] {
    const isEarly = now < this.#lookAt && this.#lookAt - now <= lookMs
    if (this.#ended.size === 0 || this.#isClosed || (isEarly && !this.#isStopping)) return []
    this.#lookAt = now + lookMs
    return takeUntil(this.#ended, this.#forgettableTo())
  }

  /** The moment up to which ended calls can be forgotten. */
  #forgettableTo(): number {
    const { handedOverTo, isStoredByPeer } = this.#deps
    if (this.#isStopping) return handedOverTo()
    // The peer forgets it a look earlier.
    return handedOverTo() - settleMs - (isStoredByPeer() ? lookMs + peerChecks.afterMs : 0)
  }

  #giveBack(noted: Noted): void {
    const { uuid } = noted.call
    if (this.#live.has(uuid) || this.#ended.has(uuid)) return
    if (noted.live === undefined) this.#ended.set(uuid, noted)
    else this.#live.set(uuid, noted)
  }

  async #write(noted: readonly Noted[], isChecked: boolean): Promise<void> {
    const { store } = this.#deps
    const due = isChecked ? await this.#outdated(noted) : noted
    const calls = due.flatMap(({ live: call }) => call ?? [])
    const gone = due.filter(({ live: call }) => call === undefined)
    if (calls.length > 0) await store.put(calls)
    if (gone.length > 0) await store.remove(gone.map(({ call }) => call))
  }

  /** Those whose state in the store is another one. */
  async #outdated(noted: readonly Noted[]): Promise<readonly Noted[]> {
    const calls = await this.#deps.store.readEach(noted.map(({ call }) => call))
    const stored = new Map(calls.map((call) => [call.uuid, call]))
    return noted.filter(({ call, live: wanted }) => {
      const found = stored.get(call.uuid)
      return wanted === undefined ? found !== undefined : found === undefined || !isSameLeg(found, wanted)
    })
  }
}

/** Takes what was noted until a moment, epoch milliseconds, from a map in the order of its moments. */
function takeUntil(from: Map<string, Noted>, to: number): readonly Noted[] {
  const taken: Noted[] = []
  for (const [uuid, noted] of from) {
    if (noted.at > to) break
    from.delete(uuid)
    taken.push(noted)
  }
  return taken
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
