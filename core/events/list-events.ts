import { invalidField } from '../errors.ts'
import type { LoggedEvent } from './platform-event.ts'
import type { EventLog } from './event-log.ts'
import { type EventView, type ShownEvent, isShown, shownEvent } from './event-view.ts'
import type { GapStore } from './gap-store.ts'
import type { ConnectorStatusStore } from '../connectors/connector-status-store.ts'
import { type TimeGap, engineGap, fewGaps, hooklessGap, isHeardByOthers } from './time-gaps.ts'

/** The ports of {@link listEvents}. */
export interface ListEventsPorts {
  readonly eventLog: Pick<EventLog, 'head' | 'read'>
  readonly hooks: { count(domain: string): Promise<number> }
  readonly gaps: Pick<GapStore, 'list'>
  readonly connectorStatus: Pick<ConnectorStatusStore, 'list'>
}

const listEventsLimits = {
  /** UTF-16 units of JSON, though always one event: three times that in bytes fits into the 6 MB of an answer. */
  shown: 1_500_000,
  /** Events at a time, where few of them are shown. */
  read: 1_000,
  gaps: 1_000,
} as const

const dayMs = 86_400_000

/** Gaps that began longer ago are not looked for, whenever they ended; their records are kept for longer. */
const longestGapMs = 7 * dayMs

/** Clocks of those who number events and those who record gaps differ by less. */
const skewMs = 5_000

/** The number after which a page of the list begins, the most events of the page, and what the reader sees of them. */
export interface EventsWanted {
  readonly since: number
  readonly limit: number
  readonly view: EventView
}

/**
 * Numbers without an event, both ends included: `not_kept` are of events that are not kept any more; `void` are of
 * none, since their taker died before it wrote, or its event had a number already.
 */
export interface NumberGap {
  readonly kind: 'numbers'
  readonly reason: 'not_kept' | 'void'
  readonly fromSequence: number
  readonly toSequence: number
}

/** A page of a domain's events. */
export interface EventsPage {
  readonly events: readonly ShownEvent[]
  readonly gaps: readonly (NumberGap | TimeGap)[]
  readonly head: number
  readonly next: number
  readonly more: boolean
  readonly isCollected: boolean
}

/**
 * Lists the events of a domain after a number, in the order of their numbers, and everything that may be missing up to
 * `next`. Every number is among the events or in a gap, or that
 * of an event which the view leaves out. A gap is shown as the time that it covers if it became known
 * after the event `since` was numbered and, if more pages follow, before the last event of the page. A gap that becomes
 * known later is in a later page; one may be shown in two pages. Throws `invalid_field` for a number that the domain
 * has not used yet.
 */
export async function listEvents(
  ports: ListEventsPorts,
  domain: string,
  { since, limit, view }: EventsWanted,
  now: number,
): Promise<EventsPage> {
  const head = await ports.eventLog.head(domain)
  if (since > head) {
    const way = 'begin again with 0: all that is kept'
    throw invalidField('since', `must be at most ${head}, the highest number of the domain so far; ${way}`)
  }
  const [{ before, shown, found, voids, upTo, isEnd }, hooks] = await Promise.all([
    readPage(ports, domain, { since, limit, view }),
    ports.hooks.count(domain),
  ])
  const last = found.at(-1)
  const next = isEnd ? Math.max(since, upTo) : (last?.sequence ?? since)
  const more = !isEnd && next < head
  const known = await knownGaps(ports, { before, found, since, more }, now)
  return {
    events: shown,
    gaps: [...missingNumbers({ since, found, voids }, next), ...fewGaps(known)],
    head: Math.max(head, next),
    next,
    more,
    isCollected: hooks > 0,
  }
}

/** What is remembered of an event that was read, shown or not. */
type Found = Omit<LoggedEvent, 'event'>

interface FoundPage {
  /** The event of the number `since`, where it is kept. */
  readonly before: Found | undefined
  readonly shown: readonly ShownEvent[]
  readonly found: readonly Found[]
  readonly voids: readonly number[]
  readonly upTo: number
  /** Whether the page is not full: nothing is known yet of later numbers. */
  readonly isEnd: boolean
}

async function readPage(
  { eventLog }: ListEventsPorts,
  domain: string,
  { since, limit, view }: EventsWanted,
): Promise<FoundPage> {
  const found: Found[] = []
  const shown: ShownEvent[] = []
  const voids: number[] = []
  const { name, call, scope } = view
  // Of events that are chosen, few of those that are read are shown.
  const isChosen = name !== undefined || call !== undefined || scope !== 'all'
  let before: Found | undefined
  let upTo = Math.max(0, since - 1)
  let size = 0
  for (;;) {
    const wanted = isChosen ? listEventsLimits.read : limit - shown.length + (upTo < since ? 1 : 0)
    const part = await eventLog.read(domain, upTo, wanted)
    voids.push(...part.voids)
    for (const { event, ...entry } of part.events) {
      if (entry.sequence === since) {
        before = entry
        continue
      }
      if (isShown(view, event)) {
        const form = shownEvent(view, entry.sequence, event)
        size += JSON.stringify(form).length
        if (shown.length > 0 && size > listEventsLimits.shown) {
          return { before, shown, found, voids, upTo: part.upTo, isEnd: false }
        }
        shown.push(form)
      }
      found.push(entry)
      if (shown.length === limit) return { before, shown, found, voids, upTo: part.upTo, isEnd: false }
    }
    if (part.upTo <= upTo) return { before, shown, found, voids, upTo, isEnd: true }
    upTo = part.upTo
  }
}

function missingNumbers(
  { since, found, voids }: Pick<FoundPage, 'found' | 'voids'> & { readonly since: number },
  next: number,
): NumberGap[] {
  const ends = [since, ...found.map(({ sequence }) => sequence), next + 1]
  const known = voids.filter((number) => number > since && number <= next)
  return ends.slice(1).flatMap((end, index) => gapsBetween((ends[index] ?? 0) + 1, end - 1, known))
}

function gapsBetween(from: number, to: number, voids: readonly number[]): NumberGap[] {
  const gaps: { -readonly [K in keyof NumberGap]: NumberGap[K] }[] = []
  const add = (reason: NumberGap['reason'], fromSequence: number, toSequence: number) => {
    const last = gaps.at(-1)
    if (fromSequence > toSequence) return
    if (last?.reason === reason && last.toSequence === fromSequence - 1) last.toSequence = toSequence
    else gaps.push({ kind: 'numbers', reason, fromSequence, toSequence })
  }
  let at = from
  for (const number of voids.filter((each) => each >= from && each <= to)) {
    add('not_kept', at, number - 1)
    add('void', number, number)
    at = number + 1
  }
  add('not_kept', at, to)
  return gaps
}

interface Page {
  readonly before: Found | undefined
  readonly found: readonly Found[]
  readonly since: number
  readonly more: boolean
}

async function knownGaps(ports: ListEventsPorts, page: Page, now: number): Promise<TimeGap[]> {
  const recorded = await ports.gaps.list(now - longestGapMs, listEventsLimits.gaps)
  const ofPage = recorded.filter((gap) => isOfPage(gap, page, now))
  const reports = ofPage.length > 0 ? await ports.connectorStatus.list(now - dayMs) : []
  const hookless = page.found.flatMap((entry) => hooklessGap(entry) ?? [])
  const missed = ofPage.filter((gap) => !isHeardByOthers(gap, reports)).map(engineGap)
  const [oldest] = recorded
  const isCut = recorded.length === listEventsLimits.gaps && oldest !== undefined && oldest.from > now - dayMs
  // The part that was not examined is one gap, however many there were.
  const unseen: TimeGap[] = isCut ? [{ kind: 'time', reason: 'several', from: now - dayMs, to: oldest.from }] : []
  return [...unseen, ...hookless, ...missed]
}

function isOfPage(gap: { from: number; to: number; recordedAt: number }, page: Page, now: number): boolean {
  const { before, found, since, more } = page
  const [first] = found
  const watchedFrom = since === 0 && first?.sequence === 1 ? (first.unwatched?.to ?? 0) : 0
  const after = before === undefined ? 0 : before.loggedAt - skewMs
  const until = more ? (found.at(-1)?.loggedAt ?? now) : Number.POSITIVE_INFINITY
  return gap.to > now - dayMs && gap.to > watchedFrom && gap.recordedAt > after && gap.recordedAt <= until
}
