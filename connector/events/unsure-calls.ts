import type { Presence } from '../../core/accounts/presence.ts'
import { retry } from '../../core/concurrency/retry.ts'
import { type Timers, backoffMs, pause } from '../../core/concurrency/timers.ts'
import type { IsUp, OnEnded, PresenceTracker } from './presence.ts'
import type { PresenceWriter } from './presence-writer.ts'

/** Calls that are asked for at once. */
const together = 16

/** Calls that wait for an answer, as many as the registry has channels; one more counts as ended. */
const maxWaiting = 50_000

/** Stored calls that may have ended since. No event waits until that is known. */
export interface UnsureCalls {
  /** Asks the engines for a call soon, and again with growing waits of 5 s at most, until one can tell. */
  add(account: Pick<Presence, 'domain' | 'login'>, uuid: string): void
  readonly waiting: number
}

export interface UnsureCallsDeps {
  readonly isUp: IsUp
  readonly onEnded: OnEnded
  readonly tracker: () => Pick<PresenceTracker, 'drop'>
  readonly writer: () => Pick<PresenceWriter, 'wake'>
  readonly timers: Timers
  readonly random: () => number
}

/** Makes an empty set of unsure calls. A call counts as up until an engine has answered. */
export function unsureCalls({ isUp, onEnded, tracker, writer, timers, random }: UnsureCallsDeps): UnsureCalls {
  const waiting = new Map<string, Pick<Presence, 'domain' | 'login'>>()
  let isAsking = false

  const drop = (account: Pick<Presence, 'domain' | 'login'>, uuid: string) => {
    tracker().drop(account, uuid)
    writer().wake()
  }

  /** Answers whether it is known now. */
  const judge = async (uuid: string, account: Pick<Presence, 'domain' | 'login'>): Promise<boolean> => {
    const up = await isUp(uuid).catch(() => undefined)
    if (up === undefined) return false
    waiting.delete(uuid)
    if (!up && !(await onEnded(account, uuid))) drop(account, uuid)
    return true
  }

  /** Rejects when no engine could tell. */
  const askAll = async (): Promise<void> => {
    const all = [...waiting]
    for (let start = 0; start < all.length; start += together) {
      const some = all.slice(start, start + together)
      const known = await Promise.all(some.map(([uuid, account]) => judge(uuid, account)))
      for (const [index, [uuid, account]] of some.entries()) if (!known[index]) putLast(uuid, account)
      if (!known.includes(true)) throw new Error('no engine can tell')
    }
  }

  /** The others have their turn first. */
  const putLast = (uuid: string, account: Pick<Presence, 'domain' | 'login'>) => {
    waiting.delete(uuid)
    waiting.set(uuid, account)
  }

  const ask = async () => {
    if (isAsking) return
    isAsking = true
    while (waiting.size > 0) {
      await pause(timers, backoffMs(1, random))
      await retry(askAll, { timers, random })
    }
    isAsking = false
  }

  return {
    add: (account, uuid) => {
      if (waiting.size >= maxWaiting) return drop(account, uuid)
      waiting.set(uuid, account)
      void ask()
    },
    get waiting() {
      return waiting.size
    },
  }
}
