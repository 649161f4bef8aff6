import { isTimeZone } from '../client-names/value-rules.ts'

/** A zone of time: how far its clocks are ahead of UTC. */
export interface TimeZone {
  readonly name: string
  /** Milliseconds ahead of UTC at a moment in epoch milliseconds. */
  offsetAt(at: number): number
}

/** UTC itself. */
export const utc: TimeZone = { name: 'UTC', offsetAt: () => 0 }

const minute = 60_000

/** Reads an IANA name or an offset such as `+02:00`, `-0530` or `Z`; absent for what is neither. */
export function timeZoneOf(name: string): TimeZone | undefined {
  if (['UTC', 'Z', 'GMT'].includes(name)) return utc
  const fixed = /^([+-])(\d{2})(?::?([0-5]\d))?$/.exec(name)
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3] ?? 0)
    const offset = (fixed[1] === '-' ? -minutes : minutes) * minute
    // 18 hours is the widest offset that search stores take.
    return minutes > 18 * 60 ? undefined : { name, offsetAt: () => offset }
  }
  return isTimeZone(name) ? namedZone(name) : undefined
}

/**
 * Returns a zone's name as every zone database has it: some know `CET` and `EST` no more. An offset stands for itself.
 */
export function currentName(name: string): string {
  return isTimeZone(name) ? formatOf(name).resolvedOptions().timeZone : name
}

function namedZone(name: string): TimeZone {
  const format = formatOf(name)
  return {
    name,
    offsetAt(at) {
      const text = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
      const parts = /([+-])(\d{2}):(\d{2})(?::(\d{2}))?/.exec(text)
      if (parts === null) return 0
      const seconds = Number(parts[2]) * 3600 + Number(parts[3]) * 60 + Number(parts[4] ?? 0)
      return (parts[1] === '-' ? -seconds : seconds) * 1000
    },
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
}

/** Clocks change at most once in this time before or after a moment. */
const day = 86_400_000

/**
 * Returns the moment at which the clocks of a zone show a local time, given as if it were UTC. Where clocks are set
 * back two moments show it: the first counts, or the last if asked for.
 */
export function momentOf(local: number, zone: TimeZone, isLast = false): number {
  const moments = [local - day, local + day].map((near) => local - zone.offsetAt(near))
  const showing = moments.filter((at) => at + zone.offsetAt(at) === local)
  // Where clocks are set forward no moment shows the time: the offset before the change is taken.
  return isLast || showing.length === 0 ? Math.max(...(showing.length === 0 ? moments : showing)) : Math.min(...showing)
}
