import type { Clock, Randomness } from '../../time.ts'
import type { CalledHook } from '../request/call-hook.ts'
import type { QueuedDelivery } from '../delivery/delivery-queue.ts'
import type { RecordedAttempt } from '../delivery/delivery-store.ts'
import { type Delivery, type DeliveryAttempt, type DeliveryState, queuedAttempt } from '../delivery/delivery.ts'
import { disableHook } from './disable-hook.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'
import { judgeReply } from './judge-reply.ts'
import { mayBeRetried, nextAttemptAt } from '../delivery/retry-schedule.ts'

/** An attempt that was recorded, as it is logged. */
export interface MadeAttempt {
  readonly attempt: DeliveryAttempt
  readonly state: DeliveryState
  readonly isDecisive: boolean
}

/** The ports and tools for what follows from an attempt. */
export interface MadeAttemptDeps {
  readonly hooks: Pick<HookStore, 'replace' | 'countFailure' | 'clearFailures'>
  readonly clock: Clock
  readonly random: Randomness
}

/** An attempt whose end is known and not recorded yet. */
export interface SentAttempt extends RecordedAttempt {
  /** As it was read before the attempt. */
  readonly hook: Hook
}

/** When a hook is switched off, from the contract: so many failed deliveries over so long, and no success. */
const failing = { deliveries: 20, ms: 5 * 86_400_000 }

/** The status that ends a hook at once: its receiver is gone for good. */
const gone = 410

/** Judges what came of a call, and plans the next attempt if it failed for now. */
export function sentAttempt(
  { clock, random }: Pick<MadeAttemptDeps, 'clock' | 'random'>,
  made: {
    readonly delivery: Delivery
    readonly hook: Hook
    readonly run: string
    readonly called: CalledHook
    /** When it began, epoch milliseconds. */
    readonly at: number
    readonly durationMs: number
  },
): SentAttempt {
  const { delivery, hook, run, called, at, durationMs } = made
  const { isSuccess, retryAfter, ...answer } = judgeReply(called)
  const attempt = { at, durationMs, ...answer }
  if (isSuccess) return { delivery, hook, outcome: { run, attempt, state: 'delivered' } }
  const failed = { made: delivery.tries + 1 - delivery.earlierTries, at: clock.now(), retryAfter }
  const next = mayBeRetried(attempt) ? nextAttemptAt(hook, failed, () => fraction(random)) : undefined
  if (next === undefined) return { delivery, hook, outcome: { run, attempt, state: 'failed' } }
  return { delivery, hook, outcome: { run, attempt, state: 'pending', nextAttemptAt: next } }
}

/**
 * Does what an answer asks for, before it is recorded: a success ends the count of failures, and 410 disables the hook.
 * Returns the hook if it was disabled here: its owner is to be notified.
 */
export async function actOnReply(
  { hooks }: Pick<MadeAttemptDeps, 'hooks'>,
  { hook, outcome }: SentAttempt,
): Promise<Hook | undefined> {
  if (outcome.state === 'delivered' && hook.failures !== undefined) await hooks.clearFailures(hook.domain, hook.id)
  if (outcome.attempt.status !== gone) return undefined
  return disableHook({ hooks }, hook, 'its receiver answered 410 Gone')
}

/** Returns the attempt that follows one that was recorded and failed for now. */
export function followingAttempt(
  { clock }: Pick<MadeAttemptDeps, 'clock'>,
  { delivery, outcome }: SentAttempt,
): QueuedDelivery | undefined {
  if (outcome.state !== 'pending') return undefined
  const next = { ...delivery, tries: delivery.tries + 1, nextAttemptAt: outcome.nextAttemptAt }
  return queuedAttempt(next, clock.now())
}

/**
 * Counts a delivery that failed for good, and disables its hook when it has failed for too long. Returns the hook if it
 * was disabled here: its owner is to be notified.
 */
export async function countFailure(
  { hooks, clock }: Pick<MadeAttemptDeps, 'hooks' | 'clock'>,
  { domain, hookId, id }: Delivery,
): Promise<Hook | undefined> {
  const at = clock.now()
  const hook = await hooks.countFailure(domain, hookId, { delivery: id, at })
  if (hook?.enable !== true) return undefined
  const { failures = 0, failingSince = at } = hook
  if (failures < failing.deliveries || at - failingSince < failing.ms) return undefined
  return disableHook({ hooks }, hook, `${failures} deliveries failed and none succeeded for five days`)
}

function fraction(random: Randomness): number {
  const [first = 0, second = 0] = random.bytes(2)
  return (first * 256 + second) / 65_536
}
