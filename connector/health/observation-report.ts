import type { Log } from '../../adapters/log/logger.ts'
import { type ReadField, eventDomainCandidates, legDomainCandidates } from '../../core/channels/leg.ts'
import { type Timers, pause } from '../../core/concurrency/timers.ts'

/** The first report comes while the person who attaches an engine is there, the others each hour from the start on. */
const [firstMs, hourMs] = [60_000, 60 * 60_000]

/** Names that are listed; any caller of an engine can make up new ones. */
const mostNames = 20

const shown = [
  'eventsRead',
  'eventsPublished',
  'cdrsRelayed',
  'eventsWithoutDomain',
  'eventsDropped',
  'eventsUnreadable',
  'gaps',
] as const

/** Reports what was heard of engines that are only observed. */
export interface ObservationReport {
  unowned(read: ReadField): void
  /**
   * Writes a line to the log after a minute, and each hour, until aborted. `counters` count from the start of the
   * process.
   */
  follow(counters: () => Readonly<Record<string, number>>, signal: AbortSignal): Promise<void>
}

/** Makes a report in which nothing was heard yet. */
export function observationReport({ timers, log }: { readonly timers: Timers; readonly log: Log }): ObservationReport {
  const unowned = new Map<string, number>()
  return {
    unowned: (read) => {
      const [name] = [...legDomainCandidates(read, () => undefined), ...eventDomainCandidates(read)]
      if (name === undefined || (!unowned.has(name) && unowned.size >= mostNames)) return
      unowned.set(name, (unowned.get(name) ?? 0) + 1)
    },
    follow: async (counters, signal) => {
      for (let dueMs = firstMs, passedMs = 0; ; dueMs += dueMs === firstMs ? hourMs - firstMs : hourMs) {
        await pause(timers, dueMs - passedMs, signal)
        if (signal.aborted) return
        passedMs = dueMs
        const now = counters()
        const heard = Object.fromEntries(shown.map((name) => [name, now[name] ?? 0]))
        log.info('what was heard of observed engines', { minutes: dueMs / 60_000, ...heard, unowned: textOf(unowned) })
      }
    },
  }
}

/** `default: 12, pbx.local: 3`, the most frequent first. */
function textOf(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ')
}
