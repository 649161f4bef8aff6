import { DomainError } from '../errors.ts'
import type { EventLogWriter, GivenNumber, NewEntry } from '../events/event-log.ts'
import { deliveriesTogether } from '../events/event-log-rules.ts'
import type { PlatformEvent } from '../events/platform-event.ts'
import type { DeliveryQueue, QueuedDelivery } from './delivery-queue.ts'
import type { DeliveryStore } from './delivery-store.ts'
import type { Delivery } from './delivery.ts'
import type { Hook } from './hook.ts'
import type { Clock } from '../ports.ts'
import { matches } from './matching.ts'
import { newDelivery } from './new-delivery.ts'
import type { PatternCompiler } from './pattern.ts'
import { type PatternWork, type Rest, limitedPatterns, patternWork } from './pattern-work.ts'
import { queuedAttempt } from './queued-attempt.ts'
import type { HooksFor } from './recent-hooks.ts'

/**
 * Names the delivery of an event to a hook: `msg_` and 32 hex digits, always the same for the same three, and in the order
 * of the sequences (0 to 2^48 - 1).
 */
export type DeliveryIdOf = (eventId: string, hookId: string, sequence: number) => string

/** The ports and tools of {@link dispatchEvents}. */
export interface EventDispatchDeps {
  readonly hooksFor: HooksFor
  readonly eventLogWriter: EventLogWriter
  readonly deliveries: Pick<DeliveryStore, 'keepEvent' | 'create' | 'read'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send'>
  readonly clock: Clock
  readonly compile: PatternCompiler
  readonly rest: Rest
  readonly deliveryIdOf: DeliveryIdOf
}

/** How one event of a batch ended. */
export interface DispatchedEvent {
  readonly event: PlatformEvent
  /** Why it has to come again; absent where it was dispatched. */
  readonly error?: unknown
  /** Hooks whose filters were not judged, since the patterns of the domain were too much work. */
  readonly unjudged: number
}

/** Deliveries that are written one by one are written so many at a time, since others use the store as well. */
const writesAtOnce = 10

/** How often numbers are taken for the same events, where a reader makes those void that were taken before. */
const takes = 3

/** An event and the hooks that it is for. */
interface Judged {
  readonly event: PlatformEvent
  readonly fires: readonly Hook[]
  readonly unjudged: readonly Hook[]
}

/**
 * Gives events their numbers in their domains, writes one delivery for each hook that wants one, and queues the first
 * attempt of each: what is done in the stores is done once for all events of a domain. Events of a call are in the order in
 * which they came. A domain without hooks has no log. Safe to repeat: a delivery that is there already is queued again only
 * while no attempt of it was recorded. Where the patterns of a domain are more work than {@link patternWork}, the hooks that
 * were not judged get a delivery that has failed.
 */
export async function dispatchEvents(
  deps: EventDispatchDeps,
  events: readonly PlatformEvent[],
): Promise<DispatchedEvent[]> {
  const domains = Map.groupBy(events, ({ domain }) => domain)
  const ends = await Promise.all([...domains.values()].map((ofDomain) => dispatchOrSplit(deps, ofDomain)))
  return ends.flat()
}

/** What cannot be done together is done one by one, so that one event that the store refuses keeps no other call back. */
async function dispatchOrSplit(deps: EventDispatchDeps, events: readonly PlatformEvent[]): Promise<DispatchedEvent[]> {
  try {
    return await dispatchOfDomain(deps, events)
  } catch (error) {
    const isRefused = !(error instanceof DomainError) || error.code === 'internal_error'
    if (events.length === 1 || !isRefused) return events.map((event) => ({ event, error, unjudged: 0 }))
  }
  const failed = new Map<string, unknown>()
  const ends: DispatchedEvent[] = []
  for (const event of events) {
    const earlier = failed.get(event.uuid)
    const end = earlier === undefined ? await dispatchOrSplit(deps, [event]) : [{ event, error: earlier, unjudged: 0 }]
    for (const { error } of end) if (error !== undefined) failed.set(event.uuid, error)
    ends.push(...end)
  }
  return ends
}

async function dispatchOfDomain(deps: EventDispatchDeps, events: readonly PlatformEvent[]): Promise<DispatchedEvent[]> {
  const names = [...new Set(events.map(({ name }) => name))]
  const hooks = await deps.hooksFor(events[0]?.domain ?? '', names)
  if (hooks.length === 0) return events.map((event) => ({ event, unjudged: 0 }))
  const judged: Judged[] = []
  // A message can be in a batch twice; what is done for one is done for both.
  for (const event of new Map(events.map((each) => [each.id, each])).values()) {
    judged.push({ event, ...(await judge(deps, hooks, event)) })
  }
  const numbered = await number(deps, judged, Math.min(...hooks.map(({ createdAt }) => createdAt)))
  const eventOf = new Map<string, string>()
  const queued: QueuedDelivery[] = []
  for (const each of numbered) {
    for (const attempt of await firstAttempts(deps, each)) {
      eventOf.set(attempt.id, each.event.id)
      queued.push(attempt)
    }
  }
  const refused = queued.length === 0 ? [] : await deps.deliveryQueue.send(queued)
  const late = new Set(refused.map((id) => eventOf.get(id)))
  const unjudged = new Map(judged.map((each) => [each.event.id, each.unjudged.length]))
  const error = new DomainError('store_unavailable', 'the delivery queue did not take every attempt')
  return events.map((event) => {
    const end = { event, unjudged: unjudged.get(event.id) ?? 0 }
    return late.has(event.id) ? { ...end, error } : end
  })
}

/** Judges the hooks one after another, and leaves the process to others now and then. */
async function judge(
  { compile, rest }: EventDispatchDeps,
  hooks: readonly Hook[],
  event: PlatformEvent,
): Promise<Omit<Judged, 'event'>> {
  const work = limitedPatterns(compile, rest, patternWork.event)
  const judged = { fires: [] as Hook[], refused: [] as Hook[], unjudged: [] as Hook[] }
  for (const hook of hooks) judged[await judgeHook(hook, event, work)].push(hook)
  return judged
}

/** Returns whether a hook fires; `unjudged` if the patterns had used up their work before its filters had decided. */
async function judgeHook(
  hook: Hook,
  event: PlatformEvent,
  work: PatternWork,
): Promise<'fires' | 'refused' | 'unjudged'> {
  try {
    return (await matches(hook, event, work)) ? 'fires' : 'refused'
  } catch (error) {
    if (work.isSpent()) return 'unjudged'
    throw error
  }
}

/** An event with its number, and the deliveries that were made with it; absent where they are to be made, or known. */
interface Numbered extends Judged, GivenNumber {
  readonly made?: readonly Delivery[] | undefined
}

/** Numbers the events of one domain, and makes deliveries in the same step, as many as fit into it. */
async function number(deps: EventDispatchDeps, judged: readonly Judged[], watchedSince: number): Promise<Numbered[]> {
  const domain = judged[0]?.event.domain ?? ''
  for (let tries = 0; tries < takes; tries += 1) {
    const taken = await deps.eventLogWriter.take(domain, judged.length, watchedSince)
    const entries = entriesOf(deps, judged, taken.first)
    const given = await deps.eventLogWriter.write(taken, entries)
    if (given === undefined) continue
    return judged.map((each, index) => {
      const ofEvent = given.get(each.event.id)
      if (ofEvent === undefined) throw new TypeError('the log has no number for an event that it was given')
      const made = entries[index]?.deliveries ?? []
      const isMade = ofEvent.isNew && made.length === each.fires.length + each.unjudged.length
      return { ...each, ...ofEvent, made: isMade ? made : undefined }
    })
  }
  throw new DomainError('store_unavailable', 'the numbers of these events were made void each time')
}

function entriesOf(deps: EventDispatchDeps, judged: readonly Judged[], first: number): NewEntry[] {
  let room = deliveriesTogether
  return judged.map(({ event, fires, unjudged }, index) => {
    const sequence = first + index
    const count = fires.length + unjudged.length
    const entry = { event, sequence, isWanted: count > 0, deliveries: [] }
    if (count > room) return entry
    room -= count
    const deliveries = fires.map((hook) => pendingDelivery(deps, hook, event, sequence))
    return {
      ...entry,
      deliveries: [...deliveries, ...unjudged.map((hook) => failedDelivery(deps, hook, event, sequence))],
    }
  })
}

/** The first attempts of an event that are to be queued. */
async function firstAttempts(deps: EventDispatchDeps, numbered: Numbered): Promise<QueuedDelivery[]> {
  const { event, sequence, fires, unjudged, made } = numbered
  const now = deps.clock.now()
  if (made !== undefined) {
    const hooks = new Map(fires.map((hook) => [hook.id, hook]))
    const pending = made.filter(({ state }) => state === 'pending')
    return pending.map((delivery) => queuedAttempt(delivery, now, hooks.get(delivery.hookId)))
  }
  if (fires.length + unjudged.length === 0) return []
  // What the log keeps of it may be over by now.
  await deps.deliveries.keepEvent(event)
  for (const hook of unjudged) await deps.deliveries.create(failedDelivery(deps, hook, event, sequence))
  const queued: QueuedDelivery[] = []
  for (let first = 0; first < fires.length; first += writesAtOnce) {
    const written = await Promise.all(
      fires.slice(first, first + writesAtOnce).map(async (hook) => {
        const delivery = await writeDelivery(deps, pendingDelivery(deps, hook, event, sequence))
        return delivery && queuedAttempt(delivery, now, hook)
      }),
    )
    queued.push(...written.filter((attempt) => attempt !== undefined))
  }
  return queued
}

function pendingDelivery(deps: EventDispatchDeps, hook: Hook, event: PlatformEvent, sequence: number): Delivery {
  const id = deps.deliveryIdOf(event.id, hook.id, sequence)
  return newDelivery(hook, event, { id, sequence, at: deps.clock.now() })
}

/** A dead letter: the event came to the hook, and whether it was to be sent is not known. It can be sent by hand. */
function failedDelivery(deps: EventDispatchDeps, hook: Hook, event: PlatformEvent, sequence: number): Delivery {
  const { nextAttemptAt: _, ...delivery } = pendingDelivery(deps, hook, event, sequence)
  const attempt = { at: delivery.createdAt, durationMs: 0, reason: 'filters_too_slow' }
  return { ...delivery, state: 'failed', attempts: [attempt] }
}

/** The delivery, while it waits for its first attempt: one that is there already may never have been queued. */
async function writeDelivery({ deliveries }: EventDispatchDeps, delivery: Delivery): Promise<Delivery | undefined> {
  if (await deliveries.create(delivery)) return delivery
  const known = await deliveries.read(delivery.domain, delivery.hookId, delivery.id)
  return known?.state === 'pending' && known.tries === 0 ? known : undefined
}
