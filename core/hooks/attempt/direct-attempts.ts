import { DomainError } from '../../errors.ts'
import { mapAtMost } from '../../concurrency/semaphore.ts'
import type { Timers } from '../../concurrency/timers.ts'
import type { PlatformEvent } from '../../events/platform-event.ts'
import { type HookCall, callHook, signingKeys } from '../request/call-hook.ts'
import type { SecretBox } from '../../secrets.ts'
import type { DeliveryQueue, QueuedDelivery } from '../delivery/delivery-queue.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import { type Delivery, queuedAttempt } from '../delivery/delivery.ts'
import { reminderOf } from './disable-hook.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'
import type { HooksFor } from '../definition/recent-hooks.ts'
import { type LatenessDeps, afterPauses, notingLateness, patience } from './late-receivers.ts'
import {
  type MadeAttempt,
  type MadeAttemptDeps,
  type SentAttempt,
  actOnReply,
  countFailure,
  followingAttempt,
  sentAttempt,
} from './made-attempt.ts'

/** The ports and tools of {@link attemptDirectly}. */
export interface DirectAttemptDeps extends MadeAttemptDeps, LatenessDeps, HookCall {
  readonly hooks: Pick<HookStore, 'replace' | 'countFailure' | 'clearFailures' | 'noteLate'>
  readonly deliveries: Pick<DeliveryStore, 'recordAttempt' | 'recordTogether' | 'reschedule'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send'>
  readonly secretBox: Pick<SecretBox, 'open'>
  readonly hooksFor: HooksFor
  readonly report: (delivery: Delivery, made: MadeAttempt) => void
}

/** A first attempt that is made without the queue. Its delivery was written with the run already begun. */
export interface DirectAttempt {
  readonly delivery: Delivery
  readonly run: string
  readonly hook: Hook
  readonly event: PlatformEvent
}

/**
 * The longest time until a signing key is open. A reading of hooks is 1 s old at most then, and a hook that is disabled
 * or deleted may get first attempts for 2 s.
 */
const mostUntilSentMs = 800

/** Results that are written one by one are written so many at a time, since others use the store as well. */
const writesAtOnce = 40

/** When an attempt without an answer would be made again: its function has ended before. */
export const againMs = 30_000

/** What {@link attemptDirectly} leaves. */
export interface DirectEnd {
  readonly queued: readonly QueuedDelivery[]
  /** Attempts that had no answer yet. Each settles when its end is recorded, and none fails. */
  readonly later: readonly Promise<void>[]
}

/**
 * Makes first attempts side by side, and records those that are answered within half a second in one step. Returns what
 * is to be queued: attempts of hooks that changed meanwhile or that could not be sent, the next attempts of those that
 * failed for now, and a reminder for each hook that was disabled. An attempt without an answer goes on and is recorded
 * by itself. It is planned for {@link againMs} later, and has a message for then, which is void unless this process is
 * killed. Safe to kill anywhere. Where it fails, no request is under way.
 */
export async function attemptDirectly(deps: DirectAttemptDeps, attempts: readonly DirectAttempt[]): Promise<DirectEnd> {
  if (attempts.length === 0) return { queued: [], later: [] }
  const { current, changed } = await withCurrentHooks(deps, attempts)
  const sendings = current.map((attempt) => beginSending(deps, attempt))
  const allEnded = Promise.all(sendings.map(({ ended }) => ended))
  await whilePatient(deps.timers, allEnded)
  try {
    const waiting = sendings.filter(({ isOver }) => !isOver)
    const over = sendings.filter(({ isOver }) => isOver)
    const queued = [...(await finishAll(deps, over)), ...(await replan(deps, changed))]
    const handed = await mapAtMost(waiting, writesAtOnce, ({ attempt }) => handOver(deps, attempt))
    // What the store did not plan is waited for here: an answer that is known is recorded, and not asked for again.
    const unplanned = waiting.filter((_, index) => handed[index] === undefined)
    await Promise.all(unplanned.map(({ ended }) => ended))
    queued.push(...(await finishAll(deps, unplanned)), ...handed.flatMap((each) => each?.message ?? []))
    const later = waiting.map((sending, index) => finishLater(deps, sending, handed[index]?.delivery))
    return { queued, later }
  } catch (failure) {
    await allEnded
    throw failure
  }
}

/**
 * Separates the attempts whose hooks are still as they were. A reading of hooks is good for a second, so most read
 * nothing.
 */
async function withCurrentHooks(deps: DirectAttemptDeps, attempts: readonly DirectAttempt[]) {
  const hooks = await deps.hooksFor(
    attempts[0]?.hook.domain ?? '',
    attempts.map(({ hook }) => hook.event),
  )
  const versions = new Map(hooks.map(({ id, version }) => [id, version]))
  const isCurrent = ({ hook }: DirectAttempt) => versions.get(hook.id) === hook.version
  return { current: attempts.filter(isCurrent), changed: attempts.filter((attempt) => !isCurrent(attempt)) }
}

/** A request under way. */
interface Sending {
  readonly attempt: DirectAttempt
  readonly ended: Promise<void>
  isOver: boolean
  /** Absent when it is over: it could not be sent, which says nothing about the receiver. */
  sent?: SentAttempt
}

function beginSending(deps: DirectAttemptDeps, attempt: DirectAttempt): Sending {
  const end = (sent: SentAttempt | undefined) => {
    sending.isOver = true
    if (sent !== undefined) sending.sent = sent
  }
  const ended = Promise.resolve().then(async () => end(await send(deps, attempt).catch(() => undefined)))
  const sending: Sending = { attempt, ended, isOver: false }
  return sending
}

async function send(deps: DirectAttemptDeps, { delivery, run, hook, event }: DirectAttempt): Promise<SentAttempt> {
  const { clock } = deps
  const begunAt = clock.now()
  const keys = await signingKeys(deps.secretBox, hook, begunAt)
  const at = clock.now()
  if (at - begunAt > mostUntilSentMs) throw new DomainError('store_unavailable', 'the hook was read too long ago')
  const called = await notingLateness(deps, hook, () => callHook(deps, { hook, keys }, delivery, event))
  return sentAttempt(deps, { delivery, hook, run, called, at, durationMs: clock.now() - at })
}

async function whilePatient(timers: Timers, work: Promise<unknown>): Promise<void> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>()
  const cancel = afterPauses(timers, patience.answerPauses, resolve)
  await Promise.race([work, isOver]).finally(cancel)
}

/**
 * Lists an attempt as due later, so that it is found if this process is killed, and returns the message for that;
 * `undefined` if the store did not take it.
 */
async function handOver(deps: DirectAttemptDeps, { delivery }: DirectAttempt) {
  try {
    const message = await plannedAnew(deps, delivery, deps.clock.now() + againMs)
    if (message === undefined) return { delivery, message: [] }
    return { delivery: { ...delivery, nextAttemptAt: message.dueAt }, message: [message] }
  } catch {
    return undefined
  }
}

/** Records an attempt when it ends. Whatever fails here is done by the message for it. */
async function finishLater(deps: DirectAttemptDeps, sending: Sending, delivery?: Delivery): Promise<void> {
  await sending.ended
  if (sending.sent === undefined || delivery === undefined) return
  try {
    const next = await finish(deps, [{ ...sending.sent, delivery }])
    if (next.length > 0) await deps.deliveryQueue.send(next)
  } catch {}
}

/** Records attempts that are over and plans those anew that could not be sent. Returns what is to be queued. */
async function finishAll(deps: DirectAttemptDeps, over: readonly Sending[]): Promise<QueuedDelivery[]> {
  const unsent = over.filter(({ sent }) => sent === undefined).map(({ attempt }) => attempt)
  const next = await finish(
    deps,
    over.flatMap(({ sent = [] }) => sent),
  )
  return [...next, ...(await replan(deps, unsent))]
}

/** Does what answers ask for, records them, and returns what is to be queued after them. */
async function finish(deps: DirectAttemptDeps, sent: readonly SentAttempt[]): Promise<QueuedDelivery[]> {
  const disabled = await actOnReplies(deps, sent)
  const next = await record(deps, sent)
  return [...disabled.map(reminder), ...next]
}

async function actOnReplies(deps: DirectAttemptDeps, sent: readonly SentAttempt[]): Promise<SentAttempt[]> {
  // Successes do the same for all attempts of a hook, and only one of them can disable it.
  const firsts = new Map(sent.map((each) => [`${each.hook.id} ${each.outcome.attempt.status ?? ''}`, each]))
  const disabled = await mapAtMost(firsts.values(), writesAtOnce, async (each) =>
    (await actOnReply(deps, each)) === undefined ? [] : [each],
  )
  return disabled.flat()
}

/**
 * Returns the message for a hook that was disabled: the function that delivers notifies its owner. If the queue does
 * not take it, the event comes again and queues it then.
 */
function reminder({ delivery }: Pick<SentAttempt, 'delivery'>): QueuedDelivery {
  return reminderOf(delivery, 0)
}

async function record(deps: DirectAttemptDeps, sent: readonly SentAttempt[]): Promise<QueuedDelivery[]> {
  if (sent.length === 0) return []
  // A transaction of one attempt would cost twice the write units of an update.
  const areDecided = sent.length > 1 && (await deps.deliveries.recordTogether(sent))
  const next = await mapAtMost(sent, writesAtOnce, async (each) => {
    const { delivery, outcome } = each
    const isDecisive = areDecided || (await deps.deliveries.recordAttempt(delivery, outcome)) === 'decided'
    deps.report(delivery, { attempt: outcome.attempt, state: outcome.state, isDecisive })
    if (!isDecisive) return undefined
    const isDisabled = outcome.state === 'failed' && (await countFailure(deps, delivery)) !== undefined
    return isDisabled ? reminder(each) : followingAttempt(deps, each)
  })
  return next.filter((attempt) => attempt !== undefined)
}

/** Plans first attempts anew, which lists them as due, so that they are found again if their message is lost. */
async function replan(deps: DirectAttemptDeps, attempts: readonly DirectAttempt[]): Promise<QueuedDelivery[]> {
  const planned = await mapAtMost(attempts, writesAtOnce, ({ delivery }) => plannedAnew(deps, delivery))
  return planned.filter((attempt) => attempt !== undefined)
}

/**
 * Plans a pending delivery anew, for now or for another moment (epoch milliseconds), and returns the message for it;
 * nothing if somebody else has moved it on.
 */
export async function plannedAnew(
  { deliveries, clock }: { readonly deliveries: Pick<DeliveryStore, 'reschedule'> } & Pick<DirectAttemptDeps, 'clock'>,
  delivery: Delivery,
  wantedAt = clock.now(),
): Promise<QueuedDelivery | undefined> {
  const at = Math.max(wantedAt, (delivery.nextAttemptAt ?? 0) + 1)
  if (!(await deliveries.reschedule(delivery, at))) return undefined
  return queuedAttempt({ ...delivery, nextAttemptAt: at }, clock.now())
}
