import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { hmacSha256 } from '../../adapters/crypto/hmac-sha256.ts'
import { dynamoDeliveryStore } from '../../adapters/dynamodb/dynamo-delivery-store.ts'
import { dynamoEmailSettingsStore } from '../../adapters/dynamodb/dynamo-email-settings-store.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/dynamo-hook-store.ts'
import { guardedHookClient } from '../../adapters/http/guarded-hook-client.ts'
import { guardedMailSender } from '../../adapters/mail/guarded-mail-sender.ts'
import { sqsDeliveryQueue } from '../../adapters/sqs/sqs-delivery-queue.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import { deliver } from '../../contracts/workers.ts'
import { attemptDelivery } from '../../core/hooks/attempt-delivery.ts'
import { worker } from '../worker.ts'

export const handler = worker(
  deliver,
  {
    hooks: dynamoHookStore,
    deliveries: dynamoDeliveryStore,
    deliveryQueue: sqsDeliveryQueue,
    hookClient: guardedHookClient,
    secretBox: kmsSecretBox,
    events: sqsEventSink,
    emailSettings: dynamoEmailSettingsStore,
    mail: guardedMailSender,
  },
  async (message, ports, { clock, random, log }) => {
    const made = await attemptDelivery({ ...ports, clock, random, hmac: hmacSha256 }, message)
    if (made === undefined) return
    const { status, reason, durationMs } = made.attempt
    const { id: deliveryId, hookId, domain } = message
    log.info('attempt made', { deliveryId, hookId, domain, state: made.state, status, reason, durationMs })
    if (made.isDecisive && made.state === 'failed') log.warn('delivery failed', { deliveryId, hookId, domain, reason })
  },
)
