import type { Log } from '../../adapters/log/logger.ts'
import type { KnownCall, LegState } from '../../core/channels/known-call.ts'
import type { KnownCallStore, LegKey } from '../../core/channels/known-call-store.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { type WriteBehind, writeBehind } from '../../core/concurrency/write-behind.ts'
import { type CallWatcher, isHungUp } from './call-watcher.ts'
import type { Channel } from './channel.ts'
import { failedOf } from './stored-batches.ts'

/** From the end of one round of writes to the next: what changes meanwhile of a leg is one write. */
const paceMs = 50

/** The ends of a restarted engine's calls are reported 3 s after they are noted, and take a moment. */
const settleMs = 5_000

/** How often ended calls are looked at, while some wait. */
const lookMs = 5_000

/** As many as the registry has channels. What exceeds it while the store is away is not stored, and not removed. */
const maxWaiting = 50_000

export interface StoredCallsDeps extends Time {
  readonly store: Pick<KnownCallStore, 'put' | 'remove'>
  /** All events that were taken before this moment, epoch milliseconds, have been handed over. */
  readonly handedOverTo: () => number
  readonly random: () => number
  readonly log: Log
}

/** A call that has ended, and when this was noted, epoch milliseconds. */
interface Ended extends LegKey {
  readonly at: number
}

/**
 * Keeps the store in step with the calls that are known to be up. Stores what changes of a call at once, and forgets the call
 * when its end has been handed over: a connector that is killed before that leaves the call to its successor. Every
 * connector that hears the call does the same; the store keeps the newest change. What cannot be written is tried again
 * with growing waits.
 */
export class StoredCalls implements CallWatcher {
  readonly #deps: StoredCallsDeps
  readonly #writes: WriteBehind
  readonly #changed = new Map<string, KnownCall>()
  readonly #ended = new Map<string, Ended>()
  #isStopping = false
  #isClosed = false
  /** When ended calls are looked at next, epoch milliseconds. */
  #lookAt = 0

  constructor(deps: StoredCallsDeps) {
    this.#deps = deps
    this.#writes = writeBehind({
      ...deps,
      paceMs: () => paceMs,
      write: () => this.#writeDue(),
      nextMs: () => this.#nextMs(),
      onFailure: (_problem, failures) => {
        if (failures === 1) deps.log.warn('the calls that are up cannot be stored; it will be tried again')
      },
    })
  }

  /** Calls whose newest state is not stored yet, and ended ones that are still stored. */
  get waiting(): number {
    return this.#changed.size + this.#ended.size
  }

  live(channel: Channel): void {
    this.#ended.delete(channel.uuid)
    this.#note(knownCall(channel, isHungUp(channel) ? 'ended' : 'up', this.#deps.clock.now()))
  }

  ended(channel: Channel): void {
    const { uuid, domain, core, presenceId } = channel
    if (domain === '' || core === '') return
    // A leg of an account makes it busy until its end is stored; a hung-up one is noted already.
    if (presenceId === '') this.#changed.delete(uuid)
    else if (!isHungUp(channel)) this.#note(knownCall(channel, 'ended', this.#deps.clock.now()))
    keep(this.#ended, uuid, { domain, uuid, at: this.#deps.clock.now() })
    this.#writes.wake()
  }

  /** Nobody hears the end of this stored call any more: it makes its account busy no longer. It is not removed. */
  abandon(call: KnownCall): void {
    this.#note({ ...call, state: 'ended' })
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

  #note(call: KnownCall): void {
    keep(this.#changed, call.uuid, call)
    this.#writes.wake()
  }

  async #writeDue(): Promise<boolean> {
    const { store, clock } = this.#deps
    const changed = [...this.#changed.values()]
    this.#changed.clear()
    const over = this.#takeForgettable(clock.now())
    if (changed.length + over.length === 0) return false
    const unstored = await failedOf(changed, (call) => store.put(call))
    const isRemoved = await store.remove(over).then(
      () => true,
      () => over.length === 0,
    )
    for (const call of unstored) if (!this.#isWaiting(call)) this.#changed.set(call.uuid, call)
    for (const leg of isRemoved ? [] : over) if (!this.#isWaiting(leg)) this.#ended.set(leg.uuid, leg)
    if (unstored.length > 0 || !isRemoved) throw new Error('some calls could not be stored')
    return true
  }

  #isWaiting({ uuid }: LegKey): boolean {
    return this.#changed.has(uuid) || this.#ended.has(uuid)
  }

  #nextMs(): number | undefined {
    const isLooking = this.#ended.size > 0 && !this.#isClosed && !this.#isStopping
    return isLooking ? Math.max(0, this.#lookAt - this.#deps.clock.now()) : undefined
  }

  /** Looks every few seconds: what can be forgotten is found by looking at all events that wait. */
  #takeForgettable(now: number): readonly Ended[] {
    const isEarly = now < this.#lookAt && this.#lookAt - now <= lookMs
    if (this.#ended.size === 0 || this.#isClosed || (isEarly && !this.#isStopping)) return []
    this.#lookAt = now + lookMs
    const to = this.#deps.handedOverTo() - (this.#isStopping ? 0 : settleMs)
    const taken = [...this.#ended.values()].filter(({ at }) => at <= to)
    for (const { uuid } of taken) this.#ended.delete(uuid)
    return taken
  }
}

/** Puts a value last, so that a map is in the order of its moments. */
function keep<T>(waiting: Map<string, T>, uuid: string, value: T): void {
  waiting.delete(uuid)
  const [oldest] = waiting.size >= maxWaiting ? waiting.keys() : []
  if (oldest !== undefined) waiting.delete(oldest)
  waiting.set(uuid, value)
}

function knownCall(channel: Channel, state: LegState, knownAt: number): KnownCall {
  const { uuid, engine, core, domain, presenceId, direction, createdAt, name, source, origin, changedAt } = channel
  const { callerName, callerNumber, calledNumber } = channel
  const parties = { callerName, callerNumber, calledNumber }
  const facts = { presenceId, direction, ...parties, createdAt, name, source, origin }
  return { uuid, engine, core, domain, ...facts, state, changedAt, knownAt }
}
