import { dynamoDeliveryStore } from '../../adapters/dynamodb/hooks/dynamo-delivery-store.ts'
import { sqsDeliveryQueue } from '../../adapters/sqs/sqs-delivery-queue.ts'
import { requeueDeliveries as record } from '../../contracts/schedules.ts'
import { requeueDeliveries } from '../../core/hooks/delivery/requeue-deliveries.ts'
import { scheduled } from '../scheduled.ts'
import { workTimeMs } from '../work-time.ts'

/** The last third of the function's time is reserved for the page under way. */
const workMs = workTimeMs(record)

export const handler = scheduled(
  record,
  { deliveries: dynamoDeliveryStore, deliveryQueue: sqsDeliveryQueue },
  async (ports, { clock, log }) => {
    const { requeued, left, unreadable, stoppedBy } = await requeueDeliveries({ ...ports, clock }, clock.now() + workMs)
    if (unreadable.length > 0) {
      const places = unreadable.slice(0, 5).join(', ')
      log.error('stored records cannot be read', undefined, { count: unreadable.length, places })
    }
    if (requeued + left > 0 || stoppedBy !== undefined) {
      log.warn('attempts were lost and queued again', { requeued, left, stoppedBy })
    }
  },
)
