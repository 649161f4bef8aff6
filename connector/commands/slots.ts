import { type Release, Semaphore } from '../../core/concurrency/semaphore.ts'
import type { Time } from '../../core/concurrency/timers.ts'

/** Places among the commands that an engine works on at a time, shared by tenants. */
export interface Slots extends Pick<Semaphore<string | null>, 'taken' | 'waiting' | 'keys'> {
  /**
   * Takes a place for a tenant (a domain; `null` for commands that belong to none), now or when there is one. Returns
   * nothing when there is none by `deadlineAt` (epoch milliseconds), or when too many wait already.
   */
  take(owner: string | null, deadlineAt: number): Promise<Release | undefined>
}

/** Makes a semaphore of `places` with a queue of at most `queue` waiters, which wait until their deadlines. */
export function slots({
  places,
  queue,
  clock,
  timers,
}: Time & { readonly places: number; readonly queue: number }): Slots {
  const semaphore = new Semaphore<string | null>(places, queue)
  return {
    take: async (owner, deadlineAt) => {
      const late = new AbortController()
      const cancel = timers.after(Math.max(0, deadlineAt - clock.now()), () => late.abort())
      const release = await semaphore.take(owner, late.signal)
      cancel()
      return release
    },
    get taken() {
      return semaphore.taken
    },
    get waiting() {
      return semaphore.waiting
    },
    keys: () => semaphore.keys(),
  }
}
