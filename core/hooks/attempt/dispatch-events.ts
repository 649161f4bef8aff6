import { DomainError } from '../../errors.ts'
import type { EventLogWriter, NewEntry } from '../delivery/event-log-writer.ts'
import { deliveriesTogether } from '../../events/event-log-rules.ts'
import type { PlatformEvent } from '../../events/platform-event.ts'
import type { QueuedDelivery } from '../delivery/delivery-queue.ts'
import { type DirectAttempt, type DirectAttemptDeps, attemptDirectly } from './direct-attempts.ts'
import {
  type FirstAttemptDeps,
  type Numbered,
  failedDelivery,
  firstAttempts,
  pendingDelivery,
} from './first-attempts.ts'
import type { Hook } from '../definition/hook.ts'
import { isLate } from './late-receivers.ts'
import { type JudgeDeps, type Judged, judge } from './judge-hooks.ts'

/** The ports and tools of {@link dispatchEvents}. */
export interface EventDispatchDeps extends DirectAttemptDeps, FirstAttemptDeps, JudgeDeps {
  readonly eventLogWriter: EventLogWriter
  readonly deliveries: DirectAttemptDeps['deliveries'] & FirstAttemptDeps['deliveries']
}

/** How one event of a batch ended. */
export interface DispatchedEvent {
  readonly event: PlatformEvent
  readonly error?: unknown
  /** Hooks whose filters were not judged, since the patterns of the domain were too much work. */
  readonly unjudged: number
}

/** How often numbers are taken for the same events, where a reader makes those void that were taken before. */
const takes = 3

/**
 * Numbers events in their domains, writes one delivery for each hook that wants one, and makes their first attempts
 * ({@link attemptDirectly}), except those of hooks whose receivers are late: they are queued. Stores are read and
 * written once for all events of a domain. Events of a call keep their order. A domain without hooks has no log. Safe
 * to repeat: an existing delivery is queued again only while none of its attempts is recorded. If the patterns of a
 * domain are too much work, the hooks that were not judged get a failed delivery. `report` is called with the events of
 * each domain when they have ended, and is awaited; `isLast` says that nothing of the batch goes on then.
 */
export async function dispatchEvents(
  deps: EventDispatchDeps,
  events: readonly PlatformEvent[],
  report: (ends: readonly DispatchedEvent[], isLast: boolean) => void | Promise<void> = () => {},
): Promise<DispatchedEvent[]> {
  const domains = Map.groupBy(events, ({ domain }) => domain)
  const later: Promise<void>[] = []
  let domainsLeft = domains.size
  const dispatch = async (ofDomain: readonly PlatformEvent[]) => {
    const ends = await dispatchOrSplit(deps, ofDomain, later)
    domainsLeft -= 1
    await report(ends, domainsLeft + later.length === 0)
    return ends
  }
  const ends = await Promise.all(Array.from(domains.values(), dispatch))
  await Promise.all(later)
  return ends.flat()
}

/** Falls back to one by one, so that an event that the store refuses delays no other call. */
async function dispatchOrSplit(
  deps: EventDispatchDeps,
  events: readonly PlatformEvent[],
  later: Promise<void>[],
): Promise<DispatchedEvent[]> {
  try {
    return await dispatchOfDomain(deps, events, later)
  } catch (error) {
    const isRefused = !(error instanceof DomainError) || error.code === 'internal_error'
    if (events.length === 1 || !isRefused) return events.map((event) => ({ event, error, unjudged: 0 }))
  }
  const failed = new Map<string, unknown>()
  const ends: DispatchedEvent[] = []
  for (const event of events) {
    const earlier = failed.get(event.uuid)
    const end =
      earlier === undefined ? await dispatchOrSplit(deps, [event], later) : [{ event, error: earlier, unjudged: 0 }]
    for (const { error } of end) if (error !== undefined) failed.set(event.uuid, error)
    ends.push(...end)
  }
  return ends
}

async function dispatchOfDomain(
  deps: EventDispatchDeps,
  events: readonly PlatformEvent[],
  later: Promise<void>[],
): Promise<DispatchedEvent[]> {
  const names = [...new Set(events.map(({ name }) => name))]
  const hooks = await deps.hooksFor(events[0]?.domain ?? '', names)
  if (hooks.length === 0) return events.map((event) => ({ event, unjudged: 0 }))
  const judged: Judged[] = []
  // A message can be in a batch twice; what is done for one is done for both.
  for (const event of new Map(events.map((each) => [each.id, each])).values()) {
    judged.push({ event, ...(await judge(deps, hooks, event)) })
  }
  const numbered = await number(deps, judged, Math.min(...hooks.map(({ createdAt }) => createdAt)))
  const late = await makeAttempts(deps, { hooks, later }, numbered)
  const unjudged = new Map(judged.map((each) => [each.event.id, each.unjudged.length]))
  return events.map((event) => {
    const end = { event, unjudged: unjudged.get(event.id) ?? 0 }
    if (!late.has(event.id)) return end
    return { ...end, error: new DomainError('store_unavailable', 'the delivery queue did not take every attempt') }
  })
}

/**
 * Makes or queues the first attempts of events, and adds to `later` those that go on. Returns the ids of the events of
 * which the queue did not take all. Fails when everything that it began has ended: no earlier attempt is still running
 * when an event is dispatched again.
 */
async function makeAttempts(
  deps: EventDispatchDeps,
  { hooks, later }: { readonly hooks: readonly Hook[]; readonly later: Promise<void>[] },
  numbered: readonly Numbered[],
): Promise<ReadonlySet<string>> {
  const direct = numbered.flatMap(({ direct: attempts = [] }) => attempts)
  const eventOf = new Map(direct.map(({ delivery, event }) => [delivery.id, event.id]))
  const queue = async (attempts: Promise<readonly QueuedDelivery[]>) => {
    const queued = await attempts
    return queued.length === 0 ? [] : deps.deliveryQueue.send(queued)
  }
  const unanswered: Promise<void>[] = []
  const made = async () => {
    const end = await attemptDirectly(deps, direct)
    unanswered.push(...end.later)
    return end.queued
  }
  const queued = async () => {
    const all: QueuedDelivery[] = []
    for (const each of numbered) {
      const attempts = await firstAttempts(deps, hooks, each)
      for (const { id } of attempts) eventOf.set(id, each.event.id)
      all.push(...attempts)
    }
    return all
  }
  const ends = await Promise.allSettled([queue(made()), queue(queued())])
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) {
    await Promise.all(unanswered)
    throw failed.reason
  }
  later.push(...unanswered)
  const refused = ends.flatMap((end) => (end.status === 'fulfilled' ? end.value : []))
  return new Set(refused.map((id) => eventOf.get(id) ?? ''))
}

interface Entry extends NewEntry {
  readonly direct: readonly DirectAttempt[]
}

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
      const { deliveries: made = [], direct } = entries[index] ?? {}
      const isMade = ofEvent.isNew && made.length === each.fires.length + each.unjudged.length
      return isMade ? { ...each, ...ofEvent, made, direct } : { ...each, ...ofEvent }
    })
  }
  throw new DomainError('store_unavailable', 'the numbers of these events were made void each time')
}

function entriesOf(deps: EventDispatchDeps, judged: readonly Judged[], first: number): Entry[] {
  let room = deliveriesTogether
  const begun = (hook: Hook, event: PlatformEvent, sequence: number): DirectAttempt | undefined => {
    if (isLate(hook, deps.clock.now())) return undefined
    const run = deps.random.uuid()
    return {
      delivery: { ...pendingDelivery(deps, hook, event, sequence), begun: { [run]: deps.clock.now() } },
      run,
      hook,
      event,
    }
  }
  return judged.map(({ event, fires, unjudged }, index) => {
    const sequence = first + index
    const count = fires.length + unjudged.length
    const entry = { event, sequence, isWanted: count > 0, deliveries: [], direct: [] }
    if (count > room) return entry
    room -= count
    const firing = fires.map((hook) => begun(hook, event, sequence) ?? pendingDelivery(deps, hook, event, sequence))
    const deliveries = firing.map((each) => ('run' in each ? each.delivery : each))
    return {
      ...entry,
      deliveries: [...deliveries, ...unjudged.map((hook) => failedDelivery(deps, hook, event, sequence))],
      direct: firing.filter((each) => 'run' in each),
    }
  })
}
