import type { EventLinkReport, EventPosition } from '../../core/model.ts'
import type { Clock } from '../../core/ports.ts'
import type { EngineEvent } from '../engine.ts'
import type { Timers } from '../timers.ts'
import { engineTime, nowhere, positionOf } from './event-position.ts'
import type { GapFound } from './gap-log.ts'
import { ReadMarks } from './read-marks.ts'

/** An engine sends a sign of life every 20 s: by then the first event after a gap has come, if any will. */
const firstEventMs = 25_000

/** What could not be read is told of together, once in this time. */
const unreadMs = 30_000

/** By then it is known whether a connector that was killed just before this one began has listened until then. */
const unsureMs = 20_000

/** What is remembered of an engine's gaps, so that a call of that time is known to have been missed. */
const maxSpans = 16

/** The engine's clock ticks in steps, and what is on its way when a link breaks is a little older than that. */
const slackMs = 1_000

/** A time of the engine's own clock, epoch milliseconds, in which its events were not heard. */
interface Span {
  readonly from: number
  to: number
}

/** A gap of which the first event after it is still to come. */
interface OpenGap {
  readonly found: Omit<GapFound, 'after'>
  readonly span: Span
  readonly cancel: () => void
}

/** Events that came and could not be read. */
interface Unread {
  readonly from: number
  readonly before: EventPosition
  readonly span: Span
  readonly cancel: () => void
  count: number
}

interface Link {
  last: EngineEvent | undefined
  lastAt: number
  core: string
  upSince: number
  /** 0 before. */
  firstUpAt: number
  lost: { readonly from: number; readonly reason: string; readonly span: Span } | undefined
  open: OpenGap | undefined
  unread: Unread | undefined
  spans: Span[]
  readonly marks: ReadMarks
}

/** What a link that came up has found. */
export interface LinkUp {
  /** Whether this is the first time since the start of this process. */
  readonly isFirst: boolean
  /** The process of the engine that was there before; empty when it is the same one, or none was known. */
  readonly endedCore: string
}

/** What becomes of the event links, and how far each has been read. */
export interface EventLinks {
  /** An event of the engine came. */
  heard(event: EngineEvent, engine: string): void
  up(engine: string, coreUuid: string): LinkUp
  /** The link of an engine that came up with fewer events than are wanted has all of them from now on. */
  widened(engine: string): void
  /** A link that was up has been lost; `reason` is the word of the session. */
  down(engine: string, reason: string): void
  /** An event of the engine came and could not be read. */
  unreadable(engine: string): void
  /** Whether anything of the engine may have been missed since the start. */
  hasGaps(engine: string): boolean
  /** Whether the engine's first link came up so lately that it is not known yet what was missed before. */
  beganLately(engine: string): boolean
  /** Whether an event of this moment, in microseconds of the engine's clock, may have been missed. */
  mayHaveMissed(engine: string, microseconds: string): boolean
  /** Events of the engine from `from` until now, epoch milliseconds, were heard by nobody. */
  missedSince(engine: string, from: number): void
  /** Tells of every gap whose end is known, without waiting for the first event after it. */
  settle(): void
  /** For the report of this connector; all that was read before `queuedTo`, epoch milliseconds, has been queued. */
  reports(queuedTo: number): EventLinkReport[]
}

/** Knows no link yet. Each gap is told once, with the events around it. */
export function eventLinks(parts: {
  readonly tell: (gap: GapFound) => void
  /** When the first gap of an engine begins that was told of and is not stored yet, epoch milliseconds; none if absent. */
  readonly unstoredFrom?: ((engine: string) => number | undefined) | undefined
  /** Told of an engine some of whose events could not be read, once for all of half a minute. */
  readonly onUnread: (engine: string) => void
  readonly clock: Clock
  readonly timers: Timers
}): EventLinks {
  const { tell, unstoredFrom, onUnread, clock, timers } = parts
  const links = new Map<string, Link>()

  const linkOf = (engine: string): Link => {
    const link = links.get(engine) ?? newLink()
    links.set(engine, link)
    return link
  }

  const addSpan = (link: Link, from: number): Span => {
    const span = { from: from - slackMs, to: Number.POSITIVE_INFINITY }
    link.spans = [...link.spans.slice(1 - maxSpans), span]
    return span
  }

  const close = (link: Link, first: EngineEvent | undefined) => {
    const gap = link.open
    if (gap === undefined) return
    link.open = undefined
    gap.cancel()
    gap.span.to = (engineTime(first) ?? clock.now()) + slackMs
    tell({ ...gap.found, after: first === undefined ? nowhere : positionOf(first) })
  }

  const closeUnread = (engine: string, link: Link) => {
    const unread = link.unread
    if (unread === undefined) return
    link.unread = undefined
    unread.cancel()
    const { from, before, span, count } = unread
    span.to = (engineTime(link.last) ?? clock.now()) + slackMs
    const after = link.last === undefined ? nowhere : positionOf(link.last)
    const dropped = { class: 'unreadable', count }
    tell({ engine, reason: 'unreadable', from, to: clock.now(), before, after, dropped })
    onUnread(engine)
  }

  return {
    heard: (event, engine) => {
      const link = linkOf(engine)
      if (link.open !== undefined) close(link, event)
      link.last = event
      link.lastAt = clock.now()
      link.marks.note(event, link.lastAt)
    },
    up: (engine, coreUuid) => {
      const link = linkOf(engine)
      const isFirst = link.upSince === 0 && link.lost === undefined && link.core === ''
      const isOther = coreUuid !== '' && link.core !== '' && coreUuid !== link.core
      const { lost, core } = link
      link.upSince = clock.now()
      if (isFirst) link.firstUpAt = clock.now()
      link.core = coreUuid || core
      link.lost = undefined
      if (lost !== undefined) {
        const before = link.last === undefined ? nowhere : positionOf(link.last)
        const reason = isOther ? 'engine-restarted' : lost.reason
        const found = { engine, reason, from: lost.from, to: clock.now(), before }
        const cancel = timers.after(firstEventMs, () => close(link, undefined))
        link.open = { found, span: lost.span, cancel }
      }
      return { isFirst, endedCore: isOther ? core : '' }
    },
    widened: (engine) => {
      const link = linkOf(engine)
      if (link.upSince > 0) link.upSince = clock.now()
    },
    down: (engine, reason) => {
      const link = linkOf(engine)
      close(link, undefined)
      link.upSince = 0
      const from = link.lastAt || clock.now()
      link.lost ??= { from, reason, span: addSpan(link, engineTime(link.last) ?? from) }
    },
    unreadable: (engine) => {
      const link = linkOf(engine)
      const from = link.lastAt || clock.now()
      link.unread ??= {
        from,
        before: link.last === undefined ? nowhere : positionOf(link.last),
        span: addSpan(link, engineTime(link.last) ?? from),
        cancel: timers.after(unreadMs, () => closeUnread(engine, link)),
        count: 0,
      }
      link.unread.count += 1
    },
    hasGaps: (engine) => (links.get(engine)?.spans.length ?? 0) > 0,
    beganLately: (engine) => clock.now() - (links.get(engine)?.firstUpAt ?? 0) < unsureMs,
    mayHaveMissed: (engine, microseconds) => {
      const at = Number(microseconds) / 1_000
      const spans = links.get(engine)?.spans ?? []
      return at > 0 && spans.some(({ from, to }) => from <= at && at <= to)
    },
    missedSince: (engine, from) => {
      addSpan(linkOf(engine), from).to = (linkOf(engine).upSince || clock.now()) + slackMs
    },
    settle: () => {
      for (const [engine, link] of links) {
        close(link, undefined)
        closeUnread(engine, link)
      }
    },
    reports: (queuedTo) => [...links].map(([engine, link]) => reportOf(engine, link, queuedTo, unstoredFrom?.(engine))),
  }
}

function reportOf(engine: string, link: Link, queuedTo: number, unstoredFrom = Infinity): EventLinkReport {
  const { last, core, upSince, lost, open, unread, marks } = link
  const handedOverTo = marks.engineTimeBefore(queuedTo)
  const lostAt = Math.min(unstoredFrom, ...[lost, open?.found, unread].map((gap) => gap?.from ?? Infinity))
  return {
    engine,
    last: last === undefined ? { ...nowhere, coreUuid: core } : positionOf(last),
    upSince,
    ...(lostAt === Infinity ? {} : { lostAt }),
    ...(handedOverTo === undefined ? {} : { handedOverTo }),
  }
}

function newLink(): Link {
  return {
    last: undefined,
    lastAt: 0,
    core: '',
    upSince: 0,
    firstUpAt: 0,
    lost: undefined,
    open: undefined,
    unread: undefined,
    spans: [],
    marks: new ReadMarks(),
  }
}
