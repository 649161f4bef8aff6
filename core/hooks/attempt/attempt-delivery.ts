import { DomainError } from '../../errors.ts'
import type { DeliveryQueue, QueuedDelivery } from '../delivery/delivery-queue.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import {
  type Delivery,
  type DeliveryEvent,
  type DeliveryState,
  deliveryLimits,
  queuedAttempt,
} from '../delivery/delivery.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'
import type { Randomness } from '../../time.ts'
import { type HookCall, callHook, signingKeys } from '../request/call-hook.ts'
import { type HookDisabling, givesNotice, tellOwner } from './disable-hook.ts'
import { type MadeAttempt, actOnReply, countFailure, followingAttempt, sentAttempt } from './made-attempt.ts'
import { type SpeedNotes, measured, notePromptness, slowness } from './receiver-speed.ts'
import { type UsualPlacesDeps, inUsualPlace } from './usual-places.ts'

/** The attempt that is to be made. */
export type WantedAttempt = Omit<QueuedDelivery, 'delaySeconds'>

/** The ports of {@link attemptDelivery}. */
export interface AttemptDeps extends HookCall, HookDisabling, SpeedNotes, UsualPlacesDeps {
  readonly hooks: Pick<
    HookStore,
    'read' | 'replace' | 'endNotice' | 'renewNotice' | 'countFailure' | 'clearFailures' | 'noteSpeed' | 'notePrompt'
  >
  readonly deliveries: Pick<DeliveryStore, 'read' | 'readEvent' | 'beginAttempt' | 'recordAttempt' | 'reschedule'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send'>
  readonly random: Randomness
  readonly isSlow: boolean
}

/**
 * Makes one attempt to deliver, records it, and queues the next one where it failed for now. The hook is read again
 * first: a deleted or disabled one sends nothing. Safe to repeat and to kill anywhere: an attempt that is on record is
 * not made again, its follower is queued instead; one that came early is queued again; one that another plan has
 * replaced does nothing. A domain that has enough usual attempts under way has this one made among the slow ones, and
 * those of this hook for the next minute. Answers what was made, if anything. Throws `store_unavailable` where the
 * message has to come again.
 */
export async function attemptDelivery(deps: AttemptDeps, wanted: WantedAttempt): Promise<MadeAttempt | undefined> {
  const [delivery, hook] = await Promise.all([
    deps.deliveries.read(wanted.domain, wanted.hookId, wanted.id),
    deps.hooks.read(wanted.domain, wanted.hookId),
  ])
  if (hook !== undefined && givesNotice(hook, wanted)) await tellOwner(deps, hook, wanted)
  if (delivery?.state !== 'pending') return undefined
  const now = deps.clock.now()
  const { tries, nextAttemptAt: dueAt = now } = delivery
  if (wanted.attempt === tries && wanted.dueAt === delivery.triedFor) await followUp(deps, delivery, hook)
  if (wanted.attempt === tries + 1 && wanted.dueAt === dueAt) {
    const isHere = deps.isSlow || hook?.slowAt === undefined
    if (dueAt <= now && isHere) return makeOrMove(deps, delivery, hook)
    await queue(deps, delivery, hook)
  }
  return undefined
}

/**
 * The attempt is on record, and the function that recorded it may have been killed before the next one was queued. It
 * is queued under a new plan, which makes void what was queued under the old one: there is one message that counts.
 */
async function followUp(deps: AttemptDeps, delivery: Delivery, hook: Hook | undefined): Promise<void> {
  const at = Math.max((delivery.nextAttemptAt ?? 0) + 1, deps.clock.now())
  if (!(await deps.deliveries.reschedule(delivery, at))) return
  await queue(deps, { ...delivery, nextAttemptAt: at }, hook)
}

function queue(deps: AttemptDeps, delivery: Delivery, hook: Hook | undefined): Promise<void> {
  return enqueue(deps, queuedAttempt(delivery, deps.clock.now(), hook))
}

async function enqueue({ deliveryQueue }: AttemptDeps, attempt: QueuedDelivery): Promise<void> {
  const refused = await deliveryQueue.send([attempt])
  if (refused.length > 0) throw new DomainError('store_unavailable', 'the delivery queue did not take the next attempt')
}

/** Makes an attempt, or moves it and its hook to the slow ones if its domain has too many usual ones under way. */
async function makeOrMove(
  deps: AttemptDeps,
  delivery: Delivery,
  hook: Hook | undefined,
): Promise<MadeAttempt | undefined> {
  if (deps.isSlow || hook === undefined) return make(deps, delivery, hook)
  const made = await inUsualPlace(deps, delivery.domain, () => make(deps, delivery, hook))
  if (made !== 'busy') return made
  // Noted as of a minute ago: a receiver that answers within a second is fast again after its first attempt.
  const slowAt = deps.clock.now() - slowness.leastMs
  // Without the note the next attempts of this hook come here first and are moved one by one.
  if (hook.promptAt === undefined) await deps.hooks.noteSpeed(hook, slowAt).catch(() => {})
  await queue(deps, delivery, { ...hook, slowAt })
  return undefined
}

async function make(deps: AttemptDeps, delivery: Delivery, hook: Hook | undefined): Promise<MadeAttempt | undefined> {
  if (hook === undefined) return unsent(deps, delivery, 'skipped', 'hook_deleted')
  if (!hook.enable) return unsent(deps, delivery, 'skipped', 'hook_disabled')
  const event = await deps.deliveries.readEvent(delivery)
  if (event === undefined) return unsent(deps, delivery, 'failed', 'event_expired')
  if (Object.keys(delivery.begun).length >= deliveryLimits.runs) {
    return unsent(deps, delivery, 'failed', 'interrupted')
  }
  return callAndRecord(deps, delivery, hook, event)
}

async function unsent(
  deps: AttemptDeps,
  delivery: Delivery,
  state: DeliveryState,
  reason: string,
): Promise<MadeAttempt> {
  const attempt = { at: deps.clock.now(), durationMs: 0, reason }
  const recorded = await deps.deliveries.recordAttempt(delivery, { attempt, state })
  return { attempt, state, isDecisive: recorded === 'decided' }
}

async function callAndRecord(
  deps: AttemptDeps,
  delivery: Delivery,
  hook: Hook,
  event: DeliveryEvent,
): Promise<MadeAttempt | undefined> {
  const keys = await signingKeys(deps.secretBox, hook, deps.clock.now())
  const run = deps.random.uuid()
  if (!(await deps.deliveries.beginAttempt(delivery, run, deps.clock.now()))) return undefined
  const call = () => callHook(deps, { hook, keys }, delivery, event)
  const { called, at, durationMs, receiverMs, speed } = await measured(deps, hook, call)
  const sent = sentAttempt(deps, { delivery, hook, run, called, at, durationMs })
  const { attempt, state } = sent.outcome
  // Before the record: whatever is killed here is made again, whatever is killed after it is not.
  const disabled = await actOnReply(deps, sent)
  const isDecisive = (await deps.deliveries.recordAttempt(delivery, sent.outcome)) === 'decided'
  await notePromptness(deps, hook, { durationMs: receiverMs, isSuccess: sent.outcome.state === 'delivered' })
  if (disabled !== undefined) await tellOwner(deps, disabled, delivery)
  if (!isDecisive) return { attempt, state, isDecisive }
  const next = followingAttempt(deps, sent, { ...hook, ...speed })
  if (next !== undefined) await enqueue(deps, next)
  const given = state === 'failed' ? await countFailure(deps, delivery) : undefined
  if (given !== undefined) await tellOwner(deps, given, delivery)
  return { attempt, state, isDecisive }
}
