import { describe, expect, test } from 'vitest'
import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { secretsManagerSecretReader } from '../../adapters/aws/secrets-manager-secret-reader.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import type { PayloadFiles } from '../../adapters/dynamodb/delivery-payloads.ts'
import { dynamoDeliveryStore } from '../../adapters/dynamodb/dynamo-delivery-store.ts'
import { openSearchCdrAdmin } from '../../adapters/opensearch/opensearch-cdr-admin.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { s3ExportFiles, s3PayloadFiles, s3RecordingFiles } from '../../adapters/s3/s3-file-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import { sqsCdrQueue } from '../../adapters/sqs/sqs-cdr-queue.ts'
import { sqsExportQueue } from '../../adapters/sqs/sqs-export-queue.ts'
import { sqsCleanupQueue } from '../../adapters/sqs/sqs-cleanup-queue.ts'
import { sqsDeliveryQueue } from '../../adapters/sqs/sqs-delivery-queue.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import { systemClock } from '../../adapters/system/system-clock.ts'
import { access } from '../../contracts/access.ts'
import type { Access } from '../../contracts/access/access-kinds.ts'
import { buckets, keys, queues, searchDomains, secrets, tables } from '../../contracts/resources.ts'
import type { Judgement } from '../../local/gate/gate.ts'
import { type CloudPorts, type Exercise, exercises, unseen } from '../support/cloud-exercises.ts'
import { type CloudCall, type CloudGate, startCloudGate } from '../support/cloud-gate.ts'
import { startDynamoServer } from '../support/dynamo-server.ts'
import { movableClock } from '../support/movable-clock.ts'
import { startObjectServer } from '../support/object-server.ts'
import { opened } from '../support/opened.ts'
import { startQueueServer } from '../support/queue-server.ts'
import { dynamoStores } from '../support/stores.ts'

describe('each method of each port asks the cloud for exactly what contracts/access.ts grants it', () => {
  const cloud = opened(openCloud)
  const cases = Object.entries(access).flatMap(([port, methods]) =>
    Object.entries(methods).map(([method, granted]) => ({ port, method, granted })),
  )

  test.each(cases)('$port $method', async ({ port, method, granted }) => {
    const { ports, gate, variables, judgements } = cloud()
    const exercise = (exercises as Partial<Record<string, Record<string, { first?: Exercise; run: Exercise }>>>)[
      port
    ]?.[method]
    await exercise?.first?.(ports, gate)
    gate.calls.length = 0
    judgements.length = 0
    gate.answer = cloudAnswer

    await exercise?.run(ports, gate)

    const used = gate.calls.filter((call) => !unseen.has(call)).flatMap((call) => permissionsOf(call, variables))
    const objects = judgements.map((judgement) => objectPermission(judgement, variables))
    expect([...new Set([...used, ...objects])].sort()).toEqual(granted.flatMap(permissionsIn).sort())
  })
})

async function openCloud() {
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
  const filesContext = { ...context, env: objects.env, clock: systemClock }
  const files = s3PayloadFiles(filesContext)
  const payloads: PayloadFiles = {
    put: async (...given) => files.put(...given),
    // What has expired needs leave to be told as such.
    read: async (key, maxBytes) => (await files.read('none', maxBytes)) ?? files.read(key, maxBytes),
  }
  const ports: CloudPorts = {
    ...dynamoStores(context),
    deliveries: dynamoDeliveryStore(context, async () => payloads),
    cleanups: sqsCleanupQueue(context),
    cdrQueue: sqsCdrQueue(context),
    exportQueue: sqsExportQueue(context),
    cdrs: openSearchCdrStore(context),
    cdrAdmin: openSearchCdrAdmin(context),
    engine: sqsCallEngine(context),
    events: sqsEventSink(context),
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

/** What an empty search store answers, by path; anything else is done. */
const searchAnswers: Readonly<Record<string, { readonly status: number; readonly body: unknown }>> = {
  '/_mget': { status: 200, body: { docs: [{ found: false }] } },
  '/_bulk': { status: 200, body: { items: [{ create: { status: 201 } }] } },
}

function searchAnswer({ action }: CloudCall): { readonly status: number; readonly body: unknown } {
  const [method, path = ''] = action.split(' ')
  if (path.endsWith('/_search')) return { status: 200, body: foundNothing }
  if (method === 'GET') return { status: 404, body: { error: { reason: 'Policy not found' }, status: 404 } }
  return searchAnswers[path] ?? { status: 200, body: { acknowledged: true } }
}

const foundNothing = {
  took: 1,
  timed_out: false,
  _shards: { total: 0, successful: 0, skipped: 0, failed: 0 },
  hits: { total: { value: 0, relation: 'eq' }, max_score: null, hits: [] },
}

/** The key service, the secrets and the searches are answered by the gate, the stores and queues by themselves. */
const cloudAnswer: CloudGate['answer'] = (call, forward) => {
  if (call.service === 'es') return searchAnswer(call)
  if (call.action === 'GetSecretValue') return { status: 200, body: { SecretString: 'secret', VersionId: 'one' } }
  if (call.action === 'DescribeSecret') return { status: 200, body: { VersionIdsToStages: { one: ['AWSCURRENT'] } } }
  if (call.action === 'Encrypt') return { status: 200, body: { CiphertextBlob: 'AA==' } }
  if (call.action === 'Decrypt') return { status: 200, body: { Plaintext: 'AA==' } }
  return forward()
}

/** The IAM permissions that a call needs, as `variable action`. */
function permissionsOf({ service, action, input }: CloudCall, variables: ReadonlyMap<string, string>): string[] {
  if (service === 'es') {
    const [method = ''] = action.toLowerCase().split(' ')
    return [`${searchDomains.cdr.variable} ESHttp${method.charAt(0).toUpperCase()}${method.slice(1)}`]
  }
  const on = (physical: unknown) => variables.get(String(physical)) ?? `unknown ${String(physical)}`
  if (action.startsWith('Transact')) {
    const parts = input['TransactItems'] as Record<string, { TableName: string }>[]
    return parts.flatMap((part) =>
      Object.entries(part).map(([kind, { TableName }]) =>
        kind === 'ConditionCheck' ? `${on(TableName)} ConditionCheckItem` : `${on(TableName)} ${kind}Item`,
      ),
    )
  }
  if (action.startsWith('BatchGet') || action.startsWith('BatchWrite')) {
    return Object.keys(Object(input['RequestItems'])).map((physical) => `${on(physical)} ${action}`)
  }
  if (action === 'SendMessageBatch' || action === 'SendMessage') return [`${on(input['QueueUrl'])} SendMessage`]
  if (action === 'GetQueueAttributes') return [`${on(input['QueueUrl'])} ${action}`]
  if (action === 'GetSecretValue' || action === 'DescribeSecret') return [`${on(input['SecretId'])} ${action}`]
  if (action === 'Encrypt' || action === 'Decrypt') return [`${on(input['KeyId'])} ${action}`]
  return [`${on(input['TableName'])}${input['IndexName'] === undefined ? '' : ' index'} ${action}`]
}

/** What the object store was asked for, in the same form. */
function objectPermission({ action, resource }: Judgement, variables: ReadonlyMap<string, string>): string {
  const [bucket = '', ...key] = resource.replace('arn:aws:s3:::', '').split('/')
  return `${variables.get(bucket)}${key.length > 0 ? ' objects' : ''} ${action.replace('s3:', '')}`
}

/** The permissions of a grant, in the same form. */
function permissionsIn(granted: Access): string[] {
  const on =
    'table' in granted
      ? `${tables[granted.table].variable}${granted.index === true ? ' index' : ''}`
      : 'queue' in granted
        ? queues[granted.queue].variable
        : 'secret' in granted
          ? secrets[granted.secret].variable
          : 'bucket' in granted
            ? `${buckets[granted.bucket].variable}${'whole' in granted ? '' : ' objects'}`
            : 'search' in granted
              ? searchDomains[granted.search].variable
              : keys[granted.key].variable
  return granted.actions.map((action) => `${on} ${action}`)
}
