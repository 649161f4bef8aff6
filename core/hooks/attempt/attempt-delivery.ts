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
import { givesNotice } from './disable-hook.ts'
import { type MadeAttempt, actOnReply, countFailure, followingAttempt, sentAttempt } from './made-attempt.ts'
import { type OwnerNotice, tellOwner } from './tell-owner.ts'

/** The attempt that is to be made. */
export type WantedAttempt = Omit<QueuedDelivery, 'delaySeconds'>

/** The ports of {@link attemptDelivery}. */
export interface AttemptDeps extends HookCall, OwnerNotice {
  readonly hooks: Pick<HookStore, 'read' | 'replace' | 'endNotice' | 'renewNotice' | 'countFailure' | 'clearFailures'>
  readonly deliveries: Pick<DeliveryStore, 'read' | 'readEvent' | 'beginAttempt' | 'recordAttempt' | 'reschedule'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send'>
  readonly random: Randomness
}

/**
 * Makes one attempt to deliver, records it, and queues the next one where it failed for now. The hook is read again
 * first: a deleted or disabled one sends nothing. Safe to repeat and to kill anywhere: an attempt that is on record is
 * not made again, its follower is queued instead; one that came early is queued again; one that another plan has
 * replaced does nothing. Answers what was made, if anything. Throws `store_unavailable` where the message has to come
 * again.
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
  if (wanted.attempt === tries && wanted.dueAt === delivery.triedFor) await followUp(deps, delivery)
  if (wanted.attempt === tries + 1 && wanted.dueAt === dueAt) {
    if (dueAt <= now) return make(deps, delivery, hook)
    await queue(deps, delivery)
  }
  return undefined
}

/**
 * The attempt is on record, and the function that recorded it may have been killed before the next one was queued. It
 * is queued under a new plan, which makes void what was queued under the old one: there is one message that counts. One
 * that has begun has its message.
 */
async function followUp(deps: AttemptDeps, delivery: Delivery): Promise<void> {
  const { nextAttemptAt: plannedFor = 0, begun } = delivery
  if (Object.values(begun).some((begunAt) => begunAt >= plannedFor)) return
  const at = Math.max(plannedFor + 1, deps.clock.now())
  if (!(await deps.deliveries.reschedule(delivery, at))) return
  await queue(deps, { ...delivery, nextAttemptAt: at })
}

function queue(deps: AttemptDeps, delivery: Delivery): Promise<void> {
  return enqueue(deps, queuedAttempt(delivery, deps.clock.now()))
}

async function enqueue({ deliveryQueue }: AttemptDeps, attempt: QueuedDelivery): Promise<void> {
  const refused = await deliveryQueue.send([attempt])
  if (refused.length > 0) throw new DomainError('store_unavailable', 'the delivery queue did not take the next attempt')
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
  const at = deps.clock.now()
  const called = await callHook(deps, { hook, keys }, delivery, event)
  const sent = sentAttempt(deps, { delivery, hook, run, called, at, durationMs: deps.clock.now() - at })
  const { attempt, state } = sent.outcome
  // Before the record: whatever is killed here is made again, whatever is killed after it is not.
  const disabled = await actOnReply(deps, sent)
  const isDecisive = (await deps.deliveries.recordAttempt(delivery, sent.outcome)) === 'decided'
  if (disabled !== undefined) await tellOwner(deps, disabled, delivery)
  if (!isDecisive) return { attempt, state, isDecisive }
  const next = followingAttempt(deps, sent)
  if (next !== undefined) await enqueue(deps, next)
  const given = state === 'failed' ? await countFailure(deps, delivery) : undefined
  if (given !== undefined) await tellOwner(deps, given, delivery)
  return { attempt, state, isDecisive }
}
