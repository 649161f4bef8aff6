import { describe, expect, it } from 'vitest'
import { buckets, queues, secrets, tables } from '../../contracts/resources.ts'
import { linkCors } from '../../contracts/routes/cors.ts'
import { permissionsIn } from './permissions.ts'
import { adjustedApp, usualApp } from './synthesized-app.ts'

const synthesized = usualApp()
const { assembly } = synthesized

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
/** Kept, unless the deployment that creates it fails. */
const retained = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' }

const keysByState = {
  IndexName: 'keys-by-state',
  KeySchema: [
    { AttributeName: 'gsi_pk', KeyType: 'HASH' },
    { AttributeName: 'gsi_sk', KeyType: 'RANGE' },
  ],
  Projection: { ProjectionType: 'KEYS_ONLY' },
}

describe.each(Object.entries(tables))('the table %s', (name, spec) => {
  const table = assembly.one('AWS::DynamoDB::Table', `${capital(name)}Table`)

  it('a table is retained when its stack is deleted, is encrypted and has point-in-time recovery', () => {
    // Also when its creation is rolled back: its protection would refuse a deletion.
    expect(table).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' })
    expect(table.Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      // Encrypted by a key that the service owns, whose requests cost nothing.
      SSESpecification: { SSEEnabled: false },
    })
  })

  it('the table has the keys, the expiry and the index of its declaration', () => {
    expect(table.Properties['KeySchema']).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ])
    expect(table.Properties['TimeToLiveSpecification']).toEqual(
      spec.expires ? { AttributeName: 'expiresAt', Enabled: true } : undefined,
    )
    expect(table.Properties['GlobalSecondaryIndexes']).toEqual('index' in spec ? [keysByState] : undefined)
  })
})

describe.each(Object.entries(queues))('the queue %s', (name, spec) => {
  const queue = assembly.one('AWS::SQS::Queue', `${capital(name)}QueueWork`)
  const deadLetters = assembly.one('AWS::SQS::Queue', `${capital(name)}QueueDeadLetters`)

  it('the queue is configured as declared', () => {
    expect(queue.Properties).toMatchObject({
      VisibilityTimeout: spec.visibilitySeconds,
      MessageRetentionPeriod: spec.retentionSeconds,
      SqsManagedSseEnabled: true,
      MaximumMessageSize: 1_048_576,
    })
    expect(queue.Properties['FifoQueue']).toBe(spec.fifo ? true : undefined)
  })

  it('the queue deduplicates inside a message group if it is a FIFO queue', () => {
    expect(queue.Properties['DeduplicationScope']).toBe(spec.fifo ? 'messageGroup' : undefined)
    expect(queue.Properties['FifoThroughputLimit']).toBe(spec.fifo ? 'perMessageGroupId' : undefined)
    expect(queue.Properties['ContentBasedDeduplication']).not.toBe(true)
  })

  it('the queue moves failing messages to a dead-letter queue of its own type with the maximum retention', () => {
    const { deadLetterTargetArn, maxReceiveCount } = queue.Properties['RedrivePolicy'] as Record<string, string>

    expect(assembly.resolve(queue.stack, deadLetterTargetArn)).toBe(`${deadLetters.stack.name}/${deadLetters.id}.Arn`)
    expect(maxReceiveCount).toBe(spec.maxReceives)
    expect(deadLetters.Properties['FifoQueue']).toBe(queue.Properties['FifoQueue'])
    expect(deadLetters.Properties).toMatchObject({ MessageRetentionPeriod: 1_209_600, SqsManagedSseEnabled: true })
  })

  it('the queue has an alarm that goes off at the first dead letter', () => {
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

  it('the queue refuses calls that are not encrypted', () => {
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

it('every queue, table and secret in the templates is declared', () => {
  expect(assembly.ofType('AWS::DynamoDB::Table')).toHaveLength(Object.keys(tables).length)
  expect(assembly.ofType('AWS::SQS::Queue')).toHaveLength(2 * Object.keys(queues).length)
  expect(assembly.ofType('AWS::SecretsManager::Secret')).toHaveLength(Object.keys(secrets).length)
})

it('secrets are generated in the cloud and retained', () => {
  for (const secret of assembly.ofType('AWS::SecretsManager::Secret')) {
    expect(secret).toMatchObject(retained)
    expect(secret.Properties).toHaveProperty('GenerateSecretString.PasswordLength', 40)
    expect(secret.Properties).not.toHaveProperty('SecretString')
  }
})

it('the encryption key is rotated and retained', () => {
  const key = assembly.one('AWS::KMS::Key', 'SealKey')

  expect(key).toMatchObject(retained)
  expect(key.Properties['EnableKeyRotation']).toBe(true)
})

it('recordings are retained, private and encrypted, and every access to them is logged', () => {
  const bucket = assembly.one('AWS::S3::Bucket', 'RecordingsBucketObjects')
  const privateToAll = {
    BlockPublicAcls: true,
    BlockPublicPolicy: true,
    IgnorePublicAcls: true,
    RestrictPublicBuckets: true,
  }

  expect(assembly.ofType('AWS::S3::Bucket')).toHaveLength(2 * Object.keys(buckets).length)
  for (const each of assembly.ofType('AWS::S3::Bucket')) {
    expect(each).toMatchObject(retained)
    expect(each.Properties['PublicAccessBlockConfiguration']).toEqual(privateToAll)
    expect(each.Properties).toHaveProperty('BucketEncryption')
  }
  expect(bucket.Properties).toHaveProperty('LoggingConfiguration.DestinationBucketName')
})

it('a retained bucket still refuses unencrypted calls and still logs its accesses', () => {
  const policies = assembly.ofType('AWS::S3::BucketPolicy')

  expect(policies).toHaveLength(2 * Object.keys(buckets).length)
  for (const policy of policies) expect(policy, policy.id).toMatchObject(retained)
})

it('pages of the allowed origins, and of no others, may read recordings and exports by their links', () => {
  const configured = adjustedApp()
  const corsOf = (made: typeof assembly) =>
    made.ofType('AWS::S3::Bucket').flatMap(({ id, Properties }) => {
      const rules = Properties['CorsConfiguration']
      return rules === undefined ? [] : [[id.replace(/Objects.*/, ''), rules]]
    })
  const rule = {
    CorsRules: [
      {
        AllowedOrigins: ['https://a.example.com', 'https://b.example.com'],
        AllowedMethods: ['GET', 'HEAD'],
        AllowedHeaders: linkCors.requestHeaders,
        ExposedHeaders: linkCors.exposedHeaders,
        MaxAge: 3600,
      },
    ],
  }

  expect(corsOf(assembly)).toEqual([])
  expect(Object.fromEntries(corsOf(configured.assembly))).toEqual({ RecordingsBucket: rule, ExportsBucket: rule })
})

it('the bucket of exports deletes files after a day, and the bucket of recordings never does', () => {
  const days = (name: string) =>
    assembly.one('AWS::S3::Bucket', name).Properties['LifecycleConfiguration'] as { Rules: object[] }

  expect(days('ExportsBucketObjects').Rules).toContainEqual(expect.objectContaining({ ExpirationInDays: 1 }))
  expect(JSON.stringify(days('RecordingsBucketObjects'))).not.toMatch(/Expiration(InDays|Date)/)
})

describe('the store of CDRs', () => {
  const domain = assembly.one('AWS::OpenSearchService::Domain', 'CdrSearch')

  it('the store of CDRs is retained when its stack is deleted, and is encrypted on disk and in transit', () => {
    expect(domain).toMatchObject(retained)
    expect(domain.Properties).toMatchObject({
      EngineVersion: 'OpenSearch_2.19',
      EncryptionAtRestOptions: { Enabled: true },
      NodeToNodeEncryptionOptions: { Enabled: true },
      DomainEndpointOptions: { EnforceHTTPS: true, TLSSecurityPolicy: 'Policy-Min-TLS-1-2-PFS-2023-10' },
    })
  })

  it('the store of CDRs has two small nodes in two zones, with disks of their own', () => {
    expect(domain.Properties['ClusterConfig']).toMatchObject({
      InstanceType: 't3.small.search',
      InstanceCount: 2,
      DedicatedMasterEnabled: false,
      ZoneAwarenessEnabled: true,
      ZoneAwarenessConfig: { AvailabilityZoneCount: 2 },
      MultiAZWithStandbyEnabled: false,
    })
    expect(domain.Properties['EBSOptions']).toMatchObject({ EBSEnabled: true, VolumeSize: 20, VolumeType: 'gp3' })
  })

  it('the store of CDRs logs slow searches, slow writes and errors', () => {
    const { LogPublishingOptions: published } = domain.Properties as unknown as {
      LogPublishingOptions: Record<string, { CloudWatchLogsLogGroupArn: string; Enabled: boolean }>
    }
    const policy = assembly.one('AWS::Logs::ResourcePolicy', 'CdrSearchLogPolicy')
    const written = JSON.stringify(policy.Properties['PolicyDocument'])

    expect(Object.keys(published).sort()).toEqual(['ES_APPLICATION_LOGS', 'INDEX_SLOW_LOGS', 'SEARCH_SLOW_LOGS'])
    for (const { CloudWatchLogsLogGroupArn: arn, Enabled } of Object.values(published)) {
      const [group = ''] = assembly
        .resolve(domain.stack, arn)
        .replace(/^[^/]+\//, '')
        .split('.')
      expect(Enabled).toBe(true)
      expect(written).toContain(group)
    }
  })
})

it('a first deployment that fails leaves only empty tables', () => {
  const kept = assembly.stacks.flatMap(({ template }) =>
    Object.entries(template.Resources).filter(
      ([, { DeletionPolicy, Type }]) => DeletionPolicy === 'Retain' && Type !== 'AWS::DynamoDB::Table',
    ),
  )

  expect(kept.map(([id]) => id)).toEqual([])
})

it('the search domain admits principals of its own account and denies none of them', () => {
  const domain = assembly.one('AWS::OpenSearchService::Domain', 'Cdr')
  const { Statement } = domain.Properties['AccessPolicies'] as unknown as { Statement: Record<string, unknown>[] }

  expect(Statement).toMatchObject([{ Effect: 'Allow', Action: 'es:ESHttp*' }])
  expect(JSON.stringify(Statement[0]?.['Principal'])).toContain('AWS::AccountId')
})

it('recordingsLock changes no bucket, so that it can be taken back, and a version that a removal hides is gone after a day', () => {
  const lockable = adjustedApp().assembly
  const propertiesOf = (of: typeof lockable) =>
    of.one('AWS::S3::Bucket', 'RecordingsBucketObjects').Properties as Record<string, unknown>

  for (const properties of [propertiesOf(assembly), propertiesOf(lockable)]) {
    expect(properties['LifecycleConfiguration']).toMatchObject({
      Rules: [{}, { NoncurrentVersionExpiration: { NoncurrentDays: 1 }, ExpiredObjectDeleteMarker: true }],
    })
    // S3 refuses to suspend the versions of a bucket with Object Lock, which CloudFormation would try when the property
    // goes.
    expect(properties).not.toHaveProperty('VersioningConfiguration')
    // CloudFormation would replace a bucket for it, and the new one would be empty: docs/deploy.md has the step.
    expect(properties).not.toHaveProperty('ObjectLockEnabled')
  }
})

it('only the two operations that hold or store recordings may set legal holds', () => {
  const lockable = adjustedApp().assembly
  const holders = (of: typeof lockable) =>
    of
      .ofType('AWS::IAM::Role')
      .filter(({ Properties }) => JSON.stringify(Properties).includes('s3:PutObjectLegalHold'))
      .filter(({ Properties }) => JSON.stringify(Properties).includes('s3:ListBucketVersions'))
      .map(({ id }) => id.replace(/(?:Handler)?Role[0-9A-F]{8}$/, ''))
      .toSorted()

  expect(holders(lockable)).toEqual(['HoldRecordings', 'UploadRecording'])
})
