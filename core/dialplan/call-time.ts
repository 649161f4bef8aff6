/** A moment in a time zone. */
export interface LocalTime {
  readonly values: ReadonlyMap<string, number>
  /** `2026-01-31 08:05:09`. */
  readonly text: string
}

/** Returns a moment (epoch milliseconds) as the clocks of a time zone show it. */
export function localTime(now: number, timeZone: string): LocalTime {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(now)
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((each) => each.type === type)?.value ?? '0')
  const [year, month, day] = [part('year'), part('month'), part('day')]
  const [hour, minute, second] = [part('hour'), part('minute'), part('second')]
  const dayOfYear = Math.round((Date.UTC(year, month - 1, day) - Date.UTC(year, 0, 1)) / 86_400_000)
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay()
  const firstWeekday = new Date(Date.UTC(year, month - 1, 1)).getUTCDay()
  const two = (value: number) => String(value).padStart(2, '0')
  return {
    values: new Map([
      ['year', year],
      ['yday', dayOfYear + 1],
      ['mon', month],
      ['mday', day],
      ['week', Math.floor(dayOfYear / 7) + 1],
      ['mweek', Math.ceil((day + firstWeekday) / 7)],
      ['wday', weekday + 1],
      ['hour', hour],
      ['minute', minute],
      // The engine counts them from 1.
      ['minute_of_day', hour * 60 + minute + 1],
      ['second_of_day', hour * 3600 + minute * 60 + second],
    ]),
    text: `${String(year).padStart(4, '0')}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)}`,
  }
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** Returns whether a moment lies in a span of a time function, both ends included. A span may wrap around. */
export function isInSpan(time: LocalTime, name: string, span: string): boolean {
  if (name === 'date_time') {
    const [from = '', to = ''] = span.split('~').map(wholeMoment)
    return from <= time.text && time.text <= to
  }
  if (name === 'time_of_day') {
    const [from = 0, to = 0] = span.split('-').map(secondOfDay)
    return isBetween(time.values.get('second_of_day') ?? 0, from, to)
  }
  const bounds = span.split('-').map((bound) => numberOf(name, bound.trim()))
  const [from = 0, to = from] = bounds
  return isBetween(time.values.get(name) ?? 0, from, to)
}

function isBetween(value: number, from: number, to: number): boolean {
  return from <= to ? from <= value && value <= to : value >= from || value <= to
}

function numberOf(name: string, bound: string): number {
  const names = name === 'mon' ? months : name === 'wday' ? weekdays : []
  const index = names.indexOf(bound.toLowerCase())
  return index < 0 ? Number(bound) : index + 1
}

function secondOfDay(clock: string): number {
  const [hour = 0, minute = 0, second = 0] = clock.split(':').map(Number)
  return hour * 3600 + minute * 60 + second
}

function wholeMoment(moment: string): string {
  const [day = '', clock = ''] = moment.trim().split(' ')
  const [hour = '0', minute = '0', second = '0'] = clock.split(':')
  return `${day} ${[hour, minute, second].map((part) => part.padStart(2, '0')).join(':')}`
}
