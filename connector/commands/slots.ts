import type { Time } from '../../core/concurrency/timers.ts'

/** Places among the commands that an engine works on at a time, shared by tenants. */
export interface Slots {
  /**
   * A place for a tenant (a domain; `null` for commands that belong to none), now or when it gets one; `undefined` when it
   * got none by `deadlineAt` (epoch milliseconds), or when too many wait already. The answer gives the place back;
   * calling it again does nothing.
   */
  take(owner: string | null, deadlineAt: number): Promise<(() => void) | undefined>
  readonly taken: number
  readonly waiting: number
  /** The tenants that have places or wait for one; each is named once for every place and every waiter. */
  owners(): { readonly taken: readonly (string | null)[]; readonly waiting: readonly (string | null)[] }
}

/** One that waits for a place. */
interface Waiter {
  readonly owner: string | null
  readonly enter: () => void
}

/**
 * Makes a semaphore of `places` with a queue of at most `queue` waiters, shared fairly by tenants. A tenant gets no further
 * place while it holds more than are free, and no further waiter while more of its own wait than there is room left, so one
 * tenant never fills either. A free place goes to the tenant that holds the fewest; among equals, to the longest waiter.
 */
export function slots({
  places,
  queue,
  clock,
  timers,
}: Time & { readonly places: number; readonly queue: number }): Slots {
  const waiting = new Set<Waiter>()
  const held = new Map<string | null, number>()
  let taken = 0

  const heldBy = (owner: string | null) => held.get(owner) ?? 0
  const mayTake = (owner: string | null) => taken < places && heldBy(owner) <= places - taken
  const mayWait = (owner: string | null) => {
    const own = [...waiting].filter((waiter) => waiter.owner === owner).length
    return waiting.size < queue && own <= queue - waiting.size
  }

  const occupy = (owner: string | null) => {
    let isHeld = true
    taken += 1
    held.set(owner, heldBy(owner) + 1)
    return () => {
      if (!isHeld) return
      isHeld = false
      taken -= 1
      if (heldBy(owner) === 1) held.delete(owner)
      else held.set(owner, heldBy(owner) - 1)
      letIn()
    }
  }

  /** One place that is given back can make room for several: their tenants may hold more as more places are free. */
  const letIn = () => {
    for (let next = first(); next !== undefined; next = first()) next.enter()
  }

  const first = (): Waiter | undefined =>
    [...waiting]
      .filter(({ owner }) => mayTake(owner))
      .reduce<Waiter | undefined>(
        (best, waiter) => (best === undefined || heldBy(waiter.owner) < heldBy(best.owner) ? waiter : best),
        undefined,
      )

  return {
    take: (owner, deadlineAt) => {
      if (mayTake(owner)) return Promise.resolve(occupy(owner))
      if (!mayWait(owner)) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const finish = (release: (() => void) | undefined) => {
          waiting.delete(waiter)
          cancel()
          resolve(release)
        }
        const waiter = { owner, enter: () => finish(occupy(owner)) }
        const cancel = timers.after(Math.max(0, deadlineAt - clock.now()), () => finish(undefined))
        waiting.add(waiter)
      })
    },
    get taken() {
      return taken
    },
    get waiting() {
      return waiting.size
    },
    owners: () => ({
      taken: [...held].flatMap(([owner, count]) => Array.from({ length: count }, () => owner)),
      waiting: Array.from(waiting, ({ owner }) => owner),
    }),
  }
}
