import { kmsSecretBox } from '../../../adapters/aws/kms-secret-box.ts'
import { secretsManagerSecretReader } from '../../../adapters/aws/secrets-manager-secret-reader.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import type { PayloadFiles } from '../../../adapters/dynamodb/hooks/delivery-payloads.ts'
import { dynamoDeliveryStore } from '../../../adapters/dynamodb/hooks/dynamo-delivery-store.ts'
import { dynamoEventLogWriter } from '../../../adapters/dynamodb/hooks/dynamo-event-log-writer.ts'
import { openSearchCdrAdmin } from '../../../adapters/opensearch/opensearch-cdr-admin.ts'
import { openSearchCdrStore } from '../../../adapters/opensearch/opensearch-cdr-store.ts'
import { s3ExportFiles, s3RecordingFiles } from '../../../adapters/s3/s3-file-store.ts'
import { s3Objects } from '../../../adapters/s3/s3-objects.ts'
import { sqsCallEngine } from '../../../adapters/sqs/sqs-call-engine.ts'
import { sqsCdrQueue } from '../../../adapters/sqs/sqs-cdr-queue.ts'
import { dynamoEventTraces } from '../../../adapters/dynamodb/hooks/dynamo-event-traces.ts'
import { sqsErasureQueue } from '../../../adapters/sqs/sqs-erasure-queue.ts'
import { sqsExportQueue } from '../../../adapters/sqs/sqs-export-queue.ts'
import { sqsCleanupQueue } from '../../../adapters/sqs/sqs-cleanup-queue.ts'
import { sqsDeliveryQueue } from '../../../adapters/sqs/sqs-delivery-queue.ts'
import { sqsReceivedEvents } from '../../../adapters/sqs/sqs-received-events.ts'
import { sqsEventSink } from '../../../adapters/sqs/sqs-event-sink.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import { keys, secrets } from '../../../contracts/resources.ts'
import { recordingsLock } from '../../../contracts/settings/platform.ts'
import type { CloudPorts } from './cloud-exercises.ts'
import { type CloudCall, type CloudGate, startCloudGate } from './cloud-gate.ts'
import { startDynamoServer } from './dynamo-server.ts'
import { movableClock } from '../processes/movable-clock.ts'
import { startObjectServer } from './object-server.ts'
import { startQueueServer } from './queue-server.ts'
import { dynamoStores } from './stores.ts'

/**
 * Starts the embedded services of the cloud and opens every adapter over them, through one gate that sees each call.
 */
export async function openCloud() {
  const dynamo = await startDynamoServer()
  const queueServer = await startQueueServer()
  const objects = await startObjectServer()
  const gate = await startCloudGate({ DynamoDB_20120810: dynamo.endpoint, AmazonSQS: queueServer.endpoint })
  gate.answer = cloudAnswer
  const named = Object.fromEntries(
    [...Object.values(secrets), ...Object.values(keys)].map(({ variable }) => [variable, `physical-${variable}`]),
  )
  const env = { ...dynamo.env, ...queueServer.env, ...named, ...gate.env }
  const context = { env, clock: movableClock(), random: systemRandomness }
  const filesContext = { ...context, env: { ...objects.env, [recordingsLock.variable]: 'on' }, clock: systemClock }
  const files = s3Objects(filesContext, 'payloads')
  const payloads: PayloadFiles = {
    put: async (...given) => files.put(...given),
    // Expired items are shown as such only with this permission.
    read: async (key, maxBytes) => (await files.read('none', maxBytes)) ?? files.read(key, maxBytes),
  }
  const ports: CloudPorts = {
    ...dynamoStores(context),
    deliveries: dynamoDeliveryStore(context, payloads),
    eventLogWriter: dynamoEventLogWriter(context, payloads),
    cleanups: sqsCleanupQueue(context),
    cdrQueue: sqsCdrQueue(context),
    eventTraces: dynamoEventTraces(context, { ...payloads, remove: (key) => files.remove(key) }),
    exportQueue: sqsExportQueue(context),
    erasureQueue: sqsErasureQueue(context),
    cdrs: openSearchCdrStore(context),
    cdrAdmin: openSearchCdrAdmin(context),
    engine: sqsCallEngine(context),
    events: sqsEventSink(context),
    receivedEvents: sqsReceivedEvents(context),
    deliveryQueue: sqsDeliveryQueue(context),
    secrets: secretsManagerSecretReader(context),
    secretBox: kmsSecretBox(context),
    recordingFiles: s3RecordingFiles(filesContext),
    exportFiles: s3ExportFiles(filesContext),
  }
  return {
    ports,
    gate,
    judgements: objects.judgements,
    variables: new Map(Object.entries({ ...env, ...objects.env }).map(([variable, physical]) => [physical, variable])),
    async close() {
      await gate.close()
      await Promise.all([dynamo.close(), queueServer.close(), objects.close()])
    },
  }
}

/** The answers of an empty search store, by path; anything else is done. */
const searchAnswers: Readonly<Record<string, { readonly status: number; readonly body: unknown }>> = {
  '/_mget': { status: 200, body: { docs: [{ found: false }] } },
  '/_bulk': { status: 200, body: { items: [{ create: { status: 201 } }] } },
}

function searchAnswer({ action }: CloudCall): { readonly status: number; readonly body: unknown } {
  const [method, path = ''] = action.split(' ')
  if (path.endsWith('/_search')) return { status: 200, body: foundNothing }
  if (path.endsWith('/_refresh')) return { status: 200, body: {} }
  if (path.endsWith('/_delete_by_query')) return { status: 200, body: removedNothing }
  if (path.startsWith('/_cat/indices')) {
    return { status: 200, body: [{ index: 'cdr-a-2020-01', 'docs.count': '0' }] }
  }
  if (method === 'GET') return { status: 404, body: { error: { reason: 'Policy not found' }, status: 404 } }
  return searchAnswers[path] ?? { status: 200, body: { acknowledged: true } }
}

const removedNothing = { deleted: 0, version_conflicts: 0, failures: [] }

const foundNothing = {
  took: 1,
  timed_out: false,
  _shards: { total: 0, successful: 0, skipped: 0, failed: 0 },
  hits: { total: { value: 0, relation: 'eq' }, max_score: null, hits: [] },
}

/** The gate answers for the key service, the secrets and the searches; stores and queues answer for themselves. */
export const cloudAnswer: CloudGate['answer'] = (call, forward) => {
  if (call.service === 'es') return searchAnswer(call)
  if (call.action === 'GetSecretValue') return { status: 200, body: { SecretString: 'secret', VersionId: 'one' } }
  if (call.action === 'DescribeSecret') return { status: 200, body: { VersionIdsToStages: { one: ['AWSCURRENT'] } } }
  if (call.action === 'Encrypt') return { status: 200, body: { CiphertextBlob: 'AA==' } }
  if (call.action === 'Decrypt') return { status: 200, body: { Plaintext: 'AA==' } }
  return forward()
}
