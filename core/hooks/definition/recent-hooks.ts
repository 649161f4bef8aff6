import { RecentReadings } from '../../concurrency/recent-readings.ts'
import type { Clock } from '../../time.ts'
import type { HookStore } from './hook-store.ts'
import type { Hook } from './hook.ts'

/** The most characters that all readings have together, unless one reading alone has more. */
export const keptCharacters = 8_000_000

/** Returns the hooks of a domain, for events of these names. */
export type HooksFor = (domain: string, names: readonly string[]) => Promise<readonly Hook[]>

/**
 * Returns the hooks of domains as they were a second ago at most. Where no hook of an earlier reading names an event,
 * there may be a new one: they are read anew. A reading that fails is not kept.
 */
export function recentHooks(hooks: Pick<HookStore, 'list'>, clock: Clock): HooksFor {
  const readings = new RecentReadings(clock, keptCharacters)
  const list = readings.keep((domain: string) => hooks.list(domain))
  return async (domain, names) => {
    const { begun } = readings
    const found = await list(domain)
    if (names.every((name) => found.some(({ event }) => event === name))) return found
    readings.forget(domain, begun)
    return list(domain)
  }
}
