import type { Clock } from '../../core/time.ts'
import type { AfterOthers } from '../events/after-others.ts'
import type { EventInboxes } from '../events/event-inboxes.ts'
import type { EventOutbox } from '../events/event-outbox.ts'

/** The places where events wait on their way through a connector, in their order. */
export interface EventProgressDeps {
  readonly clock: Clock
  readonly inboxes: Pick<EventInboxes, 'waiting' | 'oldestAt'>
  readonly inOrder: Pick<AfterOthers, 'waiting' | 'oldestAt'>
  readonly outbox: Pick<EventOutbox, 'waiting' | 'oldestAt' | 'unwrittenAt'>
}

/** How far a connector has come with the events that it read. Moments are epoch milliseconds, of its own clock. */
export class EventProgress {
  readonly #deps: EventProgressDeps

  constructor(deps: EventProgressDeps) {
    this.#deps = deps
  }

  /** Events that are not handed over yet. */
  get waiting(): number {
    const { inboxes, inOrder, outbox } = this.#deps
    return inboxes.waiting + inOrder.waiting + outbox.waiting
  }

  /** When the event that an inbox hands on now was read, or earlier: it may have waited there for long. */
  get readAt(): number {
    return Math.min(this.#deps.clock.now(), this.#deps.inboxes.oldestAt)
  }

  /** Every event that was read before this moment has been queued. */
  get queuedTo(): number {
    return Math.min(this.#inMemoryFrom, this.#deps.outbox.oldestAt ?? Infinity)
  }

  /** Every event that was read before this moment has been queued or written to disk. */
  get keptTo(): number {
    return Math.min(this.#inMemoryFrom, this.#deps.outbox.unwrittenAt ?? Infinity)
  }

  get #inMemoryFrom(): number {
    return Math.min(this.readAt, this.#deps.inOrder.oldestAt ?? Infinity)
  }
}
