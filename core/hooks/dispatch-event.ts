import { DomainError } from '../errors.ts'
import type { EventLog } from '../events/event-log.ts'
import type { PlatformEvent } from '../events/platform-event.ts'
import type { DeliveryQueue, QueuedDelivery } from './delivery-queue.ts'
import type { DeliveryStore } from './delivery-store.ts'
import type { Delivery } from './delivery.ts'
import type { HookStore } from './hook-store.ts'
import type { Hook } from './hook.ts'
import type { Clock } from '../ports.ts'
import { matches } from './matching.ts'
import { newDelivery } from './new-delivery.ts'
import type { PatternCompiler } from './pattern.ts'
import { type PatternWork, type Rest, limitedPatterns, patternWork } from './pattern-work.ts'
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
  readonly rest: Rest
  readonly deliveryIdOf: DeliveryIdOf
}

/** An event can have a hundred deliveries; so many of them are written at a time, since others use the store as well. */
const writesAtOnce = 10

/** What the filters of a hook say of an event; `unjudged` where the work of patterns was over its limit before they had said it. */
type Judgement = 'fires' | 'refused' | 'unjudged'

/**
 * Gives an event its number in its domain, writes one delivery for each hook that wants it, and queues the first attempt
 * of each. A domain without hooks has no log. Safe to repeat: a delivery that is there already is queued again only
 * while no attempt of it was recorded. Throws `store_unavailable` when the queue did not take all, so that the event
 * comes again. Where the patterns of the domain are more work than {@link patternWork}, the hooks that were not judged get a
 * delivery that has failed; answers how many these are.
 */
export async function dispatchEvent(tools: EventDispatch, event: PlatformEvent): Promise<number> {
  const { hooks, eventLog, deliveries, deliveryQueue, clock } = tools
  const known = await hooks.list(event.domain)
  if (known.length === 0) return 0
  const watchedSince = Math.min(...known.map(({ createdAt }) => createdAt))
  const sequence = await eventLog.append(event, watchedSince)
  const { fires: wanting, unjudged } = await judge(tools, known, event)
  if (wanting.length + unjudged.length === 0) return 0
  await deliveries.keepEvent(event)
  for (const hook of unjudged) await deliveries.create(failedDelivery(tools, hook, event, sequence))
  const queued: QueuedDelivery[] = []
  for (let first = 0; first < wanting.length; first += writesAtOnce) {
    const written = await Promise.all(
      wanting.slice(first, first + writesAtOnce).map(async (hook) => {
        const delivery = await writeDelivery(tools, hook, event, sequence)
        return delivery && queuedAttempt(delivery, clock.now(), hook)
      }),
    )
    queued.push(...written.filter((attempt) => attempt !== undefined))
  }
  if (queued.length === 0) return unjudged.length
  const refused = await deliveryQueue.send(queued)
  if (refused.length > 0) throw new DomainError('store_unavailable', 'the delivery queue did not take every attempt')
  return unjudged.length
}

/** Judges the hooks one after another, and leaves the process to others now and then. */
async function judge(
  { compile, rest }: EventDispatch,
  hooks: readonly Hook[],
  event: PlatformEvent,
): Promise<Readonly<Record<Judgement, readonly Hook[]>>> {
  const work = limitedPatterns(compile, rest, patternWork.event)
  const judged: Record<Judgement, Hook[]> = { fires: [], refused: [], unjudged: [] }
  for (const hook of hooks) judged[await judgeHook(hook, event, work)].push(hook)
  return judged
}

async function judgeHook(hook: Hook, event: PlatformEvent, work: PatternWork): Promise<Judgement> {
  try {
    return (await matches(hook, event, work)) ? 'fires' : 'refused'
  } catch (error) {
    if (work.isSpent()) return 'unjudged'
    throw error
  }
}

/** A dead letter: the event came to the hook, and whether it was to be sent is not known. It can be sent by hand. */
function failedDelivery(
  { clock, deliveryIdOf }: EventDispatch,
  hook: Hook,
  event: PlatformEvent,
  sequence: number,
): Delivery {
  const at = clock.now()
  const id = deliveryIdOf(event.id, hook.id, sequence)
  const { nextAttemptAt: _, ...delivery } = newDelivery(hook, event, { id, sequence, at })
  return { ...delivery, state: 'failed', attempts: [{ at, durationMs: 0, reason: 'filters_too_slow' }] }
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
