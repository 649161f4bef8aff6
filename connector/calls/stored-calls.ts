import type { Log } from '../../adapters/log/logger.ts'
import type { KnownCall, LegState } from '../../core/channels/known-call.ts'
import type { KnownCallStore, LegKey } from '../../core/channels/known-call-store.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { type WriteBehind, failedOf, writeBehind } from '../../core/concurrency/write-behind.ts'
import { type CallWatcher, type Channel, isHungUp } from './channel.ts'

/** From the end of one round of writes to the next: what changes meanwhile of a leg is one write. */
const paceMs = 50

/**
 * The ends of calls that were not hung up, such as those of a restarted engine, are made up 3 s later, and take a
 * moment.
 */
const settleMs = 5_000

/** How often it is looked whether ended calls can be forgotten, while some wait. */
const lookMs = 500

/** The end of a call that cannot be forgotten by then is stored, so that its account is not busy until it can. */
const markMs = 1_000

/** As many as the registry has channels. What exceeds it while the store is away is not stored, and not removed. */
const maxWaiting = 50_000

export interface StoredCallsDeps extends Time {
  readonly store: Pick<KnownCallStore, 'put' | 'remove'>
  /** All events that were taken before this moment, epoch milliseconds, have been handed over. */
  readonly handedOverTo: () => number
  readonly random: () => number
  readonly log: Log
}

/** A change of a call, and when it is to be stored at the earliest, epoch milliseconds. */
interface Changed {
  readonly call: KnownCall
  readonly dueAt: number
}

/**
 * A call that has ended, when this was noted, epoch milliseconds, and for how long its end may not have been taken yet.
 */
interface Ended extends LegKey {
  readonly at: number
  readonly settleMs: number
}

/**
 * Keeps the store in step with the calls that are known to be up. Stores what changes of a call at once, and forgets
 * the call when its end has been handed over: a connector that is killed before that leaves the call to its successor.
 * Every connector that hears the call does the same; the store keeps the newest change. What cannot be written is tried
 * again with growing waits.
 */
export class StoredCalls implements CallWatcher {
  readonly #deps: StoredCallsDeps
  readonly #writes: WriteBehind
  readonly #changed = new Map<string, Changed>()
  /** Calls that were hung up. */
  readonly #marks = new Map<string, Changed>()
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
    return this.#changed.size + this.#marks.size + this.#ended.size
  }

  live(channel: Channel): void {
    const now = this.#deps.clock.now()
    this.#ended.delete(channel.uuid)
    if (isHungUp(channel)) return this.#mark(knownCall(channel, 'ended', now))
    this.#marks.delete(channel.uuid)
    keep(this.#changed, channel.uuid, { call: knownCall(channel, 'up', now), dueAt: now })
    this.#writes.wake()
  }

  ended(channel: Channel): void {
    const { uuid, domain, core, presenceId } = channel
    if (domain === '' || core === '') return
    const now = this.#deps.clock.now()
    this.#changed.delete(uuid)
    // A leg of an account makes it busy until its end is stored; a hung-up one is noted already.
    if (presenceId !== '' && !isHungUp(channel)) this.#mark(knownCall(channel, 'ended', now))
    keep(this.#ended, uuid, { domain, uuid, at: now, settleMs: isHungUp(channel) ? 0 : settleMs })
    this.#writes.wake()
  }

  /** Marks a stored call as ended, since no connector will hear its end: its account is free. The call stays stored. */
  abandon(call: KnownCall): void {
    this.#mark({ ...call, state: 'ended' })
  }

  /** Resolves when all that can be written is stored, or has failed once more. For an orderly stop. */
  flushed(): Promise<void> {
    this.#isStopping = true
    return this.#writes.flushed()
  }

  /** Stops forgetting calls: what waits now is not handed over by this process. */
  close(): void {
    this.#isClosed = true
  }

  #mark(call: KnownCall): void {
    keep(this.#marks, call.uuid, { call, dueAt: this.#deps.clock.now() + markMs })
    this.#writes.wake()
  }

  async #writeDue(): Promise<boolean> {
    const { store, clock } = this.#deps
    const over = this.#takeForgettable(clock.now())
    const changed = this.#takeChanged(clock.now())
    if (changed.length + over.length === 0) return false
    const unstored = await failedOf(changed, ({ call }) => store.put(call))
    const isRemoved = await store.remove(over).then(
      () => true,
      () => over.length === 0,
    )
    for (const one of unstored) this.#giveBack(one)
    for (const leg of isRemoved ? [] : over) {
      if (!this.#changed.has(leg.uuid) && !this.#ended.has(leg.uuid)) this.#ended.set(leg.uuid, leg)
    }
    if (unstored.length > 0 || !isRemoved) throw new Error('some calls could not be stored')
    return true
  }

  #giveBack(one: Changed): void {
    const { uuid, state } = one.call
    if (this.#changed.has(uuid)) return
    if (state === 'ended') this.#marks.set(uuid, one)
    if (state === 'up' && !this.#ended.has(uuid)) this.#changed.set(uuid, one)
  }

  #nextMs(): number | undefined {
    return this.waiting > 0 && !this.#isClosed && !this.#isStopping ? lookMs : undefined
  }

  #takeChanged(now: number): readonly Changed[] {
    // A moment further ahead was noted before the clock was set back.
    const isTime = (dueAt: number) => dueAt <= now || dueAt - now > markMs || this.#isStopping
    const isDue = ({ call, dueAt }: Changed) => isTime(dueAt) && !this.#changed.has(call.uuid)
    const taken = [...this.#marks.values()].filter(isDue)
    for (const { call } of taken) this.#marks.delete(call.uuid)
    const changed = [...this.#changed.values()]
    this.#changed.clear()
    return [...changed, ...taken]
  }

  /** Looks now and then: all calls that wait are looked through. */
  #takeForgettable(now: number): readonly Ended[] {
    const isEarly = now < this.#lookAt && this.#lookAt - now <= lookMs
    if (this.#ended.size === 0 || this.#isClosed || (isEarly && !this.#isStopping)) return []
    this.#lookAt = now + lookMs
    const to = this.#deps.handedOverTo()
    const isOver = (one: Ended) => one.at > now || (this.#isStopping ? one.at <= to : one.at + one.settleMs < to)
    const taken = [...this.#ended.values()].filter(isOver)
    for (const { uuid } of taken) {
      this.#ended.delete(uuid)
      this.#marks.delete(uuid)
    }
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
