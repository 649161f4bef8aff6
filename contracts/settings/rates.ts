import type { Allowance } from '../../core/requests/rate-limit.ts'
import { type ConcurrencyName, type LimitName, concurrencyNames, limitNames } from '../routes/route.ts'

/**
 * The rates of the contract: `<name>=<requests>/<s|m|h>`, followed by `:<burst>` if that is another number. A name
 * without a period, `<name>=<requests>`, limits the requests in flight. contracts/routes/route.ts declares the names.
 */
export const usualRateLimits = 'token=50/s:100,domain=200/s:400,login=10/m,call=5/s,search=5/s,searching=2'

/** The sentence that describes well-formed rates. */
export const rateWords = `"off" or rates such as ${usualRateLimits}`

/** The rates that are enforced; a name that is missing has no limit. */
export type RateLimits = Readonly<Partial<Record<LimitName, Allowance> & Record<ConcurrencyName, number>>>

const periodsMs = { s: 1000, m: 60_000, h: 3_600_000 } as const

/** Reads rates such as {@link usualRateLimits}; `off` means no limits. An error describes the expected text. */
export function readRateLimits(text: string): RateLimits {
  return text === 'off' ? {} : Object.fromEntries(text.split(',').map(readLimit))
}

function readLimit(text: string): [LimitName, Allowance] | [ConcurrencyName, number] {
  const [, atOnce, most] = /^([a-z]+)=([1-9]\d{0,6})$/.exec(text.trim()) ?? []
  const concurrency = concurrencyNames.find((known) => known === atOnce)
  if (concurrency !== undefined) return [concurrency, Number(most)]
  const [, given, requests, period, burst = requests] =
    /^([a-z]+)=([1-9]\d{0,6})\/([smh])(?::([1-9]\d{0,6}))?$/.exec(text.trim()) ?? []
  const name = limitNames.find((known) => known === given)
  if (name === undefined || (period !== 's' && period !== 'm' && period !== 'h'))
    throw new Error(`must be ${rateWords}`)
  return [name, { intervalMs: periodsMs[period] / Number(requests), burst: Number(burst) }]
}
