import * as z from 'zod/mini'
import type { Bucket, Key, Queue, Secret, Table } from './assembly.ts'
import { isRecord } from './record.ts'
import type { Resource } from './stack.ts'

const tableProperties = ['KeySchema', 'AttributeDefinitions', 'GlobalSecondaryIndexes', 'LocalSecondaryIndexes']

const queueProperties = [
  'FifoQueue',
  'ContentBasedDeduplication',
  'DeduplicationScope',
  'FifoThroughputLimit',
  'VisibilityTimeout',
  'MessageRetentionPeriod',
  'DelaySeconds',
  'MaximumMessageSize',
  'ReceiveMessageWaitTimeSeconds',
  'RedrivePolicy',
]

const attributeText = z.union([z.string(), z.number(), z.boolean(), z.record(z.string(), z.unknown())])

const secretProperties = z.object({
  GenerateSecretString: z.optional(
    z.object({ SecretStringTemplate: z.optional(z.string()), GenerateStringKey: z.optional(z.string()) }),
  ),
})

/** Returns a table of the template. */
export function readTable(resource: Resource): Table {
  const properties = resource.properties()
  const definition = Object.fromEntries(
    tableProperties.flatMap((name) =>
      properties[name] === undefined ? [] : [[name, withoutThroughput(properties[name])]],
    ),
  )
  return {
    name: resource.identity.ref,
    arn: arnOf(resource),
    definition: { ...definition, BillingMode: 'PAY_PER_REQUEST' },
  }
}

/** Returns a queue of the template. `FifoQueue: false` is left out, as the API knows only `true`. */
export function readQueue(resource: Resource): Queue {
  const properties = resource.properties()
  const attributes = queueProperties.flatMap((name): [string, string][] => {
    const value = properties[name]
    if (value === undefined || (name === 'FifoQueue' && value === false)) return []
    const parsed = z.parse(attributeText, value)
    return [[name, isRecord(parsed) ? JSON.stringify(parsed) : String(parsed)]]
  })
  return {
    name: resource.identity.attributes['QueueName'] ?? '',
    url: resource.identity.ref,
    arn: arnOf(resource),
    attributes: Object.fromEntries(attributes),
  }
}

/** Returns a bucket of the template. */
export function readBucket(resource: Resource): Bucket {
  return { name: resource.identity.ref, arn: arnOf(resource) }
}

/** Returns a secret of the template; its value is the platform's to make. */
export function readSecret(resource: Resource): Secret {
  const { GenerateSecretString } = z.parse(secretProperties, resource.properties())
  return {
    arn: resource.identity.ref,
    template: GenerateSecretString?.SecretStringTemplate,
    field: GenerateSecretString?.GenerateStringKey,
  }
}

/** Returns a key of the template. */
export function readKey(resource: Resource): Key {
  return { id: resource.identity.ref, arn: arnOf(resource) }
}

/** Returns the ARN of a resource. */
export function arnOf(resource: Resource): string {
  return resource.identity.attributes['Arn'] ?? resource.identity.ref
}

/** Indexes of a table that is paid by request have no throughput of their own. */
function withoutThroughput(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  return value.map((item: unknown) => {
    if (!isRecord(item)) return item
    const { ProvisionedThroughput: _throughput, OnDemandThroughput: _onDemand, ...rest } = item
    return rest
  })
}
