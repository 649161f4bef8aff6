import { DomainError } from '../../errors.ts'
import type { DeliveryQueue, QueuedDelivery } from '../delivery/delivery-queue.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import type { Delivery, DeliveryEvent, DeliveryState } from '../delivery/delivery.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'
import type { Randomness } from '../../time.ts'
import { type HookCall, callHook, signingKeys } from '../request/call-hook.ts'
import { deliveryLimits } from '../delivery/delivery-limits.ts'
import { type HookDisabling, givesNotice, tellOwner } from './disable-hook.ts'
import { type MadeAttempt, actOnReply, countFailure, followingAttempt, sentAttempt } from './made-attempt.ts'
import { queuedAttempt } from '../delivery/queued-attempt.ts'
import { type SpeedNotes, measured, notePromptness, slowness } from './receiver-speed.ts'
import { type UsualPlacesDeps, inUsualPlace } from './usual-places.ts'

/** The attempt that is to be made. */
export type WantedAttempt = Omit<QueuedDelivery, 'delaySeconds'>

/** The ports and tools of {@link attemptDelivery}. */
export interface DeliveryTools extends HookCall, HookDisabling, SpeedNotes, UsualPlacesDeps {
  readonly hooks: Pick<
    HookStore,
    'read' | 'replace' | 'endNotice' | 'renewNotice' | 'countFailure' | 'clearFailures' | 'noteSpeed' | 'notePrompt'
  >
  readonly deliveries: Pick<DeliveryStore, 'read' | 'readEvent' | 'beginAttempt' | 'recordAttempt' | 'reschedule'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send'>
  readonly random: Randomness
  /** Whether these are the attempts whose receivers are slow. */
  readonly isSlow: boolean
}

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
 * The attempt is on record, and the function that recorded it may have been killed before the next one was queued. It is queued
 * under a new plan, which makes void what was queued under the old one: there is one message that counts.
 */
async function followUp(tools: DeliveryTools, delivery: Delivery, hook: Hook | undefined): Promise<void> {
  const at = Math.max((delivery.nextAttemptAt ?? 0) + 1, tools.clock.now())
  if (!(await tools.deliveries.reschedule(delivery, at))) return
  await queue(tools, { ...delivery, nextAttemptAt: at }, hook)
}

function queue(tools: DeliveryTools, delivery: Delivery, hook: Hook | undefined): Promise<void> {
  return enqueue(tools, queuedAttempt(delivery, tools.clock.now(), hook))
}

async function enqueue({ deliveryQueue }: DeliveryTools, attempt: QueuedDelivery): Promise<void> {
  const refused = await deliveryQueue.send([attempt])
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
  // Noted as of a minute ago: a receiver that answers within a second is fast again after its first attempt.
  const slowAt = tools.clock.now() - slowness.leastMs
  // Without the note the next attempts of this hook come here first and are moved one by one.
  if (hook.promptAt === undefined) await tools.hooks.noteSpeed(hook, slowAt).catch(() => {})
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
  return callAndRecord(tools, delivery, hook, event)
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

async function callAndRecord(
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
  const sent = sentAttempt(tools, { delivery, hook, run, called, at, durationMs })
  const { attempt, state } = sent.outcome
  // Before the record: whatever is killed here is made again, whatever is killed after it is not.
  const disabled = await actOnReply(tools, sent)
  const isDecisive = (await tools.deliveries.recordAttempt(delivery, sent.outcome)) === 'decided'
  await notePromptness(tools, hook, { durationMs, isSuccess: sent.outcome.state === 'delivered' })
  if (disabled !== undefined) await tellOwner(tools, disabled, delivery)
  if (!isDecisive) return { attempt, state, isDecisive }
  const next = followingAttempt(tools, sent, { ...hook, ...speed })
  if (next !== undefined) await enqueue(tools, next)
  const given = state === 'failed' ? await countFailure(tools, delivery) : undefined
  if (given !== undefined) await tellOwner(tools, given, delivery)
  return { attempt, state, isDecisive }
}
