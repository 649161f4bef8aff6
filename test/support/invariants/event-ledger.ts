import type { PlatformEvent } from '../../../core/events/platform-event.ts'

/** An event as the engine sent it. */
export interface SentEvent {
  readonly uuid: string
  readonly name: string
  readonly at: number
}

/** The events that an engine sent, and their fate, by the engine's own numbers: no id of this project is trusted. */
export interface EventLedger {
  /** The engine has sent an event. */
  sent(sequence: number, event: SentEvent): void
  /** A delivery of an event has been written. */
  delivered(event: PlatformEvent): void
  /** How many were sent. */
  readonly size: number
  /** How many of them were not delivered yet. */
  readonly waiting: number
  /** Those that were sent and not delivered. */
  readonly missing: readonly SentEvent[]
  /** Those that were delivered more than once. */
  readonly doubled: readonly SentEvent[]
  /** Those that were delivered after a later one of the same call. */
  readonly overtaken: readonly SentEvent[]
  /** Names of the events that were made for missed ones, by call. */
  readonly made: ReadonlyMap<string, readonly string[]>
  /** How often an event of a name was delivered for a call, made ones included. */
  timesOf(uuid: string, name: string): number
}

/** An empty ledger. */
export function eventLedger(): EventLedger {
  const all: (SentEvent & { times: number })[] = []
  const bySequence = new Map<string, number>()
  const latest = new Map<string, number>()
  const made = new Map<string, string[]>()
  const times = new Map<string, number>()
  const overtaken: SentEvent[] = []
  let arrived = 0
  return {
    sent: (sequence, event) => {
      bySequence.set(`${sequence}`, all.length)
      all.push({ ...event, times: 0 })
    },
    delivered: ({ uuid, name, fields }) => {
      times.set(`${uuid} ${name}`, (times.get(`${uuid} ${name}`) ?? 0) + 1)
      if (fields['Synthetic'] === 'true') {
        made.set(uuid, [...(made.get(uuid) ?? []), name])
        return
      }
      const index = bySequence.get(fields['Event-Sequence'] ?? '') ?? -1
      const event = all[index]
      if (event === undefined) return
      event.times += 1
      if (event.times === 1) arrived += 1
      if (event.times === 1 && (latest.get(uuid) ?? -1) > index) overtaken.push(event)
      latest.set(uuid, Math.max(index, latest.get(uuid) ?? -1))
    },
    get size() {
      return all.length
    },
    get waiting() {
      return all.length - arrived
    },
    get missing() {
      return all.filter(({ times }) => times === 0)
    },
    get doubled() {
      return all.filter(({ times }) => times > 1)
    },
    overtaken,
    made,
    timesOf: (uuid, name) => times.get(`${uuid} ${name}`) ?? 0,
  }
}
