import type { Clock } from '../terminal/clock.ts'

/** Returns a time in epoch milliseconds as ISO 8601 without milliseconds, in UTC; nothing for no time. */
export function timeText(epochMs: number | undefined): string | undefined {
  return epochMs === undefined ? undefined : new Date(epochMs).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const halfYearMs = 182 * 86_400_000

/** Returns a time as people write it: of today the time of day, of other days the date too, of other years no time. */
export function clockTime(at: number, { now, aheadOfUtc }: Clock): string {
  const [there, here] = [new Date(at + aheadOfUtc(at)), new Date(now() + aheadOfUtc(now()))]
  const [day = '', time = ''] = there.toISOString().split(/[T.]/)
  if (day === here.toISOString().slice(0, 10)) return time
  const date = `${there.getUTCDate()} ${months[there.getUTCMonth()] ?? ''}`
  return Math.abs(at - now()) < halfYearMs ? `${date} ${time.slice(0, 5)}` : `${date} ${there.getUTCFullYear()}`
}

/** Returns how long ago a time was, or in how long it will be: `2 min ago`, `in 3 days`. */
export function relativeTime(at: number, { now }: Clock): string {
  const distance = spanText(Math.abs(at - now()) / 1000)
  return at <= now() ? `${distance} ago` : `in ${distance}`
}

/** Returns a span of seconds in its largest unit: `40 s`, `5 min`, `3 h`, `2 days`. */
export function spanText(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`
  if (seconds < 2 * 86_400) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} days`
}
