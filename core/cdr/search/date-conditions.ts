import type { Clause } from '../search-plan.ts'
import { type MomentContext, momentIn } from './moment.ts'
import { refused } from './refusal.ts'

/** The ends of a range as they were given; absent or `null` is open. */
export interface GivenRange {
  readonly from?: unknown
  readonly to?: unknown
  readonly isFromIncluded: boolean
  readonly isToIncluded: boolean
}

/** The context in which dates are read. */
export type DateContext = Omit<MomentContext, 'isRoundedUp'> & { readonly isInSeconds: boolean }

/** Returns the condition that a date lies in the span of a value: a day for a date alone, an hour for `now/h`. */
export function dateEquals(field: string, value: unknown, at: string, context: DateContext): Clause {
  const given = { from: value, to: value, isFromIncluded: true, isToIncluded: true }
  return dateRange(field, given, at, context)
}

/**
 * Returns the condition that a date lies between two ends. An abbreviated or rounded end stands for a span, which is
 * included or excluded as a whole: `gte` and `lt` mean its first millisecond, `gt` and `lte` its last.
 */
export function dateRange(field: string, given: GivenRange, at: string, context: DateContext): Clause {
  const from = endOf(given.from, !given.isFromIncluded, at, context)
  const to = endOf(given.to, given.isToIncluded, at, context)
  return {
    kind: 'range',
    field,
    from: from === undefined ? undefined : { value: given.isFromIncluded ? from : from + 1, isInclusive: true },
    to: to === undefined ? undefined : { value: given.isToIncluded ? to : to - 1, isInclusive: true },
  }
}

function endOf(value: unknown, isRoundedUp: boolean, at: string, context: DateContext): number | undefined {
  if (value === undefined || value === null) return undefined
  const { isInSeconds, ...rest } = context
  const isNumber = typeof value === 'number' || (isInSeconds && typeof value === 'string' && /^\d{1,11}$/.test(value))
  const text = isNumber ? String(Math.trunc(Number(value)) * (isInSeconds ? 1000 : 1)) : value
  // A number is never a year.
  const moment = isNumber
    ? numbered(Number(text))
    : typeof text === 'string'
      ? momentIn(text, { ...rest, isRoundedUp })
      : undefined
  if (moment !== undefined) return moment
  throw refused(at, 'must be a date such as 2026-01-31, 2026-01-31T12:00:00Z, now-2h/h, or epoch milliseconds')
}

/** The year 9999 and its counterpart before 1970: numbers beyond that are surely not milliseconds. */
const furthest = 253_402_300_799_999

function numbered(moment: number): number | undefined {
  return Math.abs(moment) <= furthest ? moment : undefined
}
