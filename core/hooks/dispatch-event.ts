import { DomainError } from '../errors.ts'
import type { Delivery, Hook, PlatformEvent } from '../model.ts'
import type { Clock, DeliveryQueue, DeliveryStore, EventLog, HookStore } from '../ports.ts'
import { matches } from './matching.ts'
import { newDelivery } from './new-delivery.ts'
import { type PatternCompiler, timed } from './pattern.ts'
import { queuedAttempt } from './queued-attempt.ts'

/**
 * Names the delivery of an event to a hook: `msg_` and 32 hex digits, always the same for the same three, and in the order
 * of the sequences (0 to 2^48 - 1).
 */
export type DeliveryIdOf = (eventId: string, hookId: string, sequence: number) => string

/** What the use case works with. */
export interface EventDispatch {
  readonly hooks: Pick<HookStore, 'list'>
  readonly eventLog: Pick<EventLog, 'append'>
  readonly deliveries: Pick<DeliveryStore, 'keepEvent' | 'create' | 'read'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send'>
  readonly clock: Clock
  readonly compile: PatternCompiler
  readonly deliveryIdOf: DeliveryIdOf
}

/**
 * How long the patterns of all filters may take over one event. They hold up the whole process, which handles events of
 * other tenants beside this one.
 */
const patternsMs = 1_000

/**
 * Gives an event its number in its domain, writes one delivery for each hook that wants it, and queues the first attempt
 * of each. A domain without hooks has no log. Safe to repeat: a delivery that is there already is queued again only
 * while no attempt of it was recorded. Throws `store_unavailable` when the queue did not take all, so that the event
 * comes again, and `internal_error` when the patterns of the hooks take longer than {@link patternsMs}.
 */
export async function dispatchEvent(tools: EventDispatch, event: PlatformEvent): Promise<void> {
  const { hooks, eventLog, deliveries, deliveryQueue, clock } = tools
  const known = await hooks.list(event.domain)
  if (known.length === 0) return
  const watchedSince = Math.min(...known.map(({ createdAt }) => createdAt))
  const sequence = await eventLog.append(event, watchedSince)
  const compile = timed(tools.compile, clock, clock.now() + patternsMs)
  const wanting = known.filter((hook) => matches(hook, event, compile))
  if (wanting.length === 0) return
  await deliveries.keepEvent(event)
  const attempts = await Promise.all(
    wanting.map(async (hook) => {
      const delivery = await writeDelivery(tools, hook, event, sequence)
      return delivery && queuedAttempt(delivery, clock.now(), hook)
    }),
  )
  const queued = attempts.filter((attempt) => attempt !== undefined)
  if (queued.length === 0) return
  const refused = await deliveryQueue.send(queued)
  if (refused.length > 0) throw new DomainError('store_unavailable', 'the delivery queue did not take every attempt')
}

/** The delivery, while it waits for its first attempt: one that is there already may never have been queued. */
async function writeDelivery(
  { deliveries, clock, deliveryIdOf }: EventDispatch,
  hook: Hook,
  event: PlatformEvent,
  sequence: number,
): Promise<Delivery | undefined> {
  const id = deliveryIdOf(event.id, hook.id, sequence)
  const delivery = newDelivery(hook, event, { id, sequence, at: clock.now() })
  if (await deliveries.create(delivery)) return delivery
  const known = await deliveries.read(delivery.domain, delivery.hookId, delivery.id)
  return known?.state === 'pending' && known.tries === 0 ? known : undefined
}
