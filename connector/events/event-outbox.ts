import type { Log } from '../../adapters/log/logger.ts'
import type { PlatformEvent } from '../../core/model.ts'
import type { EventSink } from '../../core/ports.ts'
import { type Time, backoffMs } from '../timers.ts'

/** SQS takes at most ten messages a call and 1 MiB in all of them; a quarter is left for what wraps the events. */
const batchEvents = 10
const batchBytes = 768 * 1024

/** Calls to the queue at a time: one hides another's round trip, more would only make the queue throttle. */
const parallelBatches = 4

/** What may wait: a minute of a busy engine, and no more memory than a task can spare. */
const defaultLimits = { events: 50_000, bytes: 64 * 1024 * 1024 }

/** Events on their way to the queue. */
export interface EventOutbox {
  /** Takes an event; `false` when there is no room, which is counted. */
  add(event: PlatformEvent): boolean
  /** Resolves when nothing waits any more. */
  drained(): Promise<void>
  readonly waiting: number
  /** When the event that waits longest was taken, epoch milliseconds; absent when none waits. */
  readonly oldestAt: number | undefined
  readonly counts: { readonly published: number; readonly dropped: number; readonly repeated: number }
}

interface Waiting {
  readonly event: PlatformEvent
  readonly bytes: number
  readonly takenAt: number
}

interface Group {
  readonly name: string
  readonly events: Waiting[]
  failures: number
}

/** What an outbox is made from. */
export interface OutboxParts extends Time {
  readonly sink: EventSink
  readonly log: Log
  /** A number from 0 to 1, for the waits between attempts. */
  readonly random: () => number
  readonly limits?: { readonly events: number; readonly bytes: number }
}

/**
 * Hands events to the queue, those of one group (a call, else a domain) in order and one at a time, different groups
 * side by side: a batch holds at most one event of a group, so that a partly failed batch can never let a later event
 * of a call pass an earlier one. What the queue does not take is tried again, with growing waits and no end, by the
 * same id; its group waits behind it and nobody else does. Above the limits new events are dropped and counted, which
 * is logged once until none waits any more.
 */
export function eventOutbox({ sink, log, random, clock, timers, limits = defaultLimits }: OutboxParts): EventOutbox {
  const ready = new Map<string, Group>()
  const away = new Map<string, Group>()
  const counts = { published: 0, dropped: 0, repeated: 0 }
  let waiting = 0
  let waitingBytes = 0
  let running = 0
  let isDropping = false
  let idle: (() => void)[] = []

  const nextBatch = (): Group[] => {
    const batch: Group[] = []
    let bytes = 0
    for (const group of ready.values()) {
      const size = group.events[0]?.bytes ?? 0
      if (batch.length === batchEvents || (batch.length > 0 && bytes + size > batchBytes)) break
      batch.push(group)
      bytes += size
    }
    for (const group of batch) move(group, ready, away)
    return batch
  }

  const comeBack = (group: Group) => {
    move(group, away, ready)
    pump()
  }

  const settle = (group: Group, taken: boolean) => {
    if (!taken) {
      group.failures += 1
      counts.repeated += 1
      timers.after(backoffMs(group.failures, random), () => comeBack(group))
      return
    }
    const sent = group.events.shift()
    group.failures = 0
    counts.published += 1
    waiting -= 1
    waitingBytes -= sent?.bytes ?? 0
    away.delete(group.name)
    if (group.events.length > 0) ready.set(group.name, group)
  }

  const send = async (batch: readonly Group[]) => {
    const events = batch.flatMap((group) => group.events[0]?.event ?? [])
    let refused: ReadonlySet<string>
    try {
      refused = new Set(await sink.publish(events))
    } catch (problem) {
      log.warn('the event queue cannot be reached', { events: events.length, reason: nameOf(problem) })
      refused = new Set(events.map((event) => event.id))
    }
    for (const [index, group] of batch.entries()) settle(group, !refused.has(events[index]?.id ?? ''))
    running -= 1
    if (waiting === 0) {
      isDropping = false
      for (const resolve of idle) resolve()
      idle = []
    }
    pump()
  }

  const pump = () => {
    while (running < parallelBatches && ready.size > 0) {
      running += 1
      void send(nextBatch())
    }
  }

  return {
    add: (event) => {
      const bytes = sizeOf(event)
      if (waiting >= limits.events || waitingBytes + bytes > limits.bytes) {
        counts.dropped += 1
        if (!isDropping) log.error('events are dropped: too many wait for the queue', undefined, { waiting })
        isDropping = true
        return false
      }
      waiting += 1
      waitingBytes += bytes
      const name = groupOf(event)
      const group = ready.get(name) ?? away.get(name) ?? { name, events: [], failures: 0 }
      group.events.push({ event, bytes, takenAt: clock.now() })
      if (!away.has(name)) ready.set(name, group)
      pump()
      return true
    },
    drained: () => (waiting === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
    get waiting() {
      return waiting
    },
    get oldestAt() {
      const heads = [...ready.values(), ...away.values()].flatMap((group) => group.events[0]?.takenAt ?? [])
      return heads.length === 0 ? undefined : heads.reduce((a, b) => Math.min(a, b))
    },
    counts,
  }
}

/** The queue's message group: a call's events keep their order, and so do those of a domain that have no call. */
function groupOf(event: PlatformEvent): string {
  return event.uuid === '' ? `domain ${event.domain}` : `call ${event.uuid}`
}

function move(group: Group, from: Map<string, Group>, into: Map<string, Group>): void {
  from.delete(group.name)
  into.set(group.name, group)
}

/** About what the event is in the queue: JSON adds six characters a field, and text is mostly ASCII. */
function sizeOf(event: PlatformEvent): number {
  let size = 256
  for (const [name, value] of Object.entries(event.fields)) size += name.length + Buffer.byteLength(value) + 6
  return size
}

function nameOf(problem: unknown): string {
  return problem instanceof Error ? problem.name : typeof problem
}
