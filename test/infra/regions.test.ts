import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RegionInfo } from 'aws-cdk-lib/region-info'
import { expect, it } from 'vitest'
import { replicatedTables, tables } from '../../contracts/resources.ts'
import { constructId } from '../../lib/constructs/resources.ts'
import { readSettings } from '../../lib/settings.ts'
import { readStageNeeds } from '../../local/preflight/stage-needs.ts'
import { type Value, text } from './assembly.ts'
import { appWith, usualApp } from './synthesized-app.ts'

const { assembly, folder } = appWith({
  region: 'eu-central-1',
  replicaRegion: 'eu-west-1',
  tags: { owner: 'voice' },
  connectorExec: 'on',
  connectorEgress: 'endpoints',
  logLevel: 'warn',
})
const page = readFileSync('docs/regions.md', 'utf8')
const copies = 'test-CallplaneStateful/AWS::AccountId-eu-central-1-to-eu-west-1'
const settingsFrom = (given: Record<string, unknown>) => readSettings({ stage: 'test', engineHost: 'engine', ...given })

it('each table of configuration, and that of recordings, has a protected replica in the other region', () => {
  const made = assembly.ofType('AWS::DynamoDB::GlobalTable')

  expect(made.map(({ id }) => id.replace(/Table[0-9A-F]{8}$/, '')).sort()).toEqual(
    [...replicatedTables].map(constructId).sort(),
  )
  for (const { DeletionPolicy, UpdateReplacePolicy, Properties } of made) {
    expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['Retain', 'Retain'])
    expect(Properties['Replicas']).toEqual(
      [{ Ref: 'AWS::Region' }, 'eu-west-1'].map((Region) => ({
        Region,
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        // Tags of a stack do not reach replicas.
        Tags: [
          { Key: 'callplane:stage', Value: 'test' },
          { Key: 'owner', Value: 'voice' },
        ],
      })),
    )
  }
})

it('a replicated table has the keys, the index and the expiry of the table that it stands for', () => {
  const described = (properties: Readonly<Record<string, Value>>) => ({
    keys: properties['KeySchema'],
    attributes: properties['AttributeDefinitions'],
    indexes: properties['GlobalSecondaryIndexes'],
    expiry: properties['TimeToLiveSpecification'],
    billing: properties['BillingMode'],
  })
  for (const name of replicatedTables) {
    const prefix = `${constructId(name)}Table`
    const usual = usualApp().assembly.one('AWS::DynamoDB::Table', prefix)
    const replicated = assembly.one('AWS::DynamoDB::GlobalTable', prefix)

    expect(described(replicated.Properties)).toEqual(described(usual.Properties))
    // CloudFormation refuses another type under one id, so no table with data is ever replaced by an empty one.
    expect(replicated.id).toBe(usual.id)
  }
})

it('functions reach the replicated tables as they reach the others', () => {
  const { stack, Properties } = assembly.one('AWS::Lambda::Function', 'CreateDomainFunction')
  const { Variables } = Properties['Environment'] as unknown as { Variables: Readonly<Record<string, Value>> }

  expect(assembly.resolve(stack, Variables[tables.domains.variable])).toMatch(/^CallplaneStateful\/DomainsTable/)
})

it('recordings are copied, with deletions and locks, to a bucket of the stage in the other region', () => {
  const { stack, Properties } = assembly.one('AWS::S3::Bucket', 'RecordingsBucketObjects')
  const { Rules } = Properties['ReplicationConfiguration'] as unknown as {
    Rules: readonly { DeleteMarkerReplication: object; Status: string; Destination: { Bucket: Value } }[]
  }
  const [rule] = Rules

  expect(Properties['VersioningConfiguration']).toEqual({ Status: 'Enabled' })
  expect(rule).toMatchObject({ Status: 'Enabled', DeleteMarkerReplication: { Status: 'Enabled' } })
  expect(assembly.resolve(stack, rule?.Destination.Bucket)).toContain(copies)
  const policies = assembly.ofType('AWS::IAM::Policy').filter(({ id }) => id.includes('ReplicationRole'))
  expect(JSON.stringify(policies)).toContain('s3:GetObjectLegalHold')
})

it('the bucket of the copies is in the other region, is deployed first, and hides what was removed for a day', () => {
  const replica = assembly.stacks.find(({ name }) => name === 'CallplaneReplica')
  const bucket = Object.values(replica?.template.Resources ?? {}).find(
    ({ Type, Properties }) => Type === 'AWS::S3::Bucket' && Properties['BucketName'] !== undefined,
  )

  expect(JSON.stringify(bucket?.Properties['BucketName'])).toContain('-eu-central-1-to-eu-west-1')
  expect(bucket?.Properties).toMatchObject({
    ObjectLockEnabled: true,
    VersioningConfiguration: { Status: 'Enabled' },
    PublicAccessBlockConfiguration: { BlockPublicAcls: true },
  })
  expect(JSON.stringify(bucket?.Properties['LifecycleConfiguration'])).toContain('"NoncurrentDays":1')
})

it('stages of one name in two regions share no stack and no bucket of copies in a third one', () => {
  const { artifacts } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  const regions = RegionInfo.regions.flatMap(({ name, partition }) => (partition === 'aws' ? [name] : []))
  const longest = Math.max(...regions.map((name) => name.length))
  const [stage, account] = ['a-stage-of-16-ch', '123456789012']

  expect(artifacts['CallplaneReplica'].properties.stackName).toBe('CallplaneReplica-test-eu-central-1')
  expect(() => settingsFrom({ stage: `${stage}x` })).toThrow('setting stage must be')
  // Names of buckets have 63 characters at most.
  expect(`${stage}-${account}--to-`.length + 2 * longest).toBeLessThanOrEqual(63)
})

it.each([
  [{ replicaRegion: 'eu-west-1' }, 'setting region must be given with replicaRegion'],
  [{ region: 'eu-west-1', replicaRegion: 'eu-west-1' }, 'setting replicaRegion must be another region than region'],
  [{ region: 'cn-north-1' }, 'setting region must be a region of the partition aws'],
  [
    { region: 'eu-west-1', replicaRegion: 'us-gov-west-1' },
    'setting replicaRegion must be a region of the partition aws',
  ],
])('the regions %j are refused', (given, problem) => {
  expect(() => settingsFrom(given)).toThrow(problem)
})

it('the account is asked in the region of the stage before a deployment, and not in that of the replicas', () => {
  expect(readStageNeeds(folder).region).toBe('eu-central-1')
})

it('a stage without the setting has no replica, and its bucket of recordings no versions', () => {
  const usual = usualApp().assembly

  expect(usual.ofType('AWS::DynamoDB::GlobalTable')).toEqual([])
  expect(usual.stacks.map(({ name }) => name)).not.toContain('CallplaneReplica')
  expect(usual.one('AWS::S3::Bucket', 'RecordingsBucketObjects').Properties).not.toHaveProperty(
    'VersioningConfiguration',
  )
})

it('the page on regions names each replicated table, and a setting that is valid', () => {
  const json = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '{}'

  for (const name of replicatedTables) expect(page).toContain(`\`${name}\``)
  expect(readSettings({ stage: 'prod', engineHost: 'engine', ...JSON.parse(json) }).replicaRegion).toBe('eu-west-1')
})

it('a shell in a connector is possible only with its setting, which makes the file system writable', () => {
  const on = assembly.one('AWS::ECS::Service', 'Connector').Properties
  const off = usualApp().assembly
  const container = (of: typeof assembly) => {
    const [first] = of.one('AWS::ECS::TaskDefinition', 'Connector').Properties['ContainerDefinitions'] as Value[]
    return first as Readonly<Record<string, Value>>
  }

  expect(on['EnableExecuteCommand']).toBe(true)
  expect(container(assembly)['ReadonlyRootFilesystem']).toBe(false)
  expect(off.one('AWS::ECS::Service', 'Connector').Properties).not.toMatchObject({ EnableExecuteCommand: true })
  expect(container(off)['ReadonlyRootFilesystem']).toBe(true)
})

it('private endpoints admit principals of this account only, and there is one for shells', () => {
  const endpoints = assembly
    .ofType('AWS::EC2::VPCEndpoint')
    .filter(({ Properties }) => Properties['VpcEndpointType'] === 'Interface')

  expect(endpoints).toHaveLength(6)
  for (const { Properties } of endpoints) {
    expect(Properties['PolicyDocument']).toMatchObject({
      Statement: [{ Condition: { StringEquals: { 'aws:PrincipalAccount': { Ref: 'AWS::AccountId' } } } }],
    })
  }
})

it('Lambda logs of its own only what fails, and takes the level of the logger from the setting', () => {
  const ours = assembly.ofType('AWS::Lambda::Function').filter(({ Metadata }) => Metadata?.['callplane'] !== undefined)

  expect(ours.length).toBeGreaterThan(100)
  for (const { Properties } of ours) {
    expect(Properties['LoggingConfig']).toMatchObject({
      LogFormat: 'JSON',
      SystemLogLevel: 'WARN',
      ApplicationLogLevel: 'WARN',
    })
    expect(text((Properties['Environment'] as { Variables: Record<string, Value> }).Variables['LOG_LEVEL'])).toBe(
      'warn',
    )
  }
})
