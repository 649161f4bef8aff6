import type { Timers } from '../../concurrency/timers.ts'
import type { Clock } from '../../time.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'

/**
 * How long receivers may take, in pauses. A process that is busy itself ends its pauses late, so its own delay counts
 * as one pause at most, however long it was.
 */
export const patience = {
  pauseMs: 50,
  /** So long the next events of a domain wait for an answer. */
  answerPauses: 10,
  /** A receiver that has not answered then is late. */
  latePauses: 40,
} as const

/** How long a receiver is late. Then it gets a first attempt again, which shows whether it still is. */
export const lateLifeMs = 60_000

/** Whether the receiver of a hook is known to be late. */
export function isLate({ lateAt }: Pick<Hook, 'lateAt'>, now: number): boolean {
  return lateAt !== undefined && now - lateAt < lateLifeMs
}

/** The ports and tools of {@link notingLateness}. */
export interface LatenessDeps {
  readonly hooks: Pick<HookStore, 'noteLate'>
  readonly clock: Clock
  readonly timers: Timers
}

/**
 * Makes a call for a hook, and notes when its receiver is late: as soon as that is certain, while the call goes on. A
 * note that the store does not take is skipped, since the next call makes another one.
 */
export async function notingLateness<T>(deps: LatenessDeps, hook: Hook, call: () => Promise<T>): Promise<T> {
  let noting: Promise<void> | undefined
  const cancel = afterPauses(deps.timers, patience.latePauses, () => {
    noting = deps.hooks.noteLate(hook, deps.clock.now()).catch(() => {})
  })
  const called = await call().finally(cancel)
  await noting
  return called
}

/** Calls `run` once after so many pauses (1 or more); the answer takes it back. */
export function afterPauses(timers: Timers, pauses: number, run: () => void): () => void {
  let left = pauses
  let cancel = () => {}
  const wait = () => {
    if (left === 0) return run()
    left -= 1
    cancel = timers.after(patience.pauseMs, wait)
  }
  wait()
  return () => cancel()
}
