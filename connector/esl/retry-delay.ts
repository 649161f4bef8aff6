import type { EslDownReason } from './errors.ts'
import type { EslLimits } from './limits.ts'

/** Trying these again at once would change nothing and could get our address banned. */
const REFUSED: ReadonlySet<EslDownReason> = new Set(['auth-refused', 'access-rejected'])

/**
 * Returns the wait before reconnecting, partly random, so that many clients do not come back at once. It doubles with
 * each failure between the limits, and at least half of it is kept. After a refusal it is `refusedRetryMs` and up to a
 * quarter more.
 */
export function retryDelayMs(
  reason: EslDownReason,
  failuresBefore: number,
  limits: Pick<EslLimits, 'retryMinMs' | 'retryMaxMs' | 'refusedRetryMs'>,
  random: () => number,
): number {
  if (REFUSED.has(reason)) return limits.refusedRetryMs * (1 + random() / 4)
  const longestMs = Math.min(limits.retryMaxMs, limits.retryMinMs * 2 ** (failuresBefore + 1))
  return longestMs / 2 + random() * (longestMs / 2)
}
