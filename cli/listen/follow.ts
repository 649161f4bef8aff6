import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '../../client/index.ts'
import type { ListedEvent } from './delivery.ts'

/** A page of a domain's list of events. */
export type EventPage = Answer<'listEvents'>['data']
type Gap = EventPage['gaps'][number]
type NumberGap = Extract<Gap, { kind: 'numbers' }>
type TimeGap = Extract<Gap, { kind: 'time' }>

/** The receiver of all events of a domain. */
export interface Follower {
  readonly read: (since: number) => Promise<EventPage>
  /** Handles an event. Returns false when the user ended it before it was handled. */
  readonly onEvent: (event: ListedEvent) => Promise<boolean>
  readonly onNumbers: (gap: NumberGap) => void
  /** Hears of a time in which events may have been missed, once for each. */
  readonly onTime: (gap: TimeGap) => void
  /** Hears that the domain has no hook, so that nothing is collected; once until that changes. */
  readonly onNothingCollected: () => void
  readonly onHandled: (sequence: number) => void
  readonly signal: AbortSignal
}

const idleMs = 1000
/** The platform reports gaps for a day; of so many the oldest are forgotten and may be shown again. */
const mostGaps = 1000

/** Handles all events after a number in their order, each once, until the user ends it. Each number is event or gap. */
export async function follow(since: number, follower: Follower): Promise<void> {
  const { signal } = follower
  const shown = new Set<string>()
  let isCollected = true
  for (let position = since; !signal.aborted; ) {
    const page = await follower.read(position)
    if (isCollected && !page.isCollected) follower.onNothingCollected()
    isCollected = page.isCollected
    for (const gap of page.gaps) if (gap.kind === 'time' && isNew(shown, gap)) follower.onTime(gap)
    if (!(await handle(page, follower))) return
    position = page.next
    follower.onHandled(position)
    if (!page.more) await pause(idleMs, undefined, { signal }).catch(() => {})
  }
}

/** Handles events and gaps of numbers in the order of their numbers. Returns false when the user ended it. */
async function handle({ events, gaps }: EventPage, follower: Follower): Promise<boolean> {
  const numbers = gaps.filter((gap) => gap.kind === 'numbers')
  const entries = [
    ...events.map((event) => ({ at: event.sequence, event })),
    ...numbers.map((gap) => ({ at: gap.fromSequence, gap })),
  ].sort((one, other) => one.at - other.at)
  for (const entry of entries) {
    if (follower.signal.aborted) return false
    if ('gap' in entry) follower.onNumbers(entry.gap)
    else if (await follower.onEvent(entry.event)) follower.onHandled(entry.at)
    else return false
  }
  return true
}

function isNew(shown: Set<string>, { reason, from, to }: TimeGap): boolean {
  const key = `${reason} ${from} ${to}`
  if (shown.has(key)) return false
  shown.add(key)
  if (shown.size > mostGaps) for (const oldest of [...shown].slice(0, 1)) shown.delete(oldest)
  return true
}
