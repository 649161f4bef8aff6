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
  return /^[A-Z][A-Za-z_]+(\/[A-Z][A-Za-z0-9_+-]*){1,2}$/.test(name) ? namedZone(name) : undefined
}

function namedZone(name: string): TimeZone | undefined {
  const format = formatOf(name)
  if (format === undefined) return undefined
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

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  } catch {
    return undefined
  }
}

/** Returns the moment at which the clocks of a zone show a local time, given as if it were UTC. */
export function momentOf(local: number, zone: TimeZone): number {
  const first = local - zone.offsetAt(local)
  const second = local - zone.offsetAt(first)
  // Where clocks are set forward no moment shows the time: the offset before the change is taken.
  return second + zone.offsetAt(second) === local ? second : Math.max(first, second)
}
