import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { hmacSha256 } from '../../adapters/crypto/hook-digests.ts'
import { dynamoConnectorStatusStore } from '../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { dynamoDeliveryStore } from '../../adapters/dynamodb/hooks/dynamo-delivery-store.ts'
import { dynamoEmailSettingsStore } from '../../adapters/dynamodb/domains/dynamo-email-settings-store.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import { guardedHookClient } from '../../adapters/http/guarded-hook-client.ts'
import { guardedMailSender } from '../../adapters/mail/guarded-mail-sender.ts'
import { sqsDeliveryQueue } from '../../adapters/sqs/sqs-delivery-queue.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import { deliveryMessage } from '../../contracts/messages/delivery.ts'
import { deliver } from '../../contracts/workers.ts'
import { attemptDelivery } from '../../core/hooks/attempt/attempt-delivery.ts'
import type { PortsOf } from '../../contracts/ports.ts'
import { worker } from '../worker.ts'
import { logAttempt } from './log-attempt.ts'

export const handler = worker(
  { ...deliver, message: deliveryMessage },
  {
    hooks: dynamoHookStore,
    deliveries: dynamoDeliveryStore,
    deliveryQueue: sqsDeliveryQueue,
    hookClient: guardedHookClient,
    secretBox: kmsSecretBox,
    events: sqsEventSink,
    emailSettings: dynamoEmailSettingsStore,
    mail: guardedMailSender,
    connectorStatus: dynamoConnectorStatusStore,
  },
  async (message, ports, { clock, random, log }) => {
    const tools = { ...ports, clock, random, hmac: hmacSha256 }
    const made = await attemptDelivery(tools, message)
    if (made !== undefined) logAttempt(log, message, made)
  },
  { portsOfBatch: sharingReads },
)

/**
 * Returns ports whose readings of hooks and events are shared by the attempts of one batch: an event for many hooks, or
 * a hook that gets many events, is read once.
 */
function sharingReads(ports: PortsOf<typeof deliver.needs>): PortsOf<typeof deliver.needs> {
  const { hooks, deliveries } = ports
  const read = once(hooks.read, (domain, id) => [domain, id])
  const readEvent = once(deliveries.readEvent, ({ domain, eventId, sequence }) => [domain, eventId, sequence])
  return { ...ports, hooks: { ...hooks, read }, deliveries: { ...deliveries, readEvent } }
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
