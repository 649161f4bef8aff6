import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { deliveryId, hmacSha256 } from '../../adapters/crypto/hook-digests.ts'
import { dynamoConnectorStatusStore } from '../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { dynamoDeliveryStore } from '../../adapters/dynamodb/hooks/dynamo-delivery-store.ts'
import { dynamoEventLogWriter } from '../../adapters/dynamodb/hooks/dynamo-event-log-writer.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import { guardedHookClient } from '../../adapters/http/guarded-hook-client.ts'
import { linearPattern, patternRest } from '../../adapters/regex/linear-pattern.ts'
import { sqsDeliveryQueue } from '../../adapters/sqs/sqs-delivery-queue.ts'
import { sqsReceivedEvents } from '../../adapters/sqs/sqs-received-events.ts'
import { systemTimers } from '../../adapters/system/system-time.ts'
import { eventMessage } from '../../contracts/messages/event.ts'
import { hookDispatch } from '../../contracts/workers.ts'
import { type EventDispatchDeps, dispatchEvents } from '../../core/hooks/attempt/dispatch-events.ts'
import { type HeldBatch, keepDomainRate } from '../../core/hooks/attempt/domain-rate.ts'
import { recentHooks } from '../../core/hooks/definition/recent-hooks.ts'
import { batchWorker } from '../worker.ts'
import { logAttempt } from './log-attempt.ts'

export const handler = batchWorker(
  { ...hookDispatch, message: eventMessage },
  {
    hooks: dynamoHookStore,
    receivedEvents: sqsReceivedEvents,
    eventLogWriter: dynamoEventLogWriter,
    deliveries: dynamoDeliveryStore,
    deliveryQueue: sqsDeliveryQueue,
    hookClient: guardedHookClient,
    secretBox: kmsSecretBox,
    connectorStatus: dynamoConnectorStatusStore,
  },
  (ports, { clock, random, log, settings }) => {
    const deps: EventDispatchDeps = {
      ...ports,
      clock,
      random,
      timers: systemTimers,
      hmac: hmacSha256,
      compile: linearPattern,
      rest: patternRest,
      deliveryIdOf: deliveryId,
      hooksFor: recentHooks(ports.hooks, clock),
      report: (delivery, made) => logAttempt(log, delivery, made),
    }
    return async (events, settle, receiptOf) => {
      const startedAt = clock.now()
      const { eventsPerSecond: perSecond } = settings
      await dispatchEvents(deps, events, async (ends, isLast) => {
        for (const { event, error, unjudged } of ends) {
          const { domain, requestId } = event
          if (unjudged > 0) log.warn('filters are too much work', { domain, hooks: unjudged, requestId })
          if (requestId !== undefined && error === undefined) {
            log.info('event dispatched', { eventId: event.id, event: event.name, domain, requestId })
          }
          settle(event, error)
        }
        const ofDomain = ends.map(({ event }) => event)
        const report = (held: HeldBatch) => log.info('events held back', { ...held, events: ofDomain.length })
        await keepDomainRate(deps, ofDomain, { perSecond, startedAt, report })
        const done = ends.flatMap(({ event, error }) => (error === undefined ? [receiptOf(event)] : []))
        if (isLast || done.length === 0) return
        // The next events of this domain need not wait for what goes on in the batch. At its end all are removed
        // anyway.
        await ports.receivedEvents.ack(done).catch(() => {})
      })
    }
  },
)
