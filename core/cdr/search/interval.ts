import type { Aggregation } from '../search-plan.ts'
import { refused } from './refusal.ts'

type Interval = Extract<Aggregation, { readonly kind: 'date_histogram' }>['interval']
type Unit = Extract<Interval, { readonly unit: string }>['unit']

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

const units: ReadonlyMap<string, { readonly unit: Unit; readonly length: number }> = new Map([
  ...named('minute', '1m', minute),
  ...named('hour', '1h', hour),
  ...named('day', '1d', 23 * hour),
  ...named('week', '1w', 7 * day - hour),
  ...named('month', '1M', 28 * day - hour),
  ...named('quarter', '1q', 90 * day - hour),
  ...named('year', '1y', 365 * day - hour),
])

function named(unit: Unit, short: string, length: number): [string, { unit: Unit; length: number }][] {
  return [unit, short].map((name) => [name, { unit, length }])
}

const lengths: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', minute],
  ['h', hour],
  ['d', day],
])

/** Reads the length of time steps, and returns the shortest possible one in milliseconds. */
export function readInterval(
  members: ReadonlyMap<string, unknown>,
  at: string,
): { interval: Interval; length: number } {
  const names = ['interval', 'calendar_interval', 'fixed_interval'].filter((name) => members.has(name))
  const [name, ...others] = names
  if (name === undefined || others.length > 0) throw refused(at, 'must hold calendar_interval or fixed_interval')
  const text = members.get(name)
  const calendar = name === 'fixed_interval' || typeof text !== 'string' ? undefined : units.get(text)
  if (calendar !== undefined) return { interval: { unit: calendar.unit }, length: calendar.length }
  const parts =
    name === 'calendar_interval' || typeof text !== 'string' ? null : /^([1-9]\d{0,8})(ms|s|m|h|d)$/.exec(text)
  if (parts === null)
    throw refused(`${at}.${name}`, 'must be such as day or 1d (calendar_interval), or 15m (fixed_interval)')
  const length = Number(parts[1]) * (lengths.get(parts[2] ?? '') ?? day)
  return { interval: { milliseconds: length }, length }
}
