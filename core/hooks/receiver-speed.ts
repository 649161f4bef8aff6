import type { Timers } from '../concurrency/timers.ts'
import type { HookStore } from './hook-store.ts'
import type { Hook } from './hook.ts'
import type { Clock } from '../ports.ts'

/**
 * When a receiver counts as slow. A batch of attempts is busy until its slowest is over, so those of slow receivers are
 * not made in one with others.
 */
const slowness = {
  /** An attempt that takes so long makes it slow: it is noted then, while the attempt goes on. */
  fromMs: 2_000,
  /** An attempt that takes less makes it fast again, when it was not slow for {@link leastMs}. */
  untilMs: 1_000,
  /** One that is slow only now and then stays among the slow ones in between. */
  leastMs: 60_000,
  /** While it stays slow, that is noted again this often at most. */
  renewedMs: 30_000,
} as const

/** What noting the speed of receivers works with. */
export interface SpeedNotes {
  readonly hooks: Pick<HookStore, 'noteSpeed'>
  readonly clock: Clock
  readonly timers: Timers
}

/** A call that was made, how long it took, and what its receiver is from then on. */
export interface MeasuredCall<T> {
  readonly called: T
  /** Epoch milliseconds. */
  readonly at: number
  readonly durationMs: number
  readonly speed: Pick<Hook, 'slowAt'>
}

/**
 * Makes a call for a hook and notes how its receiver did: as slow as soon as that is certain, while the call goes on. A
 * note that the store does not take is passed over: the next call is measured, too.
 */
export async function measured<T>(tools: SpeedNotes, hook: Hook, call: () => Promise<T>): Promise<MeasuredCall<T>> {
  const { clock, timers } = tools
  const at = clock.now()
  let noting: Promise<void> | undefined
  let { slowAt } = hook
  const noteSlow = () => {
    if (slowAt !== undefined && clock.now() - slowAt < slowness.renewedMs) return
    slowAt = clock.now()
    noting = note(tools, hook, slowAt)
  }
  const cancel = timers.after(slowness.fromMs, noteSlow)
  const called = await call().finally(cancel)
  const durationMs = clock.now() - at
  if (durationMs >= slowness.fromMs) noteSlow()
  await noting
  if (noting === undefined && isFastAgain(hook, clock.now(), durationMs)) {
    await note(tools, hook, undefined)
    slowAt = undefined
  }
  return { called, at, durationMs, speed: { slowAt } }
}

function isFastAgain({ slowAt }: Hook, now: number, durationMs: number): boolean {
  return slowAt !== undefined && durationMs < slowness.untilMs && now - slowAt >= slowness.leastMs
}

function note({ hooks }: SpeedNotes, hook: Hook, slowAt: number | undefined): Promise<void> {
  return hooks.noteSpeed(hook, slowAt).catch(() => {})
}
