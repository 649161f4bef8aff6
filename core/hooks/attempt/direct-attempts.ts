import { mapAtMost } from '../../concurrency/semaphore.ts'
import type { Timers } from '../../concurrency/timers.ts'
import type { PlatformEvent } from '../../events/platform-event.ts'
import { type HookCall, callHook, signingKeys } from '../request/call-hook.ts'
import type { SecretBox } from '../../secrets.ts'
import type { QueuedDelivery } from '../delivery/delivery-queue.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import { type Delivery, queuedAttempt } from '../delivery/delivery.ts'
import { reminderOf } from './disable-hook.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'
import type { HooksFor } from '../definition/recent-hooks.ts'
import {
  type MadeAttempt,
  type MadeAttemptDeps,
  type SentAttempt,
  actOnReply,
  countFailure,
  followingAttempt,
  sentAttempt,
} from './made-attempt.ts'
import type { OwnDelay } from './own-delay.ts'
import type { PromptReceivers } from './prompt-receivers.ts'
import { notePromptness, promptness } from './receiver-speed.ts'

/** The ports and tools of {@link attemptDirectly}. */
export interface DirectAttemptDeps extends MadeAttemptDeps, Pick<HookCall, 'hmac'> {
  readonly hooks: Pick<HookStore, 'replace' | 'countFailure' | 'clearFailures' | 'notePrompt'>
  readonly deliveries: Pick<DeliveryStore, 'recordAttempt' | 'recordTogether' | 'reschedule'>
  readonly hookClient: HookCall['hookClient']
  readonly secretBox: Pick<SecretBox, 'open'>
  readonly timers: Timers
  readonly promptReceivers: PromptReceivers
  readonly ownDelay: Pick<OwnDelay, 'begin'>
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

/** The most direct attempts of one domain at a time; the hook client has a hundred connections for a receiver. */
export const directTogether = 40

/**
 * The time from the reading of the hooks to the sending. The contract allows a reading that is 2 s old for a first
 * attempt; the reading is 1 s old at most when a batch begins, and opening the keys and connecting take their part.
 */
export const mostUntilSentMs = 800

/**
 * How long all of them are waited for, and up to as long again where this process is late itself. In a batch with
 * events of several tenants the wait is shorter, because the next events of all of them wait until the batch is over.
 * It is then the time in which a receiver must answer to become prompt: one that has become slower, but not late, is
 * late after such a batch.
 */
export const directMs = { ofOneDomain: 1_000, ofSeveralDomains: promptness.givenBelowMs } as const

type DirectEnd =
  /** An answer, and how long it took without our own delay. */
  | { readonly sent: SentAttempt; readonly receiverMs: number }
  /** No answer in time. */
  | 'late'
  /** Something of ours failed, such as opening the signing key: it says nothing about the receiver. */
  | 'unsent'

/**
 * Makes first attempts to receivers that are known as prompt, side by side, and records all of them in one step.
 * Returns what is to be queued: the next attempts of those that failed for now, the first attempts that had no answer
 * in `waitMs` (one of {@link directMs}) or could not be sent, and a reminder for each hook that was disabled. Attempts
 * without an answer are interrupted runs in the log, and their receivers are late from then on. Where the hooks were
 * read more than {@link mostUntilSentMs} ago (`readAt`, epoch milliseconds), they are read again, and attempts of hooks
 * that changed are queued. Safe to kill anywhere: what is not recorded is pending, and its event comes again.
 */
export async function attemptDirectly(
  deps: DirectAttemptDeps,
  attempts: readonly DirectAttempt[],
  { readAt, waitMs }: { readonly readAt: number; readonly waitMs: number },
): Promise<QueuedDelivery[]> {
  if (attempts.length === 0) return []
  const { current, changed } = await withCurrentHooks(deps, attempts, readAt)
  const ends = await sendAll(deps, current, waitMs)
  const sent = ends.flatMap((each) => (typeof each === 'string' ? [] : [each.sent]))
  const disabled = await actOnReplies(deps, sent)
  const next = await record(deps, sent)
  const unanswered = current.filter((_, index) => typeof ends[index] === 'string')
  return [...disabled.map(reminder), ...next, ...(await replan(deps, [...unanswered, ...changed]))]
}

async function withCurrentHooks(deps: DirectAttemptDeps, attempts: readonly DirectAttempt[], readAt: number) {
  if (deps.clock.now() - readAt <= mostUntilSentMs) return { current: attempts, changed: [] }
  const hooks = await deps.hooksFor(
    attempts[0]?.hook.domain ?? '',
    attempts.map(({ hook }) => hook.event),
  )
  const versions = new Map(hooks.map(({ id, version }) => [id, version]))
  const isCurrent = ({ hook }: DirectAttempt) => versions.get(hook.id) === hook.version
  return { current: attempts.filter(isCurrent), changed: attempts.filter((attempt) => !isCurrent(attempt)) }
}

async function sendAll(
  deps: DirectAttemptDeps,
  attempts: readonly DirectAttempt[],
  waitMs: number,
): Promise<DirectEnd[]> {
  const limit = waitLimit(deps, waitMs)
  const ends = await Promise.all(attempts.map((attempt) => send(deps, attempt, limit))).finally(limit.cancel)
  await judgePaces(deps, attempts, ends)
  return ends
}

interface WaitLimit {
  readonly over: Promise<void>
  readonly signal: AbortSignal
  readonly cancel: () => void
}

/** Begins a wait. It is longer by our own delay, at most twice as long, since a busy process reads its answers last. */
function waitLimit({ timers, ownDelay }: DirectAttemptDeps, waitMs: number): WaitLimit {
  const limit = new AbortController()
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const delay = ownDelay.begin()
  const end = () => {
    resolve()
    limit.abort()
  }
  let stop = timers.after(waitMs, () => {
    const moreMs = Math.min(delay.soFar(), waitMs)
    if (moreMs === 0) end()
    else stop = timers.after(moreMs, end)
  })
  const cancel = () => {
    stop()
    delay.end()
  }
  return { over, signal: limit.signal, cancel }
}

async function send(
  deps: DirectAttemptDeps,
  { delivery, run, hook, event }: DirectAttempt,
  { over, signal }: WaitLimit,
): Promise<DirectEnd> {
  const { clock, hmac } = deps
  const hookClient: HookCall['hookClient'] = { send: (request) => deps.hookClient.send(request, signal) }
  const opened = signingKeys(deps.secretBox, hook, clock.now()).catch(() => undefined)
  const keys = await Promise.race([opened, over])
  if (keys === undefined) return 'unsent'
  const at = clock.now()
  const delay = deps.ownDelay.begin()
  const called = callHook({ clock, hmac, hookClient }, { hook, keys }, delivery, event)
    .then((call): DirectEnd => {
      const durationMs = clock.now() - at
      const sent = sentAttempt(deps, { delivery, hook, run, called: call, at, durationMs })
      return { sent, receiverMs: Math.max(0, durationMs - delay.soFar()) }
    })
    .catch(() => 'unsent' as const)
  return Promise.race([called, over.then(() => 'late' as const)]).finally(delay.end)
}

/**
 * Notes how each receiver did. One that left a request without an answer took all the time; of any other the quickest
 * answer counts, since the others also waited for this process.
 */
async function judgePaces(
  deps: DirectAttemptDeps,
  attempts: readonly DirectAttempt[],
  ends: readonly DirectEnd[],
): Promise<void> {
  const made = attempts.flatMap(({ hook }, index) => {
    const end = ends[index] ?? 'unsent'
    if (end === 'unsent') return []
    if (end === 'late') return { hook, durationMs: directMs.ofOneDomain, isSuccess: false }
    return { hook, durationMs: end.receiverMs, isSuccess: end.sent.outcome.state === 'delivered' }
  })
  const byHook = Map.groupBy(made, ({ hook }) => hook.id)
  await mapAtMost(byHook.values(), directTogether, async (ofHook) => {
    const [first, ...others] = ofHook.toSorted((one, other) => one.durationMs - other.durationMs)
    const pace = others.find(({ durationMs }) => durationMs >= directMs.ofOneDomain) ?? first
    if (pace === undefined || !deps.promptReceivers.note(pace.hook, pace.durationMs, deps.clock.now())) return
    await notePromptness(deps, pace.hook, pace)
  })
}

async function actOnReplies(deps: DirectAttemptDeps, sent: readonly SentAttempt[]): Promise<SentAttempt[]> {
  // Successes do the same for all attempts of a hook, and only one of them can disable it.
  const firsts = new Map(sent.map((each) => [`${each.hook.id} ${each.outcome.attempt.status ?? ''}`, each]))
  const disabled = await mapAtMost(firsts.values(), directTogether, async (each) =>
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
  const next = await mapAtMost(sent, directTogether, async (each) => {
    const { delivery, outcome } = each
    const isDecisive = areDecided || (await deps.deliveries.recordAttempt(delivery, outcome)) === 'decided'
    deps.report(delivery, { attempt: outcome.attempt, state: outcome.state, isDecisive })
    if (!isDecisive) return undefined
    const isDisabled = outcome.state === 'failed' && (await countFailure(deps, delivery)) !== undefined
    return isDisabled ? reminder(each) : followingAttempt(deps, each, each.hook)
  })
  return next.filter((attempt) => attempt !== undefined)
}

/** Plans first attempts anew, which lists them as due, so that they are found again if their message is lost. */
async function replan(deps: DirectAttemptDeps, attempts: readonly DirectAttempt[]): Promise<QueuedDelivery[]> {
  const planned = await mapAtMost(attempts, directTogether, ({ delivery, hook }) => plannedAnew(deps, delivery, hook))
  return planned.filter((attempt) => attempt !== undefined)
}

/** Plans a pending delivery anew and returns the message for it; nothing if somebody else has moved it on. */
export async function plannedAnew(
  { deliveries, clock }: { readonly deliveries: Pick<DeliveryStore, 'reschedule'> } & Pick<DirectAttemptDeps, 'clock'>,
  delivery: Delivery,
  hook: Pick<Hook, 'slowAt'>,
): Promise<QueuedDelivery | undefined> {
  const at = Math.max(clock.now(), (delivery.nextAttemptAt ?? 0) + 1)
  if (!(await deliveries.reschedule(delivery, at))) return undefined
  return queuedAttempt({ ...delivery, nextAttemptAt: at }, at, hook)
}
