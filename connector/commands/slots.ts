import type { Time } from '../timers.ts'

/** A place among the commands that the engine works on at a time. */
export interface Slots {
  /**
   * A place, now or when one becomes free; `undefined` when none did by `deadlineAt` (epoch milliseconds), or when
   * too many wait already. The answer gives it back; calling it again does nothing.
   */
  take(deadlineAt: number): Promise<(() => void) | undefined>
  readonly taken: number
  readonly waiting: number
}

/** Makes `places`, for which at most `queue` may wait, in the order in which they came. */
export function slots({
  places,
  queue,
  clock,
  timers,
}: Time & { readonly places: number; readonly queue: number }): Slots {
  const waiting = new Set<() => void>()
  let taken = 0

  const occupy = () => {
    let isHeld = true
    taken += 1
    return () => {
      if (!isHeld) return
      isHeld = false
      taken -= 1
      const [first] = waiting
      first?.()
    }
  }

  return {
    take: (deadlineAt) => {
      if (taken < places) return Promise.resolve(occupy())
      if (waiting.size >= queue) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const finish = (release: (() => void) | undefined) => {
          waiting.delete(enter)
          cancel()
          resolve(release)
        }
        const enter = () => finish(occupy())
        const cancel = timers.after(Math.max(0, deadlineAt - clock.now()), () => finish(undefined))
        waiting.add(enter)
      })
    },
    get taken() {
      return taken
    },
    get waiting() {
      return waiting.size
    },
  }
}
