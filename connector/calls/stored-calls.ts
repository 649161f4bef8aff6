import type { Log } from '../../adapters/log/logger.ts'
import type { KnownCall } from '../../core/channels/known-call.ts'
import type { KnownCallStore } from '../../core/channels/known-call-store.ts'
import { type Time, backoffMs } from '../../core/concurrency/timers.ts'
import type { CallWatcher } from './call-watcher.ts'
import type { Channel } from './channel.ts'

/** Writes at a time. */
const parallelWrites = 8

/** The ends of a restarted engine's calls are told 3 s after they are noted, and take a moment. */
const settleMs = 5_000

/** How often it is looked which calls can be forgotten, while some wait. */
const lookMs = 5_000

/** As many as the registry has channels. What exceeds it while the store is away is not stored, and not removed. */
const maxWaiting = 50_000

/** Keeps the store in step with the calls that are known to be up. */
export interface StoredCalls extends CallWatcher {
  /** Resolves when all that can be written is stored, or has failed once more. For an orderly stop: nothing ends later. */
  flushed(): Promise<void>
  /** Nothing is forgotten any more: what waits now is not handed over by this process. */
  close(): void
  /** Calls whose newest state is not stored yet, and ended ones that are still stored. */
  readonly waiting: number
}

/** What storing calls is made from. */
export interface StoredCallsParts extends Time {
  readonly store: Pick<KnownCallStore, 'put' | 'remove'>
  /** All events that were taken before this moment, epoch milliseconds, have been handed over. */
  readonly handedOverTo: () => number
  readonly random: () => number
  readonly log: Log
}

/** One write; `giveBack` puts it among those that wait, unless something newer does. */
interface Write {
  run(): Promise<void>
  giveBack(): void
}

/**
 * Stores a call at once, and forgets it when its end has been handed over: a connector that is killed before that leaves
 * the call to its successor. What cannot be written is tried again with growing waits.
 */
export function storedCalls({ store, handedOverTo, clock, timers, random, log }: StoredCallsParts): StoredCalls {
  const live = new Map<string, KnownCall>()
  const ended = new Map<string, { readonly domain: string; readonly at: number }>()
  let isBusy = false
  let isResting = false
  let isStopping = false
  let isLooking = false
  let isClosed = false
  /** What ended until then, epoch milliseconds, has been told and can be forgotten. */
  let forgettable = Number.NEGATIVE_INFINITY
  let current: Promise<void> = Promise.resolve()
  let failures = 0

  const putOf = (uuid: string, call: KnownCall): Write => ({
    run: () => store.put(call),
    giveBack: () => {
      if (!live.has(uuid) && !ended.has(uuid)) live.set(uuid, call)
    },
  })
  const removalOf = (uuid: string, end: { readonly domain: string; readonly at: number }): Write => ({
    run: () => store.remove(end.domain, uuid),
    giveBack: () => {
      if (!live.has(uuid) && !ended.has(uuid)) ended.set(uuid, end)
    },
  })

  const take = (): Write[] => {
    const writes: Write[] = []
    for (const [uuid, call] of live) {
      if (writes.length === parallelWrites) return writes
      live.delete(uuid)
      writes.push(putOf(uuid, call))
    }
    for (const [uuid, end] of ended) {
      if (writes.length === parallelWrites || end.at > forgettable) break
      ended.delete(uuid)
      writes.push(removalOf(uuid, end))
    }
    return writes
  }

  const writeAll = async () => {
    for (let writes = take(); writes.length > 0; writes = take()) {
      const results = await Promise.allSettled(writes.map((write) => write.run()))
      const failed = writes.filter((_write, index) => results[index]?.status === 'rejected')
      for (const write of failed) write.giveBack()
      failures = failed.length === 0 ? 0 : failures + 1
      if (failures === 0) continue
      if (failures === 1) log.warn('the calls that are up cannot be stored; it will be tried again')
      rest()
      break
    }
    isBusy = false
    if (ended.size > 0) lookSoon()
  }

  const rest = () => {
    isResting = true
    timers.after(backoffMs(failures, random), () => {
      isResting = false
      wake()
    })
  }

  const wake = () => {
    if (isBusy || isResting) return
    isBusy = true
    current = writeAll()
  }

  const look = () => {
    if (!isClosed) forgettable = handedOverTo() - (isStopping ? 0 : settleMs)
  }
  const lookSoon = () => {
    if (isLooking || isStopping) return
    isLooking = true
    timers.after(lookMs, () => {
      isLooking = false
      look()
      wake()
    })
  }

  return {
    live: (channel) => {
      ended.delete(channel.uuid)
      keep(live, channel.uuid, knownCall(channel, clock.now()))
      wake()
    },
    ended: ({ uuid, domain, core }) => {
      live.delete(uuid)
      if (domain === '' || core === '') return
      keep(ended, uuid, { domain, at: clock.now() })
      lookSoon()
    },
    flushed: async () => {
      isStopping = true
      await current
      isResting = false
      look()
      wake()
      await current
    },
    close: () => {
      isClosed = true
      forgettable = Number.NEGATIVE_INFINITY
    },
    get waiting() {
      return live.size + ended.size
    },
  }
}

function keep<T>(waiting: Map<string, T>, uuid: string, value: T): void {
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
