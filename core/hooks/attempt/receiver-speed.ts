import type { Timers } from '../../concurrency/timers.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'
import type { Clock } from '../../time.ts'
import type { OwnDelay } from './own-delay.ts'

/**
 * When a receiver counts as slow. A batch of attempts is busy until its slowest is over, so those of slow receivers are
 * not made in one with others.
 */
export const slowness = {
  /** An attempt that takes so long makes it slow: it is noted then, while the attempt goes on. */
  fromMs: 2_000,
  /** An attempt that takes less makes it fast again, when it was not slow for {@link leastMs}. */
  untilMs: 1_000,
  /** One that is slow only now and then stays among the slow ones in between. */
  leastMs: 60_000,
  /** While it stays slow, that is noted again this often at most. */
  renewedMs: 30_000,
} as const

/**
 * When a receiver counts as prompt: dispatch then sends it first attempts itself, without the queue, and waits for the
 * answers before it takes the next events.
 */
export const promptness = {
  /** A success in less time makes it prompt, if it was not late for {@link regainedMs}. */
  givenBelowMs: 250,
  /** An attempt that takes so long makes it late. */
  lostFromMs: 500,
  regainedMs: 60_000,
} as const

export interface SpeedNotes {
  readonly hooks: Pick<HookStore, 'noteSpeed'>
  readonly clock: Clock
  readonly timers: Timers
  readonly ownDelay: Pick<OwnDelay, 'begin'>
}

/** A call that was made, how long it took, and what its receiver is from then on. */
export interface MeasuredCall<T> {
  readonly called: T
  /** Epoch milliseconds. */
  readonly at: number
  readonly durationMs: number
  /** The same without this process's own delay. */
  readonly receiverMs: number
  readonly speed: Pick<Hook, 'slowAt'>
}

/**
 * Makes a call for a hook and records the speed of its receiver: as slow as soon as that is certain, while the call
 * continues. A record that the store refuses is skipped, since the next call is measured, too.
 */
export async function measured<T>(tools: SpeedNotes, hook: Hook, call: () => Promise<T>): Promise<MeasuredCall<T>> {
  const { clock, timers, ownDelay } = tools
  const at = clock.now()
  const delay = ownDelay.begin()
  let noting: Promise<void> | undefined
  let { slowAt } = hook
  const noteSlow = () => {
    if (slowAt !== undefined && clock.now() - slowAt < slowness.renewedMs) return
    slowAt = clock.now()
    noting = note(tools, hook, slowAt)
  }
  const receiverSoFar = () => Math.max(0, clock.now() - at - delay.soFar())
  let cancel = () => {}
  const watch = (waitMs: number) => {
    cancel = timers.after(waitMs, () => {
      const leftMs = slowness.fromMs - receiverSoFar()
      if (leftMs > 0) watch(leftMs)
      else noteSlow()
    })
  }
  watch(slowness.fromMs)
  let ownMs = 0
  const called = await call().finally(() => {
    cancel()
    ownMs = delay.end()
  })
  const durationMs = clock.now() - at
  const receiverMs = Math.max(0, durationMs - ownMs)
  if (receiverMs >= slowness.fromMs) noteSlow()
  await noting
  if (noting === undefined && isFastAgain(hook, clock.now(), receiverMs)) {
    await note(tools, hook, undefined)
    slowAt = undefined
  }
  return { called, at, durationMs, receiverMs, speed: { slowAt } }
}

function isFastAgain({ slowAt }: Hook, now: number, durationMs: number): boolean {
  return slowAt !== undefined && durationMs < slowness.untilMs && now - slowAt >= slowness.leastMs
}

function note({ hooks }: SpeedNotes, hook: Hook, slowAt: number | undefined): Promise<void> {
  return hooks.noteSpeed(hook, slowAt).catch(() => {})
}

/** The ports and tools of {@link notePromptness}. */
export interface PromptnessDeps {
  readonly hooks: Pick<HookStore, 'notePrompt'>
  readonly clock: Clock
}

/**
 * Notes that the receiver of a hook is prompt, or late, after an attempt, if that differs from what the hook says. A
 * note that the store does not take is ignored: the next attempt makes another one.
 */
export async function notePromptness(
  { hooks, clock }: PromptnessDeps,
  hook: Hook,
  { durationMs, isSuccess }: { readonly durationMs: number; readonly isSuccess: boolean },
): Promise<void> {
  const { promptAt, lateAt, slowAt } = hook
  const now = clock.now()
  if (promptAt !== undefined) {
    if (durationMs >= promptness.lostFromMs) await hooks.notePrompt(hook, false, now).catch(() => {})
    return
  }
  const wasLate = slowAt !== undefined || (lateAt !== undefined && now - lateAt < promptness.regainedMs)
  if (wasLate || !isSuccess || durationMs >= promptness.givenBelowMs) return
  await hooks.notePrompt(hook, true, now).catch(() => {})
}
