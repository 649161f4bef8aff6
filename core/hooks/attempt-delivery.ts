import { DomainError } from '../errors.ts'
import type { DeliveryQueue, QueuedDelivery } from './delivery-queue.ts'
import type { AttemptOutcome, DeliveryStore } from './delivery-store.ts'
import type { Delivery, DeliveryAttempt, DeliveryEvent, DeliveryState } from './delivery.ts'
import type { HookStore } from './hook-store.ts'
import type { Hook } from './hook.ts'
import type { Randomness } from '../ports.ts'
import { type HookCall, callHook, signingKeys } from './call-hook.ts'
import { deliveryLimits } from './delivery-limits.ts'
import { type HookDisabling, disableHook, givesNotice, tellOwner } from './disable-hook.ts'
import { type Verdict, judgeReply } from './judge-reply.ts'
import { queuedAttempt } from './queued-attempt.ts'
import { type SpeedNotes, measured } from './receiver-speed.ts'
import { mayBeRetried, nextAttemptAt } from './retry-schedule.ts'
import { type UsualPlacesDeps, inUsualPlace } from './usual-places.ts'

/** Which attempt is to be made. */
export type WantedAttempt = Omit<QueuedDelivery, 'delaySeconds'>

/** What the use case works with. */
export interface DeliveryTools extends HookCall, HookDisabling, SpeedNotes, UsualPlacesDeps {
  readonly hooks: Pick<
    HookStore,
    'read' | 'replace' | 'endNotice' | 'renewNotice' | 'countFailure' | 'clearFailures' | 'noteSpeed'
  >
  readonly deliveries: Pick<DeliveryStore, 'read' | 'readEvent' | 'beginAttempt' | 'recordAttempt' | 'reschedule'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send'>
  readonly random: Randomness
  /** Whether these are the attempts whose receivers are slow. */
  readonly isSlow: boolean
}

/** What was made of an attempt. */
export interface MadeAttempt {
  readonly attempt: DeliveryAttempt
  /** Where the delivery stands by this attempt. */
  readonly state: DeliveryState
  /** Whether it moved the delivery on; otherwise another one that ran beside it did. */
  readonly isDecisive: boolean
}

/** When a hook is switched off, from the contract: so many failed deliveries over so long, and no success. */
const failing = { deliveries: 20, ms: 5 * 86_400_000 }

/** The status that ends a hook at once: its receiver is gone for good. */
const gone = 410

/**
 * Makes one attempt to deliver, records it, and queues the next one where it failed for now. The hook is read again
 * first: a deleted or disabled one sends nothing. Safe to repeat and to kill anywhere: an attempt that is on record is
 * not made again, its follower is queued instead; one that came early is queued again; one that another plan has
 * replaced does nothing. A domain that has enough usual attempts under way has this one made among the slow ones, and those
 * of this hook for the next minute. Answers what was made, if anything. Throws `store_unavailable` where the message has to come
 * again.
 */
export async function attemptDelivery(tools: DeliveryTools, wanted: WantedAttempt): Promise<MadeAttempt | undefined> {
  const [delivery, hook] = await Promise.all([
    tools.deliveries.read(wanted.domain, wanted.hookId, wanted.id),
    tools.hooks.read(wanted.domain, wanted.hookId),
  ])
  if (hook !== undefined && givesNotice(hook, wanted)) await tellOwner(tools, hook, wanted)
  if (delivery?.state !== 'pending') return undefined
  const now = tools.clock.now()
  const { tries, nextAttemptAt: dueAt = now } = delivery
  if (wanted.attempt === tries && wanted.dueAt === delivery.triedFor) await followUp(tools, delivery, hook)
  if (wanted.attempt === tries + 1 && wanted.dueAt === dueAt) {
    const isHere = tools.isSlow || hook?.slowAt === undefined
    if (dueAt <= now && isHere) return makeOrMove(tools, delivery, hook)
    await queue(tools, delivery, hook)
  }
  return undefined
}

/**
 * The attempt is on record, and whoever recorded it may have been killed before the next one was queued. It is queued
 * under a new plan, which makes void what was queued under the old one: there is one message that counts.
 */
async function followUp(tools: DeliveryTools, delivery: Delivery, hook: Hook | undefined): Promise<void> {
  const at = Math.max((delivery.nextAttemptAt ?? 0) + 1, tools.clock.now())
  if (!(await tools.deliveries.reschedule(delivery, at))) return
  await queue(tools, { ...delivery, nextAttemptAt: at }, hook)
}

async function queue(
  { deliveryQueue, clock }: DeliveryTools,
  delivery: Delivery,
  hook: Hook | undefined,
): Promise<void> {
  const refused = await deliveryQueue.send([queuedAttempt(delivery, clock.now(), hook)])
  if (refused.length > 0) throw new DomainError('store_unavailable', 'the delivery queue did not take the next attempt')
}

/** Makes an attempt, or moves it and its hook among the slow ones where its domain has too many usual ones under way. */
async function makeOrMove(
  tools: DeliveryTools,
  delivery: Delivery,
  hook: Hook | undefined,
): Promise<MadeAttempt | undefined> {
  if (tools.isSlow || hook === undefined) return make(tools, delivery, hook)
  const made = await inUsualPlace(tools, delivery.domain, () => make(tools, delivery, hook))
  if (made !== 'busy') return made
  const slowAt = tools.clock.now()
  // Without the note the next attempts of this hook come here first and are moved one by one.
  await tools.hooks.noteSpeed(hook, slowAt).catch(() => {})
  await queue(tools, delivery, { ...hook, slowAt })
  return undefined
}

async function make(
  tools: DeliveryTools,
  delivery: Delivery,
  hook: Hook | undefined,
): Promise<MadeAttempt | undefined> {
  if (hook === undefined) return unsent(tools, delivery, 'skipped', 'hook_deleted')
  if (!hook.enable) return unsent(tools, delivery, 'skipped', 'hook_disabled')
  const event = await tools.deliveries.readEvent(delivery)
  if (event === undefined) return unsent(tools, delivery, 'failed', 'event_expired')
  if (Object.keys(delivery.begun).length >= deliveryLimits.runs) {
    return unsent(tools, delivery, 'failed', 'interrupted')
  }
  return send(tools, delivery, hook, event)
}

/** Ends a delivery without sending anything. */
async function unsent(
  tools: DeliveryTools,
  delivery: Delivery,
  state: DeliveryState,
  reason: string,
): Promise<MadeAttempt> {
  const attempt = { at: tools.clock.now(), durationMs: 0, reason }
  const recorded = await tools.deliveries.recordAttempt(delivery, { attempt, state })
  return { attempt, state, isDecisive: recorded === 'decided' }
}

async function send(
  tools: DeliveryTools,
  delivery: Delivery,
  hook: Hook,
  event: DeliveryEvent,
): Promise<MadeAttempt | undefined> {
  const keys = await signingKeys(tools.secretBox, hook, tools.clock.now())
  const run = tools.random.uuid()
  if (!(await tools.deliveries.beginAttempt(delivery, run, tools.clock.now()))) return undefined
  const call = () => callHook(tools, { hook, keys }, delivery, event)
  const { called, at, durationMs, speed } = await measured(tools, hook, call)
  const verdict = judgeReply(called)
  const { status, reason, replySnippet } = verdict
  const attempt: DeliveryAttempt = { at, durationMs, status, reason, replySnippet }
  // Before the record: whatever is killed here is made again, whatever is killed behind it is not.
  if (verdict.isSuccess && hook.failures !== undefined) await tools.hooks.clearFailures(hook.domain, hook.id)
  const disabled = status === gone ? await disableHook(tools, hook, 'its receiver answered 410 Gone') : undefined
  const outcome = outcomeOf(tools, { delivery, hook, run, attempt, verdict })
  const recorded = await tools.deliveries.recordAttempt(delivery, outcome)
  const made = { attempt, state: outcome.state, isDecisive: recorded === 'decided' }
  if (disabled !== undefined) await tellOwner(tools, disabled, delivery)
  if (!made.isDecisive) return made
  if (outcome.state === 'pending') {
    const next = { ...delivery, tries: delivery.tries + 1, nextAttemptAt: outcome.nextAttemptAt }
    await queue(tools, next, { ...hook, ...speed })
  }
  if (outcome.state === 'failed') await countFailure(tools, delivery)
  return made
}

interface Made {
  readonly delivery: Delivery
  readonly hook: Hook
  readonly run: string
  readonly attempt: DeliveryAttempt
  readonly verdict: Verdict
}

function outcomeOf(tools: DeliveryTools, { delivery, hook, run, attempt, verdict }: Made): AttemptOutcome {
  if (verdict.isSuccess) return { run, attempt, state: 'delivered' }
  const failed = {
    made: delivery.tries + 1 - delivery.earlierTries,
    at: tools.clock.now(),
    retryAfter: verdict.retryAfter,
  }
  const next = mayBeRetried(attempt) ? nextAttemptAt(hook, failed, () => fraction(tools.random)) : undefined
  return next === undefined
    ? { run, attempt, state: 'failed' }
    : { run, attempt, state: 'pending', nextAttemptAt: next }
}

/** A number from 0 up to but not 1. */
function fraction(random: Randomness): number {
  const [first = 0, second = 0] = random.bytes(2)
  return (first * 256 + second) / 65_536
}

/** Counts the delivery for its hook, and switches that off when it has failed for too long. */
async function countFailure(tools: DeliveryTools, delivery: Delivery): Promise<void> {
  const { domain, hookId, id } = delivery
  const at = tools.clock.now()
  const hook = await tools.hooks.countFailure(domain, hookId, { delivery: id, at })
  if (hook?.enable !== true) return
  const { failures = 0, failingSince = at } = hook
  if (failures < failing.deliveries || at - failingSince < failing.ms) return
  const reason = `${failures} deliveries failed and none succeeded for five days`
  const disabled = await disableHook(tools, hook, reason)
  if (disabled !== undefined) await tellOwner(tools, disabled, delivery)
}
