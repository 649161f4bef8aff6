import { DomainError } from '../errors.ts'
import type { Delivery, Hook, PlatformEvent } from '../model.ts'
import type { Clock, DeliveryQueue, DeliveryStore, HookStore, QueuedDelivery } from '../ports.ts'
import { matches } from './matching.ts'
import type { PatternCompiler } from './pattern.ts'

/** Names the delivery of an event to a hook: `msg_` and 32 hex digits, always the same for the same two ids. */
export type DeliveryIdOf = (eventId: string, hookId: string) => string

/** What the use case works with. */
export interface EventDispatch {
  readonly hooks: Pick<HookStore, 'list'>
  readonly deliveries: Pick<DeliveryStore, 'create' | 'read'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send'>
  readonly clock: Clock
  readonly compile: PatternCompiler
  readonly deliveryIdOf: DeliveryIdOf
}

/**
 * Writes one delivery for each hook of the event's domain that wants the event, and queues its first attempt. Safe to
 * repeat: a delivery that is there already is queued again only while no attempt of it was recorded. Throws
 * `store_unavailable` when the queue did not take all, so that the event comes again.
 */
export async function dispatchEvent(tools: EventDispatch, event: PlatformEvent): Promise<void> {
  const hooks = await tools.hooks.list(event.domain)
  const wanted = hooks.filter((hook) => matches(hook, event, tools.compile))
  const attempts = await Promise.all(wanted.map((hook) => firstAttempt(tools, hook, event)))
  const queued = attempts.filter((attempt) => attempt !== undefined)
  if (queued.length === 0) return
  const refused = await tools.deliveryQueue.send(queued)
  if (refused.length > 0) throw new DomainError('store_unavailable', 'the delivery queue did not take every attempt')
}

async function firstAttempt(
  { deliveries, clock, deliveryIdOf }: EventDispatch,
  hook: Hook,
  event: PlatformEvent,
): Promise<QueuedDelivery | undefined> {
  const delivery: Delivery = {
    id: deliveryIdOf(event.id, hook.id),
    hookId: hook.id,
    domain: hook.domain,
    eventName: event.name,
    uuid: event.uuid,
    event,
    createdAt: clock.now(),
    state: 'pending',
    attempts: [],
  }
  if (!(await deliveries.create(delivery)) && !(await isUntried(deliveries, delivery))) return undefined
  return { id: delivery.id, domain: delivery.domain, hookId: delivery.hookId, attempt: 1, delaySeconds: 0 }
}

/** Whether the delivery that is there already waits for its first attempt: its message may never have been queued. */
async function isUntried(deliveries: Pick<DeliveryStore, 'read'>, { domain, hookId, id }: Delivery): Promise<boolean> {
  const known = await deliveries.read(domain, hookId, id)
  return known?.state === 'pending' && known.attempts.length === 0
}
