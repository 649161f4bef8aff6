import type { Log } from '../../adapters/log/logger.ts'
import { failedDelivery } from '../../contracts/workers.ts'
import type { MadeAttempt } from '../../core/hooks/attempt/made-attempt.ts'
import type { Delivery } from '../../core/hooks/delivery/delivery.ts'

/**
 * Logs the end of an attempt. A delivery that failed for good gets a line of its own. A success is logged at level
 * `info` only where a request caused the event, so that it can be followed; the delivery log has every attempt, and
 * lines are paid by the byte.
 */
export function logAttempt(
  log: Log,
  { id: deliveryId, hookId, domain, requestId }: Pick<Delivery, 'id' | 'hookId' | 'domain' | 'requestId'>,
  { attempt, state, isDecisive }: MadeAttempt,
): void {
  const { status, reason, durationMs } = attempt
  const level = state === 'delivered' && requestId === undefined ? 'debug' : 'info'
  log[level]('attempt made', { deliveryId, hookId, domain, requestId, state, status, reason, durationMs })
  if (isDecisive && state === 'failed') log.warn(failedDelivery, { deliveryId, hookId, domain, requestId, reason })
}
