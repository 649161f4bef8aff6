import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { hmacSha256 } from '../../adapters/crypto/hook-digests.ts'
import { dynamoConnectorStatusStore } from '../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { dynamoDeliveryStore } from '../../adapters/dynamodb/hooks/dynamo-delivery-store.ts'
import { dynamoEmailSettingsStore } from '../../adapters/dynamodb/domains/dynamo-email-settings-store.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import { dynamoRateLimitStore } from '../../adapters/dynamodb/access/dynamo-rate-limit-store.ts'
import { guardedHookClient } from '../../adapters/http/guarded-hook-client.ts'
import { systemClock, systemTimers } from '../../adapters/system/system-time.ts'
import { guardedMailSender } from '../../adapters/mail/guarded-mail-sender.ts'
import { sqsDeliveryQueue } from '../../adapters/sqs/sqs-delivery-queue.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import type { DeliveryMessage } from '../../contracts/messages/worker-messages.ts'
import type { deliver } from '../../contracts/workers.ts'
import { OwnDelay } from '../../core/hooks/attempt/own-delay.ts'
import { attemptDelivery } from '../../core/hooks/attempt/attempt-delivery.ts'
import type { Limited } from '../../core/concurrency/semaphore.ts'
import type { PortsOf } from '../../contracts/ports.ts'
import type { WorkerAdaptersOf, WorkerDeps } from '../worker.ts'
import { logAttempt } from './log-attempt.ts'

/** The adapters of both functions that make attempts. */
export const attemptAdapters = {
  hooks: dynamoHookStore,
  deliveries: dynamoDeliveryStore,
  deliveryQueue: sqsDeliveryQueue,
  rateLimits: dynamoRateLimitStore,
  hookClient: guardedHookClient,
  secretBox: kmsSecretBox,
  events: sqsEventSink,
  emailSettings: dynamoEmailSettingsStore,
  mail: guardedMailSender,
  connectorStatus: dynamoConnectorStatusStore,
} satisfies WorkerAdaptersOf<typeof deliver>

/**
 * Returns ports whose readings of hooks and events are shared by the attempts of one batch: an event for many hooks, or
 * a hook that gets many events, is read once.
 */
export function sharingReads(ports: PortsOf<typeof deliver.needs>): PortsOf<typeof deliver.needs> {
  const { hooks, deliveries } = ports
  const read = once(hooks.read, (domain, id) => [domain, id])
  const readEvent = once(deliveries.readEvent, ({ domain, eventId, sequence }) => [domain, eventId, sequence])
  return { ...ports, hooks: { ...hooks, read }, deliveries: { ...deliveries, readEvent } }
}

/**
 * Returns ports whose frequent calls of the store are made few at a time, by all batches of the process together.
 * Attempts to one slow receiver begin and end together; on a laptop, where all functions share a process, what others
 * do would wait for the calls of all of them.
 */
export function callingGently(ports: PortsOf<typeof deliver.needs>, few: Limited): PortsOf<typeof deliver.needs> {
  const { hooks, deliveries } = ports
  return {
    ...ports,
    hooks: { ...hooks, read: (...place) => few(() => hooks.read(...place)) },
    deliveries: {
      ...deliveries,
      read: (...place) => few(() => deliveries.read(...place)),
      readEvent: (of) => few(() => deliveries.readEvent(of)),
      beginAttempt: (...run) => few(() => deliveries.beginAttempt(...run)),
      recordAttempt: (...outcome) => few(() => deliveries.recordAttempt(...outcome)),
    },
  }
}

function once<A extends readonly unknown[], R>(
  call: (...given: A) => Promise<R>,
  keyOf: (...given: A) => readonly (string | number)[],
): (...given: A) => Promise<R> {
  const made = new Map<string, Promise<R>>()
  return (...given) => {
    const key = JSON.stringify(keyOf(...given))
    const result = made.get(key) ?? call(...given)
    made.set(key, result)
    return result
  }
}

const ownDelay = new OwnDelay({ clock: systemClock, timers: systemTimers })

/** Makes the attempt of a message and logs its end; `isSlow` says that it came from the queue of slow receivers. */
export async function makeAttempt(
  message: DeliveryMessage,
  ports: PortsOf<typeof deliver.needs>,
  { clock, random, log }: WorkerDeps,
  isSlow: boolean,
): Promise<void> {
  const tools = { ...ports, clock, random, hmac: hmacSha256, timers: systemTimers, ownDelay, isSlow }
  const made = await attemptDelivery(tools, message)
  if (made !== undefined) logAttempt(log, message, made)
}
