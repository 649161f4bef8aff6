import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { HeldEvents } from './held-events.ts'
import { slackMs } from './pending-handover.ts'

/** The held events of one engine. */
export class HoldingPlace {
  readonly held = new HeldEvents()
  /** When its events were heard again. What others heard until then goes first. */
  since = 0
  /** The first event since then, by the engine's clock, epoch milliseconds; absent until there is one. */
  firstAt: number | undefined
  /** Ends the wait for the others. From then on what is held leaves. */
  over = new AbortController()

  /** Whether held events leave as soon as there is room. */
  get isLeaving(): boolean {
    return this.over.signal.aborted
  }

  /** Events were missed until now. */
  beginAgain(now: number): void {
    this.since = now
    this.firstAt = undefined
  }

  /** Whether an event need not be held: nothing of its call is in front of it, nor on another connector's way. */
  mayPass(event: PlatformEvent): boolean {
    return !this.held.has(event.uuid) && (this.isLeaving || this.#isOfNewCall(event))
  }

  /** Whether every event of the call came after the first one that was heard, so that all of them were heard here. */
  #isOfNewCall({ fields }: PlatformEvent): boolean {
    const createdAt = Number(fields['Caller-Channel-Created-Time']) / 1_000
    return this.firstAt !== undefined && createdAt > this.firstAt + slackMs
  }
}

/** The waiting events of all engines that have any. */
export class HoldingPlaces {
  readonly #places = new Map<string, HoldingPlace>()

  get isEmpty(): boolean {
    return this.#places.size === 0
  }

  /** Events that are held. */
  get events(): number {
    return this.#sum(({ size }) => size)
  }

  get bytes(): number {
    return this.#sum(({ bytes }) => bytes)
  }

  get all(): readonly HoldingPlace[] {
    return [...this.#places.values()]
  }

  of(engine: string): HoldingPlace | undefined {
    return this.#places.get(engine)
  }

  /** Where an event belongs: events of a call that another engine has recovered stay after its held ones. */
  ofCall(uuid: string, engine: string): HoldingPlace | undefined {
    if (this.isEmpty || uuid === '') return undefined
    return this.all.find(({ held }) => held.has(uuid)) ?? this.of(engine)
  }

  /** Makes a place for an engine that has none. */
  open(engine: string): HoldingPlace {
    const place = new HoldingPlace()
    this.#places.set(engine, place)
    return place
  }

  /** Forgets the places that are left. */
  close(): void {
    for (const [engine, place] of this.#places) {
      if (place.isLeaving && place.held.size === 0) this.#places.delete(engine)
    }
  }

  #sum(count: (held: HeldEvents) => number): number {
    let all = 0
    for (const { held } of this.#places.values()) all += count(held)
    return all
  }
}
