import { type TimeZone, momentOf } from './time-zone.ts'

/** A part of the calendar. Weeks begin on Monday. */
export type CalendarUnit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'

const lengths: ReadonlyMap<CalendarUnit, number> = new Map([
  ['second', 1000],
  ['minute', 60_000],
  ['hour', 3_600_000],
])

/** Returns the beginning of the unit that contains a moment, by the clocks of a zone. Epoch milliseconds. */
export function beginningOf(unit: CalendarUnit, at: number, zone: TimeZone): number {
  const offset = zone.offsetAt(at)
  const length = lengths.get(unit)
  if (length !== undefined) return Math.floor((at + offset) / length) * length - offset
  const local = new Date(at + offset)
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()]
  switch (unit) {
    case 'week':
      return momentOf(dayOf(year, month, day - ((local.getUTCDay() + 6) % 7)), zone)
    case 'month':
      return momentOf(dayOf(year, month, 1), zone)
    case 'quarter':
      return momentOf(dayOf(year, month - (month % 3), 1), zone)
    case 'year':
      return momentOf(dayOf(year, 0, 1), zone)
    case 'second':
    case 'minute':
    case 'hour':
    case 'day':
      return momentOf(dayOf(year, month, day), zone)
  }
}

/** Returns a moment so many units later (earlier if negative); a day that the month lacks becomes its last. */
export function plusUnits(unit: CalendarUnit, count: number, at: number, zone: TimeZone): number {
  const length = lengths.get(unit)
  if (length !== undefined) return at + count * length
  const local = new Date(at + zone.offsetAt(at))
  const today = dayOf(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate())
  // A day whose midnight the clocks leave out begins at 01:00; those after it do not.
  const time = at === momentOf(today, zone) ? 0 : local.getTime() - today
  const days = unit === 'day' ? count : unit === 'week' ? count * 7 : 0
  const months = unit === 'month' ? count : unit === 'quarter' ? count * 3 : unit === 'year' ? count * 12 : 0
  const [year, month] = [local.getUTCFullYear(), local.getUTCMonth() + months]
  const lastDay = new Date(dayOf(year, month + 1, 0)).getUTCDate()
  return momentOf(dayOf(year, month, Math.min(local.getUTCDate(), lastDay) + days) + time, zone)
}

/** Returns the beginning of a day; unlike `Date.UTC`, years below 100 are themselves. */
function dayOf(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day)
}
