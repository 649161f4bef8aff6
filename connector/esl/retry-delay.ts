import type { EslDownReason } from './errors.ts'
import type { EslLimits } from './limits.ts'

/** Trying these again soon would change nothing and could get our address banned. */
const REFUSED: ReadonlySet<EslDownReason> = new Set(['auth-refused', 'access-rejected'])

/**
 * How long to wait before connecting again: doubles with each failure between the limits, with the upper half of each
 * wait drawn at random, so that many clients do not come back at once.
 */
export function retryDelayMs(
  reason: EslDownReason,
  failuresBefore: number,
  limits: Pick<EslLimits, 'retryMinMs' | 'retryMaxMs' | 'refusedRetryMs'>,
  random: () => number,
): number {
  if (REFUSED.has(reason)) return limits.refusedRetryMs
  const longestMs = Math.min(limits.retryMaxMs, limits.retryMinMs * 2 ** (failuresBefore + 1))
  return longestMs / 2 + random() * (longestMs / 2)
}
