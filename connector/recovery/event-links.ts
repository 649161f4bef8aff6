import type { EventLinkReport } from '../../core/connectors/connector-report.ts'
import type { Clock } from '../../core/time.ts'
import { type EngineEvent, earlierReported, engineTime, nowhere, positionOf } from '../runtime/engine.ts'
import type { Timers } from '../../core/concurrency/timers.ts'
import { type EngineMarks, type EventLink, type Progress, lastOf, newEventLink, reportOf } from './event-link.ts'
import type { GapLog } from './gap-log.ts'

/** An engine sends a sign of life every 20 s: by then the first event after a gap has come, if any will. */
const firstEventMs = 25_000

/** Unreadable events are reported together, once in this time. */
const unreadMs = 30_000

/** By then it is known whether a connector that was killed just before this one began has listened until then. */
const unsureMs = 20_000

/** The findings of a link that came up. */
export interface LinkUp {
  /** Whether this is the first time since the start of this process. */
  readonly isFirst: boolean
  /** The process of the engine that was there before; empty when it is the same one, or none was known. */
  readonly endedCore: string
  /** The moment up to which everything was heard before the loss, epoch milliseconds; 0 if no loss was noticed. */
  readonly heardTo: number
}

export interface EventLinksDeps {
  readonly gaps: Pick<GapLog, 'add' | 'unstoredFrom'>
  readonly marks: EngineMarks
  readonly clock: Clock
  readonly timers: Timers
}

/** The state of event links, and how far each was read. Reports each gap once, with the events around it. */
export class EventLinks {
  readonly #deps: EventLinksDeps
  readonly #links = new Map<string, EventLink>()

  constructor(deps: EventLinksDeps) {
    this.#deps = deps
  }

  heard(event: EngineEvent, engine: string): void {
    const link = this.#linkOf(engine)
    if (link.open !== undefined) this.#close(link, event)
    link.last = event
    link.lastAt = this.#deps.clock.now()
    link.marks.note(event, link.lastAt)
  }

  up(engine: string, coreUuid: string): LinkUp {
    const { clock, timers } = this.#deps
    const link = this.#linkOf(engine)
    const isFirst = link.upSince === 0 && link.lost === undefined && link.core === ''
    const isOther = coreUuid !== '' && link.core !== '' && coreUuid !== link.core
    const { lost, core } = link
    link.upSince = clock.now()
    if (isFirst) link.firstUpAt = clock.now()
    link.core = coreUuid || core
    link.lost = undefined
    if (lost !== undefined) {
      const reason = isOther ? 'engine-restarted' : lost.reason
      const found = { engine, reason, from: lost.from, to: clock.now(), before: lastOf(link) }
      const cancel = timers.after(firstEventMs, () => this.#close(link, undefined))
      link.open = { found, missed: lost.missed, cancel }
    }
    return { isFirst, endedCore: isOther ? core : '', heardTo: lost?.from ?? 0 }
  }

  widened(engine: string): void {
    const link = this.#linkOf(engine)
    if (link.upSince > 0) link.upSince = this.#deps.clock.now()
  }

  /**
   * A link that was up has been lost; `reason` is the word of the session. Returns the moment up to which everything
   * was heard, epoch milliseconds.
   */
  down(engine: string, reason: string): number {
    const link = this.#linkOf(engine)
    this.#close(link, undefined)
    link.lost ??= { reason, ...this.#miss(link) }
    link.upSince = 0
    return link.lost.from
  }

  /**
   * An event of the engine could not be read. Calls `onCounted` once for all of half a minute, with the moment up to
   * which everything was heard, epoch milliseconds.
   */
  unreadable(engine: string, onCounted: (heardTo: number) => void): void {
    const link = this.#linkOf(engine)
    link.unread ??= {
      ...this.#miss(link),
      onCounted,
      before: lastOf(link),
      cancel: this.#deps.timers.after(unreadMs, () => this.#closeUnread(engine, link)),
      count: 0,
    }
    link.unread.count += 1
  }

  hasGaps(engine: string): boolean {
    return this.#links.get(engine)?.missed.isEmpty === false
  }

  /** Whether the engine's first link came up so lately that it is not known yet what was missed before. */
  beganLately(engine: string): boolean {
    return this.#deps.clock.now() - (this.#links.get(engine)?.firstUpAt ?? 0) < unsureMs
  }

  /** Whether an event of this moment, in microseconds of the engine's clock, may have been missed. */
  mayHaveMissed(engine: string, microseconds: string): boolean {
    const at = Number(microseconds) / 1_000
    return at > 0 && this.#links.get(engine)?.missed.has(at) === true
  }

  /** Events of the engine from `from` until now, epoch milliseconds, were heard by no connector. */
  missedSince(engine: string, from: number): void {
    const { missed, upSince } = this.#linkOf(engine)
    missed.begin(from).end(upSince || this.#deps.clock.now())
  }

  settle(): void {
    for (const [engine, link] of this.#links) {
      this.#close(link, undefined)
      this.#closeUnread(engine, link)
    }
  }

  reports(progress: Progress): EventLinkReport[] {
    const { gaps } = this.#deps
    return [...this.#links].map(([engine, link]) => reportOf(engine, link, progress, gaps.unstoredFrom(engine)))
  }

  #linkOf(engine: string): EventLink {
    const link = this.#links.get(engine) ?? newEventLink(this.#deps.marks.of(engine))
    this.#links.set(engine, link)
    return link
  }

  /**
   * Begins a gap at the last event that was read, or at the end of the gap before: no two gaps begin together. Where an
   * event was read late, those after it may be as old, so its own time counts if that is earlier.
   */
  #miss(link: EventLink): Pick<NonNullable<EventLink['lost']>, 'from' | 'missed'> {
    const latest = Math.max(link.lastAt, link.upSince, link.unreadReportedAt) || this.#deps.clock.now()
    const sentAt = engineTime(link.last)
    const from = latest === link.lastAt ? earlierReported(latest, sentAt) : latest
    return { from, missed: link.missed.begin(sentAt ?? from) }
  }

  #close(link: EventLink, first: EngineEvent | undefined): void {
    const gap = link.open
    if (gap === undefined) return
    link.open = undefined
    gap.cancel()
    gap.missed.end(engineTime(first) ?? this.#deps.clock.now())
    this.#deps.gaps.add({ ...gap.found, after: first === undefined ? nowhere : positionOf(first) })
  }

  #closeUnread(engine: string, link: EventLink): void {
    const { clock, gaps } = this.#deps
    const unread = link.unread
    if (unread === undefined) return
    link.unread = undefined
    unread.cancel()
    const { from, before, missed, count, onCounted } = unread
    missed.end(engineTime(link.last) ?? clock.now())
    const after = lastOf(link)
    const dropped = { class: 'unreadable', count }
    link.unreadReportedAt = clock.now()
    gaps.add({ engine, reason: 'unreadable', from, to: link.unreadReportedAt, before, after, dropped })
    onCounted(from)
  }
}
