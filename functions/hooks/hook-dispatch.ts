import { deliveryId } from '../../adapters/crypto/delivery-id.ts'
import { dynamoDeliveryStore } from '../../adapters/dynamodb/dynamo-delivery-store.ts'
import { dynamoEventLog } from '../../adapters/dynamodb/dynamo-event-log.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/dynamo-hook-store.ts'
import { linearPattern } from '../../adapters/regex/linear-pattern.ts'
import { patternRest } from '../../adapters/regex/pattern-rest.ts'
import { sqsDeliveryQueue } from '../../adapters/sqs/sqs-delivery-queue.ts'
import { hookDispatch } from '../../contracts/workers.ts'
import { dispatchEvent } from '../../core/hooks/dispatch-event.ts'
import { listedOnce } from '../../core/hooks/listed-once.ts'
import { worker } from '../worker.ts'

export const handler = worker(
  hookDispatch,
  {
    hooks: dynamoHookStore,
    eventLog: dynamoEventLog,
    deliveries: dynamoDeliveryStore,
    deliveryQueue: sqsDeliveryQueue,
  },
  async (event, ports, { clock, log }) => {
    const tools = { ...ports, clock, compile: linearPattern, rest: patternRest, deliveryIdOf: deliveryId }
    const unjudged = await dispatchEvent(tools, event)
    if (unjudged > 0) log.warn('filters are too much work', { domain: event.domain, hooks: unjudged })
  },
  {
    portsOfBatch: (ports) => ({ ...ports, hooks: listedOnce(ports.hooks) }),
    orderKeyOf: ({ domain, uuid }) => `${domain}/${uuid}`,
  },
)
