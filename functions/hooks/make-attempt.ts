import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { hmacSha256 } from '../../adapters/crypto/hmac-sha256.ts'
import { dynamoDeliveryStore } from '../../adapters/dynamodb/dynamo-delivery-store.ts'
import { dynamoEmailSettingsStore } from '../../adapters/dynamodb/dynamo-email-settings-store.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/dynamo-hook-store.ts'
import { dynamoRateLimitStore } from '../../adapters/dynamodb/dynamo-rate-limit-store.ts'
import { guardedHookClient } from '../../adapters/http/guarded-hook-client.ts'
import { systemTimers } from '../../adapters/system/system-timers.ts'
import { guardedMailSender } from '../../adapters/mail/guarded-mail-sender.ts'
import { sqsDeliveryQueue } from '../../adapters/sqs/sqs-delivery-queue.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import type { DeliveryMessage } from '../../contracts/messages/delivery.ts'
import { failedDelivery } from '../../contracts/metrics.ts'
import type { deliver } from '../../contracts/workers.ts'
import { attemptDelivery } from '../../core/hooks/attempt-delivery.ts'
import type { PortsOf } from '../../core/ports.ts'
import type { WorkerAdaptersOf, WorkerTools } from '../worker.ts'

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
} satisfies WorkerAdaptersOf<typeof deliver>

/**
 * Makes the attempt of a message and logs its end; `isSlow` tells whether it came from the queue of slow receivers. A
 * delivery that failed for good is told by a line of its own.
 */
export async function makeAttempt(
  message: DeliveryMessage,
  ports: PortsOf<typeof deliver.needs>,
  { clock, random, log }: WorkerTools,
  isSlow: boolean,
): Promise<void> {
  const tools = { ...ports, clock, random, hmac: hmacSha256, timers: systemTimers, isSlow }
  const made = await attemptDelivery(tools, message)
  if (made === undefined) return
  const { status, reason, durationMs } = made.attempt
  const { id: deliveryId, hookId, domain } = message
  log.info('attempt made', { deliveryId, hookId, domain, state: made.state, status, reason, durationMs })
  if (made.isDecisive && made.state === 'failed') log.warn(failedDelivery, { deliveryId, hookId, domain, reason })
}
