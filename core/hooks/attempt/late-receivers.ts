import type { Timers } from '../../concurrency/timers.ts'
import type { Clock } from '../../time.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'

/**
 * A receiver that has not answered after so many pauses is late. A process that is busy itself ends its pauses late, so its own
 * delay counts as one pause at most, however long it was.
 */
export const patience = { pauses: 10, pauseMs: 50 } as const

/** A late receiver is late for so long at least: one that is late only now and then gets no first attempts in between. */
const shortestMs = 60_000

/** The ports and tools of {@link notingLateness}. */
export interface LatenessDeps {
  readonly hooks: Pick<HookStore, 'noteLate'>
  readonly clock: Clock
  readonly timers: Timers
}

/**
 * Makes a call for a hook, and notes when its receiver is late: as soon as that is certain, while the call goes on. A call that
 * ends in time ends the note, a minute after it was made at the earliest. A note that the store does not take is skipped, since
 * the next call makes another one.
 */
export async function notingLateness<T>(deps: LatenessDeps, hook: Hook, call: () => Promise<T>): Promise<T> {
  const { hooks, clock } = deps
  let noting: Promise<void> | undefined
  const note = (at: number | undefined) => {
    noting = hooks.noteLate(hook, at).catch(() => {})
  }
  let isLate = false
  const cancel = afterPatience(deps.timers, () => {
    isLate = true
    if (hook.lateAt === undefined) note(clock.now())
  })
  const called = await call().finally(cancel)
  if (!isLate && hook.lateAt !== undefined && clock.now() - hook.lateAt >= shortestMs) note(undefined)
  await noting
  return called
}

/** Calls `run` once when a receiver that was asked now is late; the answer takes it back. */
export function afterPatience(timers: Timers, run: () => void): () => void {
  let left: number = patience.pauses
  let cancel = () => {}
  const wait = () => {
    if (left === 0) return run()
    left -= 1
    cancel = timers.after(patience.pauseMs, wait)
  }
  wait()
  return () => cancel()
}
