import type { EslDownReason } from './errors.ts'
import type { EslLimits } from './limits.ts'

/** Trying these again soon would change nothing and could get our address banned. */
const REFUSED: ReadonlySet<EslDownReason> = new Set(['auth-refused', 'access-rejected'])

/**
 * How long to wait before connecting again, partly drawn at random, so that many clients do not come back at once.
 * Doubles with each failure between the limits, of which at least half is waited. After a refusal it is the limit and
 * up to a quarter more, never less.
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
