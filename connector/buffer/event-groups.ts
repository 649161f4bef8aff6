import type { TextEvent } from '../../adapters/events/text-event.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { Chain, type Link } from './chain.ts'
import type { Waiting } from './waiting.ts'

/** SQS takes at most ten messages a call and 1 MiB in all of them; a quarter is left for what wraps the events. */
const batchEvents = 10
const batchBytes = 768 * 1024

/** An event for a queue, and the entry of the log that it came of. */
export interface Outgoing {
  readonly event: TextEvent
  readonly bytes: number
  readonly entry: Waiting
}

/** Events that go one after another: those of a call, else those of a domain that have no call. */
interface Group {
  readonly name: string
  readonly events: Chain<Outgoing>
  failures: number
  hasWaited: boolean
  ready: Link<Group> | undefined
}

/** The first event of a group, on its way to the queue. */
export interface Sending {
  readonly group: Group
  readonly event: Outgoing
}

/** Events that can be sent, by group. At most one event of a group is in flight at a time. */
export class EventGroups {
  readonly #groups = new Map<string, Group>()
  readonly #ready = new Chain<Group>()
  #waited = 0

  /** Whether a batch should go now: a full one, or one with an event that has waited for its turn. */
  get isDue(): boolean {
    return this.#waited > 0 || this.#ready.size >= batchEvents
  }

  get isEmpty(): boolean {
    return this.#ready.size === 0
  }

  add(event: Outgoing): void {
    const name = groupOf(event.event)
    const known = this.#groups.get(name)
    const group = known ?? { name, events: new Chain<Outgoing>(), failures: 0, hasWaited: false, ready: undefined }
    group.events.push(event)
    if (known !== undefined) return
    this.#groups.set(name, group)
    group.ready = this.#ready.push(group)
  }

  next(): Sending[] {
    const batch: Sending[] = []
    let bytes = 0
    for (let link = this.#ready.first; link !== undefined; link = this.#ready.first) {
      const group = link.value
      const event = group.events.first?.value
      bytes += event?.bytes ?? 0
      if (batch.length === batchEvents || (batch.length > 0 && bytes > batchBytes)) break
      this.#unready(group)
      if (event === undefined) continue
      batch.push({ group, event })
    }
    return batch
  }

  taken({ group }: Sending): void {
    group.failures = 0
    group.events.remove(group.events.first)
    this.back(group)
  }

  back(group: Group): void {
    if (group.events.size === 0) {
      this.#groups.delete(group.name)
      return
    }
    group.ready = this.#ready.push(group)
    group.hasWaited = true
    this.#waited += 1
  }

  #unready(group: Group): void {
    this.#ready.remove(group.ready)
    if (group.hasWaited) this.#waited -= 1
    group.hasWaited = false
  }
}

/** The group of events for another queue, which waits for no other group. */
function groupOf(event: PlatformEvent): string {
  if (event.reader === 'cdr') return `cdr ${event.uuid}`
  return event.uuid === '' ? `domain ${event.domain}` : `call ${event.uuid}`
}
