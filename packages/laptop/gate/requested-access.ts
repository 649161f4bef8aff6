import * as z from 'zod/mini'
import type { Place } from '../assembly/place.ts'

/** One thing that a call wants to do: an IAM action on the ARN of a resource. */
export interface RequestedAccess {
  readonly action: string
  readonly resource: string
}

const tableName = z.object({ TableName: z.string(), IndexName: z.optional(z.string()) })
const requestItems = z.object({ RequestItems: z.record(z.string(), z.unknown()) })
const part = z.object({ TableName: z.string() })
const transaction = z.object({
  TransactItems: z.array(
    z.object({
      Get: z.optional(part),
      Put: z.optional(part),
      Update: z.optional(part),
      Delete: z.optional(part),
      ConditionCheck: z.optional(part),
    }),
  ),
})

/** A transaction needs the action of each of its parts on the part's own table. */
const transactionActions = [
  ['Get', 'GetItem'],
  ['Put', 'PutItem'],
  ['Update', 'UpdateItem'],
  ['Delete', 'DeleteItem'],
  ['ConditionCheck', 'ConditionCheckItem'],
] as const

/**
 * Returns the accesses that a DynamoDB call requires. `undefined` for a body that does not have the form of its action,
 * and for the actions of PartiQL, which name their tables in a language of their own.
 */
export function dynamoAccess(place: Place, action: string, body: unknown): RequestedAccess[] | undefined {
  const arn = (name: string): string =>
    name.startsWith('arn:') ? name : `arn:aws:dynamodb:${place.region}:${place.account}:table/${name}`
  if (action === 'BatchGetItem' || action === 'BatchWriteItem') {
    const parsed = z.safeParse(requestItems, body)
    if (!parsed.success) return undefined
    return Object.keys(parsed.data.RequestItems).map((name) => ({ action: `dynamodb:${action}`, resource: arn(name) }))
  }
  if (action === 'TransactWriteItems' || action === 'TransactGetItems') {
    const parsed = z.safeParse(transaction, body)
    if (!parsed.success) return undefined
    return parsed.data.TransactItems.flatMap((item) =>
      transactionActions.flatMap(([kind, needed]) => {
        const name = item[kind]?.TableName
        return name === undefined ? [] : [{ action: `dynamodb:${needed}`, resource: arn(name) }]
      }),
    )
  }
  const parsed = z.safeParse(tableName, body)
  if (!parsed.success) return undefined
  const { TableName, IndexName } = parsed.data
  const resource = IndexName === undefined ? arn(TableName) : `${arn(TableName)}/index/${IndexName}`
  return [{ action: `dynamodb:${action}`, resource }]
}

/** A batch needs no more than its action on one message. */
const batchActions: Readonly<Record<string, string>> = {
  SendMessageBatch: 'SendMessage',
  DeleteMessageBatch: 'DeleteMessage',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
}

const queueName = z.union([z.object({ QueueUrl: z.string() }), z.object({ QueueName: z.string() })])

/** Returns the access that an SQS call requires; `undefined` when it names no queue. */
export function sqsAccess(place: Place, action: string, body: unknown): RequestedAccess[] | undefined {
  const parsed = z.safeParse(queueName, body)
  if (!parsed.success) return undefined
  const address = 'QueueUrl' in parsed.data ? parsed.data.QueueUrl : parsed.data.QueueName
  const name = address.slice(address.lastIndexOf('/') + 1)
  const resource = `arn:aws:sqs:${place.region}:${place.account}:${name}`
  return [{ action: `sqs:${batchActions[action] ?? action}`, resource }]
}

/**
 * Returns the access that a Secrets Manager call requires; `undefined` when it names no secret. Secrets are named by
 * their whole ARN here.
 */
export function secretAccess(action: string, body: unknown): RequestedAccess[] | undefined {
  const parsed = z.safeParse(z.object({ SecretId: z.string() }), body)
  return parsed.success ? [{ action: `secretsmanager:${action}`, resource: parsed.data.SecretId }] : undefined
}

/** Returns the access that a KMS call requires; `undefined` when it names no key. */
export function keyAccess(place: Place, action: string, body: unknown): RequestedAccess[] | undefined {
  const parsed = z.safeParse(z.object({ KeyId: z.string() }), body)
  if (!parsed.success) return undefined
  const { KeyId } = parsed.data
  const resource = KeyId.startsWith('arn:') ? KeyId : `arn:aws:kms:${place.region}:${place.account}:key/${KeyId}`
  return [{ action: `kms:${action}`, resource }]
}

/** Returns the access that a request to a search domain requires: IAM knows its method and path. */
export function searchAccess(domainArn: string, method: string, path: string): RequestedAccess[] {
  const word = method.charAt(0) + method.slice(1).toLowerCase()
  return [{ action: `es:ESHttp${word}`, resource: `${domainArn}${path}` }]
}

/** Query parameters that make an S3 call a different one than its method says. */
const subresources = new Set([
  'uploads',
  'uploadId',
  'partNumber',
  'restore',
  'legal-hold',
  'versionId',
  'part-number-marker',
  'max-parts',
  'x-id',
])

/**
 * Returns the access that an S3 call requires; `undefined` for one that the object store does not know. `path` is
 * `/bucket/key`, or `/bucket` for a list of versions. Parameters of signatures and of the answer's headers make no
 * difference.
 */
export function objectAccess(method: string, path: string, query: URLSearchParams): RequestedAccess[] | undefined {
  const [, bucket = '', ...key] = path.split('/')
  if (isVersionList(method, path, query)) {
    return [{ action: 's3:ListBucketVersions', resource: `arn:aws:s3:::${bucket}` }]
  }
  const isKnown = [...query.keys()].every((name) => subresources.has(name) || /^(?:x-amz-|response-)/i.test(name))
  const action = objectAction(method, query)
  if (!isKnown || action === undefined || bucket === '' || key.length === 0) return undefined
  return [{ action, resource: `arn:aws:s3:::${bucket}/${key.join('/')}` }]
}

const listParameters = new Set(['versions', 'prefix', 'max-keys'])

/** Returns whether an S3 call lists versions of objects whose keys begin alike. `path` is `/bucket` or `/bucket/`. */
export function isVersionList(method: string, path: string, query: URLSearchParams): boolean {
  const isKnown = [...query.keys()].every((name) => listParameters.has(name) || /^x-/i.test(name))
  return isKnown && method === 'GET' && query.has('versions') && query.has('prefix') && /^\/[^/]+\/?$/.test(path)
}

function objectAction(method: string, query: URLSearchParams): string | undefined {
  // Every other call that names a version requires another right, and no adapter makes one.
  if (query.has('versionId') && !query.has('legal-hold')) return undefined
  const isOfUpload = query.has('uploadId')
  if (method === 'HEAD') return 's3:GetObject'
  if (method === 'GET') return isOfUpload ? 's3:ListMultipartUploadParts' : 's3:GetObject'
  if (method === 'PUT') return query.has('legal-hold') ? 's3:PutObjectLegalHold' : 's3:PutObject'
  if (method === 'DELETE') return isOfUpload ? 's3:AbortMultipartUpload' : 's3:DeleteObject'
  if (method !== 'POST') return undefined
  if (query.has('restore')) return 's3:RestoreObject'
  return isOfUpload || query.has('uploads') ? 's3:PutObject' : undefined
}

/** Returns the access with which an S3 call may learn that an object is missing. */
export function listAccess(path: string): RequestedAccess {
  return { action: 's3:ListBucket', resource: `arn:aws:s3:::${path.split('/')[1] ?? ''}` }
}
