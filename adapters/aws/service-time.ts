import type { AdapterContext } from '../context.ts'
import { dynamoClient } from './dynamodb-client.ts'

/**
 * Returns the time of the services (epoch milliseconds): that of the process's clock, corrected as the store's client
 * corrects it. A client learns the difference from its answers, and every request calls the store before it signs.
 */
export function serviceTime(context: Pick<AdapterContext, 'env' | 'clock'>): number {
  return context.clock.now() + dynamoClient(context).config.systemClockOffset
}
