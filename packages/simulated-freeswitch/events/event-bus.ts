import type { SeededRandom } from '../runtime/random.ts'
import type { EngineTimers } from '../runtime/timers.ts'
import type { CallingPlace, EngineEvent, Header } from './engine-event.ts'

/** An event as known by the part of the engine that fires it. */
export interface EventDraft {
  readonly name: string
  readonly place: CallingPlace
  /** Written before the engine's own headers: the subclass of a CUSTOM event, and the headers of a client. */
  readonly leading?: readonly Header[]
  /** Written after the engine's own headers. */
  readonly headers?: readonly Header[]
  readonly body?: string
  readonly sequence?: number
}

/** Where all events of the engine go through. */
export interface EventBus {
  readonly coreUuid: string
  fire(draft: EventDraft): void
  /** The event as {@link fire} would hand it out, for commands that answer one. */
  complete(draft: EventDraft): EngineEvent
  /**
   * A sequence number for an event that is begun now and fired later: the engine numbers events when it begins them,
   * so that numbers run backwards now and then (`bench/*` of the recordings).
   */
  takeSequence(): number
  subscribe(subscriber: (event: EngineEvent) => void): () => void
}

/** The host that the recordings were made on. */
export const hostName = 'fs1'

/** Returns a bus whose clock, numbers and identity come from outside. */
export function eventBus(timers: EngineTimers, random: SeededRandom): EventBus {
  const coreUuid = random.uuid()
  const subscribers = new Set<(event: EngineEvent) => void>()
  let sequence = 0
  const takeSequence = () => ++sequence

  const complete = (draft: EventDraft): EngineEvent => {
    const own = ownHeaders(draft, coreUuid, timers.now(), draft.sequence ?? takeSequence())
    const leading = draft.leading ?? []
    const subclass = leading.find(([name]) => name === 'Event-Subclass')?.[1]
    return {
      name: draft.name,
      subclass: draft.name === 'CUSTOM' && typeof subclass === 'string' ? subclass : undefined,
      headers: [...leading, ...own, ...(draft.headers ?? [])],
      body: draft.body,
    }
  }
  return {
    coreUuid,
    complete,
    takeSequence,
    fire: (draft) => {
      const event = complete(draft)
      for (const subscriber of subscribers) subscriber(event)
    },
    subscribe: (subscriber) => {
      subscribers.add(subscriber)
      return () => subscribers.delete(subscriber)
    },
  }
}

function ownHeaders(draft: EventDraft, coreUuid: string, now: number, sequence: number): Header[] {
  const [file, functionName, line] = draft.place
  return [
    ['Event-Name', draft.name],
    ['Core-UUID', coreUuid],
    ['FreeSWITCH-Hostname', hostName],
    ['FreeSWITCH-Switchname', hostName],
    ['FreeSWITCH-IPv4', '127.0.0.1'],
    ['FreeSWITCH-IPv6', '::1'],
    ['Event-Date-Local', localStamp(now)],
    ['Event-Date-GMT', new Date(now).toUTCString()],
    ['Event-Date-Timestamp', `${micros(now)}`],
    ['Event-Calling-File', file],
    ['Event-Calling-Function', functionName],
    ['Event-Calling-Line-Number', `${line}`],
    ['Event-Sequence', `${sequence}`],
  ]
}

/** Epoch microseconds, the engine's unit, of epoch milliseconds. */
export function micros(ms: number): number {
  return Math.round(ms * 1000)
}

/** `2026-11-20 23:34:12`: the engine's own form of a time, in UTC as in the recordings. */
export function localStamp(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}
