import { mapAtMost } from '../../concurrency/semaphore.ts'
import type { GivenNumber } from '../delivery/event-log-writer.ts'
import type { PlatformEvent } from '../../events/platform-event.ts'
import type { Clock } from '../../time.ts'
import type { QueuedDelivery } from '../delivery/delivery-queue.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import { type Delivery, newDelivery, queuedAttempt } from '../delivery/delivery.ts'
import { type DirectAttempt, plannedAnew } from './direct-attempts.ts'
import { reminderOf } from './disable-hook.ts'
import type { Hook } from '../definition/hook.ts'
import type { Judged } from './judge-hooks.ts'

/**
 * Names the delivery of an event to a hook: `msg_` and 32 hex digits, always the same for the same three, and in the
 * order of the sequences (0 to 2^48 - 1).
 */
export type DeliveryIdOf = (eventId: string, hookId: string, sequence: number) => string

/** The ports and tools of {@link firstAttempts}. */
export interface FirstAttemptDeps {
  readonly deliveries: Pick<DeliveryStore, 'keepEvent' | 'create' | 'createTogether' | 'read' | 'reschedule'>
  readonly clock: Clock
  readonly deliveryIdOf: DeliveryIdOf
}

/** Deliveries that are written one by one are written so many at a time, since others use the store as well. */
const writesAtOnce = 10

/** More in one transaction would block a small store for too long: the embedded one takes some 20 ms. */
const createdTogether = 25

/** An event with its number, and the deliveries that were made with it; absent where they are to be made, or known. */
export interface Numbered extends Judged, GivenNumber {
  readonly made?: readonly Delivery[] | undefined
  readonly direct?: readonly DirectAttempt[] | undefined
}

/**
 * Returns the first attempts of an event that are to be queued. Deliveries that were not made with its number are
 * written, or were by an earlier dispatch.
 */
export async function firstAttempts(
  deps: FirstAttemptDeps,
  hooks: readonly Hook[],
  numbered: Numbered,
): Promise<QueuedDelivery[]> {
  const { event, sequence, fires, unjudged, made } = numbered
  const now = deps.clock.now()
  if (made !== undefined) {
    const waiting = made.filter(({ state, begun }) => state === 'pending' && Object.keys(begun).length === 0)
    return waiting.map((delivery) => queuedAttempt(delivery, now))
  }
  const queued = numbered.isNew ? [] : await abandonedRuns(deps, hooks, numbered)
  if (queued.length + fires.length + unjudged.length === 0) return queued
  const failed = unjudged.map((hook) => failedDelivery(deps, hook, event, sequence))
  const pending = fires.map((hook) => pendingDelivery(deps, hook, event, sequence))
  if (numbered.isNew) return writeTogether(deps, [...failed, ...pending])
  // The log may not keep it any more.
  await deps.deliveries.keepEvent(event)
  return [...queued, ...(await writeEach(deps, [...failed, ...pending]))]
}

/**
 * Writes the deliveries of an event that has just got its number, so that usually no other dispatch has written any of
 * them. Returns the messages for their first attempts.
 */
async function writeTogether(deps: FirstAttemptDeps, all: readonly Delivery[]): Promise<QueuedDelivery[]> {
  const queued: QueuedDelivery[] = []
  for (let first = 0; first < all.length; first += createdTogether) {
    const some = all.slice(first, first + createdTogether)
    const areWritten = await deps.deliveries.createTogether(some)
    const now = deps.clock.now()
    const waiting = some.filter(({ state }) => state === 'pending')
    const attempts = () => waiting.map((delivery) => queuedAttempt(delivery, now))
    queued.push(...(areWritten ? attempts() : await writeEach(deps, some)))
  }
  return queued
}

async function writeEach(deps: FirstAttemptDeps, all: readonly Delivery[]): Promise<QueuedDelivery[]> {
  const written = await mapAtMost(all, writesAtOnce, (delivery) => writeDelivery(deps, delivery))
  return written.filter((attempt) => attempt !== undefined)
}

/**
 * Returns messages for what an earlier dispatch of an event began, and may have left when it died, for hooks that do
 * not fire now: they were disabled or changed meanwhile. Their deliveries wait in no queue and no index. If the answer
 * to a direct attempt disabled a hook, its owner may not have been notified.
 */
async function abandonedRuns(
  deps: FirstAttemptDeps,
  hooks: readonly Hook[],
  { event, sequence, fires }: Numbered,
): Promise<QueuedDelivery[]> {
  const others = hooks.filter((hook) => !fires.includes(hook))
  const found = await mapAtMost(others, writesAtOnce, async (hook) => {
    const id = deps.deliveryIdOf(event.id, hook.id, sequence)
    const known = await deps.deliveries.read(hook.domain, hook.id, id)
    const isPending = known?.state === 'pending' && known.tries === 0
    const attempt = isPending ? await plannedAnew(deps, known) : undefined
    const isNoticeDue = known !== undefined && hook.noticeDue === true && hook.noticeTries === undefined
    return attempt ?? (isNoticeDue ? reminderOf(known, 0) : undefined)
  })
  return found.filter((attempt) => attempt !== undefined)
}

/** Returns a delivery that is due at once. */
export function pendingDelivery(deps: FirstAttemptDeps, hook: Hook, event: PlatformEvent, sequence: number): Delivery {
  const id = deps.deliveryIdOf(event.id, hook.id, sequence)
  return newDelivery(hook, event, { id, sequence, at: deps.clock.now() })
}

/** Returns a dead letter for an event of which it is unknown whether the hook wanted it. It can be resent by hand. */
export function failedDelivery(deps: FirstAttemptDeps, hook: Hook, event: PlatformEvent, sequence: number): Delivery {
  const { nextAttemptAt: _, ...delivery } = pendingDelivery(deps, hook, event, sequence)
  const attempt = { at: delivery.createdAt, durationMs: 0, reason: 'filters_too_slow' }
  return { ...delivery, state: 'failed', attempts: [attempt] }
}

/**
 * Writes a delivery and returns the message for its first attempt. One that is there already may never have been
 * queued. If its first run has begun, that run may be dead and the delivery not listed as due; if its first attempt was
 * recorded, the next one may never have been queued: then it is planned anew, which makes void what was queued for it.
 */
async function writeDelivery(deps: FirstAttemptDeps, delivery: Delivery): Promise<QueuedDelivery | undefined> {
  const { deliveries, clock } = deps
  const isNew = await deliveries.create(delivery)
  if (delivery.state !== 'pending') return undefined
  if (isNew) return queuedAttempt(delivery, clock.now())
  const known = await deliveries.read(delivery.domain, delivery.hookId, delivery.id)
  if (known?.state !== 'pending' || known.tries > 1) return undefined
  const isUntouched = known.tries === 0 && Object.keys(known.begun).length === 0
  return isUntouched ? queuedAttempt(known, clock.now()) : plannedAnew(deps, known)
}
