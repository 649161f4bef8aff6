import { afterAll, describe, expect, it } from 'vitest'
import { queues, secrets, tables } from '../../contracts/resources.ts'
import { permissionsIn } from './permissions.ts'
import { synthesize } from './synthesized-app.ts'

const synthesized = synthesize()
const { assembly } = synthesized
afterAll(() => synthesized[Symbol.dispose]())

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
const retained = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' }

describe.each(Object.entries(tables))('the table %s', (name, spec) => {
  const table = assembly.one('AWS::DynamoDB::Table', `${capital(name)}Table`)

  it('outlives its stack, is encrypted and can be taken back in time', () => {
    expect(table).toMatchObject(retained)
    expect(table.Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
    })
  })

  it('has the keys, the expiry and the index that its declaration says', () => {
    const index = {
      IndexName: 'by-state',
      KeySchema: [
        { AttributeName: 'gsi_pk', KeyType: 'HASH' },
        { AttributeName: 'gsi_sk', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    }

    expect(table.Properties['KeySchema']).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ])
    expect(table.Properties['TimeToLiveSpecification']).toEqual(
      spec.expires ? { AttributeName: 'expiresAt', Enabled: true } : undefined,
    )
    expect(table.Properties['GlobalSecondaryIndexes']).toEqual('index' in spec ? [index] : undefined)
  })
})

describe.each(Object.entries(queues))('the queue %s', (name, spec) => {
  const queue = assembly.one('AWS::SQS::Queue', `${capital(name)}QueueWork`)
  const deadLetters = assembly.one('AWS::SQS::Queue', `${capital(name)}QueueDeadLetters`)

  it('is what its declaration says', () => {
    expect(queue.Properties).toMatchObject({
      VisibilityTimeout: spec.visibilitySeconds,
      MessageRetentionPeriod: spec.retentionSeconds,
      SqsManagedSseEnabled: true,
    })
    expect(queue.Properties['FifoQueue']).toBe(spec.fifo ? true : undefined)
  })

  it('deduplicates inside a message group where it is in order', () => {
    expect(queue.Properties['DeduplicationScope']).toBe(spec.fifo ? 'messageGroup' : undefined)
    expect(queue.Properties['FifoThroughputLimit']).toBe(spec.fifo ? 'perMessageGroupId' : undefined)
    expect(queue.Properties['ContentBasedDeduplication']).not.toBe(true)
  })

  it('gives a message up to a queue of its own, of its own kind, for the longest time', () => {
    const { deadLetterTargetArn, maxReceiveCount } = queue.Properties['RedrivePolicy'] as Record<string, string>

    expect(assembly.resolve(queue.stack, deadLetterTargetArn)).toBe(`${deadLetters.stack.name}/${deadLetters.id}.Arn`)
    expect(maxReceiveCount).toBe(spec.maxReceives)
    expect(deadLetters.Properties['FifoQueue']).toBe(queue.Properties['FifoQueue'])
    expect(deadLetters.Properties).toMatchObject({ MessageRetentionPeriod: 1_209_600, SqsManagedSseEnabled: true })
  })

  it('has an alarm that goes off at the first dead letter', () => {
    const name = `${deadLetters.stack.name}/${deadLetters.id}.QueueName`
    const alarms = assembly.ofType('AWS::CloudWatch::Alarm').filter(({ stack, Properties }) => {
      const dimensions = (Properties['Dimensions'] ?? []) as { Value: string }[]
      return dimensions.some(({ Value }) => assembly.resolve(stack, Value) === name)
    })

    expect(alarms).toHaveLength(1)
    expect(alarms[0]?.Properties).toMatchObject({
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Threshold: 1,
      EvaluationPeriods: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    })
  })

  it('refuses calls that are not encrypted', () => {
    const denied = assembly.ofType('AWS::SQS::QueuePolicy').flatMap((policy) => {
      const { Statement } = policy.Properties['PolicyDocument'] as unknown as {
        Statement: { Effect: string; Action: string; Resource: string; Condition: unknown }[]
      }
      return Statement.filter(
        ({ Condition }) => JSON.stringify(Condition) === '{"Bool":{"aws:SecureTransport":"false"}}',
      ).flatMap((statement) => permissionsIn(assembly, policy, statement))
    })

    for (const { stack, id } of [queue, deadLetters]) {
      expect(denied).toContain(`Deny: sqs:* on ${stack.name}/${id}.Arn`)
    }
  })
})

it('there is no queue, table or secret that nothing declares', () => {
  expect(assembly.ofType('AWS::DynamoDB::Table')).toHaveLength(Object.keys(tables).length)
  expect(assembly.ofType('AWS::SQS::Queue')).toHaveLength(2 * Object.keys(queues).length)
  expect(assembly.ofType('AWS::SecretsManager::Secret')).toHaveLength(Object.keys(secrets).length)
})

it('secrets are made by the cloud and kept', () => {
  for (const secret of assembly.ofType('AWS::SecretsManager::Secret')) {
    expect(secret).toMatchObject(retained)
    expect(secret.Properties).toHaveProperty('GenerateSecretString.PasswordLength', 40)
    expect(secret.Properties).not.toHaveProperty('SecretString')
  }
})

it('the key rotates and is kept', () => {
  const key = assembly.one('AWS::KMS::Key', 'SealKey')

  expect(key).toMatchObject(retained)
  expect(key.Properties['EnableKeyRotation']).toBe(true)
})

it('recordings are kept, private, encrypted, and every access to them is logged', () => {
  const bucket = assembly.one('AWS::S3::Bucket', 'RecordingsBucketObjects')
  const privateToAll = {
    BlockPublicAcls: true,
    BlockPublicPolicy: true,
    IgnorePublicAcls: true,
    RestrictPublicBuckets: true,
  }

  expect(assembly.ofType('AWS::S3::Bucket')).toHaveLength(2)
  for (const each of assembly.ofType('AWS::S3::Bucket')) {
    expect(each).toMatchObject(retained)
    expect(each.Properties['PublicAccessBlockConfiguration']).toEqual(privateToAll)
    expect(each.Properties).toHaveProperty('BucketEncryption')
  }
  expect(bucket.Properties).toHaveProperty('LoggingConfiguration.DestinationBucketName')
})
