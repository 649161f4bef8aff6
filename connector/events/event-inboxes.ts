import type { EventInbox } from './event-inbox.ts'

/** The inboxes of the engines, each made with the first event of its engine. */
export class EventInboxes {
  readonly #make: (engine: string) => EventInbox
  readonly #inboxes = new Map<string, EventInbox>()

  constructor(make: (engine: string) => EventInbox) {
    this.#make = make
  }

  /** When the oldest event of all was taken, epoch milliseconds; `Infinity` when none waits. */
  get oldestAt(): number {
    return Math.min(Infinity, ...this.all().map((inbox) => inbox.oldestAt ?? Infinity))
  }

  get waiting(): number {
    return this.all().reduce((sum, inbox) => sum + inbox.waiting, 0)
  }

  of(engine: string): EventInbox {
    const inbox = this.#inboxes.get(engine) ?? this.#make(engine)
    this.#inboxes.set(engine, inbox)
    return inbox
  }

  all(): readonly EventInbox[] {
    return [...this.#inboxes.values()]
  }

  /** Resolves when every event taken so far has been handled. */
  async settled(): Promise<void> {
    await Promise.all(this.all().map((inbox) => inbox.settled()))
  }

  /** Gives up what still waits, which is counted as dropped. Answers how many events that are. */
  close(): number {
    return this.all().reduce((sum, inbox) => sum + inbox.close(), 0)
  }
}
