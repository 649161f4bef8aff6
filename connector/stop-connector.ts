import type { StatusReporter } from './health/status-report.ts'
import type { Running } from './assembly/running.ts'
import { type Timers, pause } from '../core/concurrency/timers.ts'

/** How long the steps of a stop may take, in their order. */
export const stopTimes = {
  /** Answers of the engines are awaited while events are handed over; calls that still ring end as unknown. */
  answersMs: 3_000,
  goodbyeMs: 1_500,
  /** Stores the last events of the closing links. */
  lastWritesMs: 1_000,
  spoolMs: 2_000,
  lastReportMs: 500,
  /** Left for the end of the process itself. */
  spareMs: 5_000,
} as const

/**
 * Returns the milliseconds for which events may be handed over to the queue while the engines are still connected, if
 * the process is killed this many seconds after the signal to stop.
 */
export function handOverMs(stopSeconds: number): number {
  const { answersMs: _, ...later } = stopTimes
  return Object.values(later).reduce((left, ms) => left - ms, stopSeconds * 1_000)
}

/**
 * Stops a connector, which receives no further command. While all engines are still connected, their answers are
 * awaited and events handed over. Then all links are closed at once, which ends open commands as unknown. The resulting
 * outcomes are written, the events that still wait are put on disk, and a last report states how many there are.
 * Reports continue until then, since a connector that is silent counts as dead. Returns how many events are lost.
 */
export async function stopConnector(
  { parts, events, works, runner }: Running,
  status: StatusReporter,
  loops: Promise<unknown>,
  graceMs: number,
) {
  const { clock, timers } = parts
  const drained = new AbortController()
  void status.followStop(drained.signal)
  const answered = loops.then(() => runner.settled())
  await within(timers, graceMs, Promise.all([events.flushed(), within(timers, stopTimes.answersMs, answered)]))
  drained.abort()
  const listenedTo = clock.now()
  const goodbyes = works.flatMap(({ engine }) => [engine.commands.close(), engine.events.close()])
  await within(timers, stopTimes.goodbyeMs, Promise.all(goodbyes))
  await within(timers, stopTimes.lastWritesMs, Promise.all([events.flushed(), answered]))
  let lost = events.waiting
  await within(
    timers,
    stopTimes.spoolMs,
    events.close().then((count) => (lost = count)),
  )
  const handedOverTo = Math.min(listenedTo, clock.now() - events.lagMs)
  await within(
    timers,
    stopTimes.lastReportMs,
    status.tellEnd({ eventLinks: events.links(), handedOverTo, left: events.waiting }),
  )
  return lost
}

async function within(timers: Timers, ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  await Promise.race([work, pause(timers, ms, over.signal)])
  over.abort()
}
