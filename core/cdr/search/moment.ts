import { type CalendarUnit, beginningOf, plusUnits } from '../calendar.ts'
import { type TimeZone, momentOf, timeZoneOf } from '../time-zone.ts'

/** The context in which a date is read. */
export interface MomentContext {
  /** Epoch milliseconds. */
  readonly now: number
  readonly zone: TimeZone
  /** Whether omitted and rounded parts become the last millisecond instead of the first. */
  readonly isRoundedUp: boolean
}

/** Years 1 to 9999: beyond them no search store reads a date. */
const [earliest, latest] = [-62_135_596_800_000, 253_402_300_799_999]

/**
 * Reads a date: ISO 8601 whose smaller parts may be left out, epoch milliseconds of five digits or more, or an
 * expression such as `now-2h/h` and `2026-01-01||+1M/d`. Returns epoch milliseconds, or `undefined` for any other text.
 */
export function momentIn(text: string, context: MomentContext): number | undefined {
  const moment = text.startsWith('now') ? calculated(text.slice(3), context.now, context) : dated(text, context)
  return moment === undefined || !(moment >= earliest && moment <= latest) ? undefined : moment
}

function dated(text: string, context: MomentContext): number | undefined {
  const at = text.indexOf('||')
  if (at === -1) return isoMoment(text, context) ?? epochMoment(text)
  const anchor = text.slice(0, at)
  const start = isoMoment(anchor, { ...context, isRoundedUp: false }) ?? epochMoment(anchor)
  return start === undefined ? undefined : calculated(text.slice(at + 2), start, context)
}

function epochMoment(text: string): number | undefined {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
}

const iso =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](?:(\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?)?)?$/

function isoMoment(text: string, { zone, isRoundedUp }: MomentContext): number | undefined {
  const parts = iso.exec(text)
  if (parts === null) return undefined
  const [year, month] = [Number(parts[1]), part(parts[2], isRoundedUp ? 12 : 1)]
  if (month < 1 || month > 12) return undefined
  const lastDay = new Date(new Date(0).setUTCFullYear(year, month, 0)).getUTCDate()
  const day = part(parts[3], isRoundedUp ? lastDay : 1)
  const hour = part(parts[4], isRoundedUp ? 23 : 0)
  const [minute, second] = [part(parts[5], isRoundedUp ? 59 : 0), part(parts[6], isRoundedUp ? 59 : 0)]
  if (day < 1 || day > lastDay || hour > 23 || minute > 59 || second > 59) return undefined
  const fraction = parts[7] === undefined ? (isRoundedUp ? 999 : 0) : Number(`${parts[7]}00`.slice(0, 3))
  const local = new Date(0).setUTCFullYear(year, month - 1, day)
  const own = parts[8] === undefined ? zone : timeZoneOf(parts[8])
  const time = ((hour * 60 + minute) * 60 + second) * 1000 + fraction
  return own === undefined ? undefined : momentOf(local + time, own, isRoundedUp)
}

function part(text: string | undefined, missing: number): number {
  return text === undefined ? missing : Number(text)
}

const units: ReadonlyMap<string, CalendarUnit> = new Map([
  ['y', 'year'],
  ['M', 'month'],
  ['w', 'week'],
  ['d', 'day'],
  ['h', 'hour'],
  ['H', 'hour'],
  ['m', 'minute'],
  ['s', 'second'],
])

function calculated(steps: string, start: number, { zone, isRoundedUp }: MomentContext): number | undefined {
  if (!/^(?:[+-]\d{0,9}[yMwdhHms]|\/1?[yMwdhHms])*$/.test(steps)) return undefined
  let at = start
  for (const [, sign, count, name] of steps.matchAll(/([+\-/])(\d*)([yMwdhHms])/g)) {
    const unit = units.get(name ?? '') ?? 'day'
    if (sign === '/') at = rounded(unit, at, zone, isRoundedUp)
    else at = plusUnits(unit, (sign === '-' ? -1 : 1) * (count === '' ? 1 : Number(count)), at, zone)
    if (!(at >= earliest && at <= latest)) return undefined
  }
  return at
}

function rounded(unit: CalendarUnit, at: number, zone: TimeZone, isUp: boolean): number {
  const beginning = beginningOf(unit, at, zone)
  return isUp ? plusUnits(unit, 1, beginning, zone) - 1 : beginning
}
