import { deliveryId } from '../../adapters/crypto/delivery-id.ts'
import { dynamoDeliveryStore } from '../../adapters/dynamodb/dynamo-delivery-store.ts'
import { dynamoEventLogWriter } from '../../adapters/dynamodb/dynamo-event-log-writer.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/dynamo-hook-store.ts'
import { linearPattern } from '../../adapters/regex/linear-pattern.ts'
import { patternRest } from '../../adapters/regex/pattern-rest.ts'
import { sqsDeliveryQueue } from '../../adapters/sqs/sqs-delivery-queue.ts'
import { hookDispatch } from '../../contracts/workers.ts'
import { dispatchEvents } from '../../core/hooks/dispatch-events.ts'
import { recentHooks } from '../../core/hooks/recent-hooks.ts'
import { batchWorker } from '../worker.ts'

export const handler = batchWorker(
  hookDispatch,
  {
    hooks: dynamoHookStore,
    eventLogWriter: dynamoEventLogWriter,
    deliveries: dynamoDeliveryStore,
    deliveryQueue: sqsDeliveryQueue,
  },
  (ports, { clock, log }) => {
    const hooksFor = recentHooks(ports.hooks, clock)
    const deps = { ...ports, hooksFor, clock, compile: linearPattern, rest: patternRest, deliveryIdOf: deliveryId }
    return async (events) => {
      const ends = await dispatchEvents(deps, events)
      for (const { event, unjudged } of ends) {
        if (unjudged > 0) log.warn('filters are too much work', { domain: event.domain, hooks: unjudged })
      }
      return ends.map(({ error }) => error)
    }
  },
)
