import type { StatusReporter } from './health/status-report.ts'
import type { Running } from './running.ts'
import { type Timers, pause } from './timers.ts'

/** How long a stopping connector waits for answers of the engines; calls that still ring end as unknown. */
const answersMs = 3_000

/** How long it then waits for the goodbyes of all engines together. */
const goodbyeMs = 1_500

/** How long it then takes to store that they did. */
const lastWritesMs = 1_000

/** How long putting on disk what could not be handed over may take at the very end. */
const spoolMs = 2_000

/** How long telling how all of it ended may take. */
const lastReportMs = 500

/**
 * No command is taken any more. While all engines are still there, their answers are waited for and events handed over;
 * then all are let go of at once, which ends what is open as unknown; then what that brought is written, what still waits
 * is put on disk, and a last report tells how much that is. Answers how many events are lost.
 */
export async function stopConnector(
  { parts, events, works, runner }: Running,
  status: StatusReporter,
  loops: Promise<unknown>,
  graceMs: number,
) {
  const { clock, timers } = parts
  const answered = loops.then(() => runner.settled())
  await within(timers, graceMs, Promise.all([events.flushed(), within(timers, answersMs, answered)]))
  const listenedTo = clock.now()
  const goodbyes = works.flatMap(({ engine }) => [engine.commands.close(), engine.events.close()])
  await within(timers, goodbyeMs, Promise.all(goodbyes))
  await within(timers, lastWritesMs, Promise.all([events.flushed(), answered]))
  let lost = events.waiting
  await within(
    timers,
    spoolMs,
    events.close().then((count) => (lost = count)),
  )
  const handedOverTo = Math.min(listenedTo, clock.now() - events.lagMs)
  await within(timers, lastReportMs, status.tellEnd({ eventLinks: events.links(), handedOverTo, left: events.waiting }))
  return lost
}

/** Waits for something, but no longer than it may take. */
async function within(timers: Timers, ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  await Promise.race([work, pause(timers, ms, over.signal)])
  over.abort()
}
