import type { Clock } from '../../time.ts'
import type { HookStore } from './hook-store.ts'
import type { Hook } from './hook.ts'

/** How long a reading serves. A new hook takes effect within 2 s, by the contract; the other second is for the rest of the way. */
const freshMs = 1_000

/**
 * The most characters that all readings have together, unless one reading alone has more. One hook can have 300 000
 * characters, so counting hooks would not bound the memory.
 */
export const keptCharacters = 8_000_000

interface Reading {
  readonly at: number
  readonly hooks: Promise<Hook[]>
  size: number
}

/** Returns the hooks of a domain, for events of these names. */
export type HooksFor = (domain: string, names: readonly string[]) => Promise<readonly Hook[]>

/**
 * Returns the hooks of domains as they were a second ago at most. Where no hook of an earlier reading names an event, there
 * may be a new one: they are read anew. A reading that fails is not kept.
 */
export function recentHooks(hooks: Pick<HookStore, 'list'>, clock: Clock): HooksFor {
  // In the order of their times.
  const readings = new Map<string, Reading>()
  const begin = (domain: string): Reading => {
    const reading: Reading = { at: clock.now(), hooks: hooks.list(domain), size: 0 }
    readings.delete(domain)
    readings.set(domain, reading)
    void settle(domain, reading)
    return reading
  }
  const settle = async (domain: string, reading: Reading) => {
    try {
      reading.size = JSON.stringify(await reading.hooks).length
      dropOldest(readings)
    } catch {
      // The callers that waited get the failure; the next one asks again.
      if (readings.get(domain) === reading) readings.delete(domain)
    }
  }
  return async (domain, names) => {
    const now = clock.now()
    for (const [name, { at }] of readings) {
      if (now - at < freshMs && at <= now) break
      readings.delete(name)
    }
    const earlier = readings.get(domain)
    if (earlier === undefined) return begin(domain).hooks
    const found = await earlier.hooks
    const isEnough = names.every((name) => found.some(({ event }) => event === name))
    return isEnough ? found : begin(domain).hooks
  }
}

function dropOldest(readings: Map<string, Reading>): void {
  let size = [...readings.values()].reduce((sum, reading) => sum + reading.size, 0)
  for (const [domain, reading] of readings) {
    if (size <= keptCharacters || readings.size === 1) return
    readings.delete(domain)
    size -= reading.size
  }
}
