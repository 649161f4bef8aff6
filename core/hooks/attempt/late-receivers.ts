import type { Timers } from '../../concurrency/timers.ts'
import type { Clock } from '../../time.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'

/**
 * A receiver that has not answered after so many pauses is late. A process that is busy itself ends its pauses late, so its own
 * delay counts as one pause at most, however long it was.
 */
const patience = { pauses: 5, pauseMs: 50 }

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
  const cancel = afterPauses(deps.timers, patience.pauses, () => {
    isLate = true
    if (hook.lateAt === undefined) note(clock.now())
  })
  const called = await call().finally(cancel)
  if (!isLate && hook.lateAt !== undefined && clock.now() - hook.lateAt >= shortestMs) note(undefined)
  await noting
  return called
}

function afterPauses(timers: Timers, left: number, run: () => void): () => void {
  if (left === 0) {
    run()
    return () => {}
  }
  let cancel = timers.after(patience.pauseMs, () => {
    cancel = afterPauses(timers, left - 1, run)
  })
  return () => cancel()
}
