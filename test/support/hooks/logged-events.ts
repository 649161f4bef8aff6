import type { EventLogWriter } from '../../../core/hooks/delivery/event-log-writer.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'

/** Gives events of one domain numbers in one step, as the function that dispatches does, and returns these. */
export async function logEvents(
  log: EventLogWriter,
  events: readonly PlatformEvent[],
  watchedSince = 0,
): Promise<number[]> {
  const domain = events[0]?.domain ?? ''
  const taken = await log.take(domain, events.length, watchedSince)
  const entries = events.map((event, index) => {
    return { event, sequence: taken.first + index, isWanted: true, deliveries: [] }
  })
  const given = await log.write(taken, entries)
  if (given === undefined) throw new Error('the numbers were made void')
  return events.map(({ id }) => given.get(id)?.sequence ?? 0)
}

/** Gives one event a number. */
export async function logEvent(log: EventLogWriter, event: PlatformEvent, watchedSince = 0): Promise<number> {
  const [number = 0] = await logEvents(log, [event], watchedSince)
  return number
}
