import { type ConcurrencyName, type LimitName, concurrencyNames, limitNames } from '../../contracts/routes/route.ts'
import { environment } from '../../contracts/environment.ts'
import type { Allowance } from '../../core/limits/allowance.ts'

/** The rates that are held. */
export type RateLimits = Readonly<Partial<Record<LimitName, Allowance> & Record<ConcurrencyName, number>>>

const periodsMs = { s: 1000, m: 60_000, h: 3_600_000 } as const

/**
 * Reads rates such as `token=50/s:100,login=10/m,searching=2` (see `usualRateLimits`); `off` is none. Throws an error that names
 * the variable when they are malformed: a deployment must not start without limits that somebody meant.
 */
export function readRateLimits(text: string): RateLimits {
  if (text === 'off') return {}
  return Object.fromEntries(text.split(',').map(readLimit))
}

function readLimit(text: string): [LimitName, Allowance] | [ConcurrencyName, number] {
  const [, atOnce, most] = /^([a-z]+)=([1-9]\d{0,6})$/.exec(text.trim()) ?? []
  const concurrency = concurrencyNames.find((known) => known === atOnce)
  if (concurrency !== undefined) return [concurrency, Number(most)]
  const [, given, requests, period, burst = requests] =
    /^([a-z]+)=([1-9]\d{0,6})\/([smh])(?::([1-9]\d{0,6}))?$/.exec(text.trim()) ?? []
  const name = limitNames.find((known) => known === given)
  if (name === undefined || (period !== 's' && period !== 'm' && period !== 'h')) {
    throw new Error(`environment variable ${environment.rateLimits} must be "off" or rates such as token=50/s:100`)
  }
  return [name, { intervalMs: periodsMs[period] / Number(requests), burst: Number(burst) }]
}
