import { type ExpressionLocation, quoted, refuse } from './refusal.ts'

interface SpanRule {
  readonly accepts: (span: string) => boolean
  readonly words: string
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** A number, or two with a hyphen; if the second is less, the span wraps around. */
function numbers(min: number, max: number, names: readonly string[] = []): SpanRule {
  const isBound = (text: string) =>
    names.includes(text.toLowerCase()) || (/^\d{1,4}$/.test(text) && Number(text) >= min && Number(text) <= max)
  return {
    accepts: (span) => span.split('-').length <= 2 && span.split('-').every((bound) => isBound(bound.trim())),
    words: `a number from ${min} to ${max}${names.length === 0 ? '' : ` or a name such as ${names[0]}`}, or two with a hyphen`,
  }
}

const clock = '(?:[01]?\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d)?'
const timeOfDay = new RegExp(`^${clock}-(?:${clock}|24:00(?::00)?)$`)
const moment = `(\\d{4}-\\d{2}-\\d{2}) ${clock}`
const dateTime = new RegExp(`^${moment}~${moment}$`)

/** The functions of the current time, in the route's zone, with the rules of their spans. */
export const timeFunctions: ReadonlyMap<string, SpanRule> = new Map([
  ['year', numbers(0, 9999)],
  ['yday', numbers(1, 366)],
  ['mon', numbers(1, 12, months)],
  ['mday', numbers(1, 31)],
  ['week', numbers(1, 53)],
  ['mweek', numbers(1, 6)],
  ['wday', numbers(1, 7, weekdays)],
  ['hour', numbers(0, 23)],
  ['minute', numbers(0, 59)],
  ['minute_of_day', numbers(1, 1440)],
  ['time_of_day', { accepts: (span) => timeOfDay.test(span), words: 'two times such as 08:00-17:30' }],
  ['date_time', { accepts: isDateSpan, words: 'two moments such as 2026-01-01 00:00:00~2026-01-06 23:59:59' }],
])

/**
 * Reads the arguments of a time function: spans, comma-separated, bare or in one pair of quotes. Without spans the
 * function returns the value itself. Throws `invalid_field` at the first malformed span.
 */
export function readTimeSpans(name: string, source: string, at: number, place: ExpressionLocation): string[] {
  const rule = timeFunctions.get(name)
  const [, before = '', , bare = source] = /^(\s*(['"]))(.*)\2\s*$/s.exec(source) ?? []
  if (rule === undefined || bare.trim() === '') return []
  let offset = at + before.length
  return bare.split(',').map((part) => {
    const span = part.trim()
    if (!rule.accepts(span)) {
      const start = offset + part.length - part.trimStart().length
      throw refuse(place, start, `${quoted(span)} must be ${rule.words}`)
    }
    offset += part.length + 1
    return span
  })
}

function isDateSpan(span: string): boolean {
  const [, from = '', to = ''] = dateTime.exec(span) ?? []
  return isDate(from) && isDate(to) && from <= to
}

function isDate(text: string): boolean {
  const [year, month, day] = text.split('-').map(Number)
  if (year === undefined || month === undefined || day === undefined) return false
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month)
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}
