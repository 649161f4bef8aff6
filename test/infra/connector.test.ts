import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { connector } from '../../contracts/connector.ts'
import type { Value } from './assembly.ts'
import { permissionsFor, permissionsOf, variablesFor } from './permissions.ts'
import { adjustedApp, appWith } from './synthesized-app.ts'

const synthesized = appWith({
  engineHost: 'fs1.example.internal,fs2.example.internal,fs3.example.internal:8022',
  engineNetwork: '10.20.0.0/16',
})
const { assembly } = synthesized

/** The same with each way out. */
const bothWaysOut = (['endpoints', 'publicAddress'] as const).map(
  (egress) =>
    [
      egress,
      appWith({
        engineHost: 'fs1.example.internal,fs2.example.internal,fs3.example.internal:8022',
        engineNetwork: '10.20.0.0/16',
        connectorEgress: egress,
      }).assembly,
    ] as const,
)

const task = assembly.one('AWS::ECS::TaskDefinition', 'Connector')
const [container] = task.Properties['ContainerDefinitions'] as unknown as [
  {
    Environment: { Name: string; Value: Value }[]
    Secrets: { Name: string; ValueFrom: Value }[]
    ReadonlyRootFilesystem: boolean
    StopTimeout: number
    RestartPolicy: unknown
    MountPoints: unknown
    HealthCheck: { Command: string[]; Interval: number; Timeout: number; Retries: number; StartPeriod: number }
  },
]
const commands = assembly.one('AWS::SQS::Queue', 'CommandsQueueWork')

it("the connector's task may use its declared needs and receive commands, and nothing else", () => {
  const role = assembly.one('AWS::IAM::Role', 'ConnectorRole')
  const take = ['DeleteMessage', 'ReceiveMessage'].map(
    (action) => `sqs:${action} on ${commands.stack.name}/${commands.id}.Arn`,
  )

  expect(assembly.resolve(task.stack, task.Properties['TaskRoleArn'])).toBe(`${role.stack.name}/${role.id}.Arn`)
  expect(permissionsOf(assembly, role)).toEqual([...permissionsFor(assembly, connector.needs), ...take].sort())
})

it("the environment of the connector's task has the address of everything that it needs, and of the engine", () => {
  const variables = Object.fromEntries(
    container.Environment.map(({ Name, Value }) => [Name, assembly.resolve(task.stack, Value)]),
  )

  expect(variables).toEqual({
    ...variablesFor(assembly, connector.needs),
    QUEUE_COMMANDS: `${commands.stack.name}/${commands.id}`,
    ENGINE_URL: 'esl://fs1.example.internal:8021,esl://fs2.example.internal:8021,esl://fs3.example.internal:8022',
    STAGE: 'test',
    HEALTH_PORT: '8080',
    STOP_SECONDS: '120',
    SPOOL_DIR: '/home/node/spool',
    SPOOL_BYTES: '8589934592',
    LOG_LEVEL: 'info',
    BUILD_VERSION: expect.stringMatching(/^[0-9a-f]{12}$/),
  })
})

it("the engine's password is a secret of the task, never a variable", () => {
  const [password] = container.Secrets
  const secret = assembly.one('AWS::SecretsManager::Secret', 'SocketSecret')

  expect(container.Secrets).toHaveLength(1)
  expect(password?.Name).toBe('ENGINE_PASSWORD')
  expect(password && assembly.resolve(task.stack, password.ValueFrom)).toBe(`${secret.stack.name}/${secret.id}`)
})

it('the container is probed and cannot change its image', () => {
  expect(container.ReadonlyRootFilesystem).toBe(true)
  expect(container.HealthCheck.Command.join(' ')).toContain('http://127.0.0.1:8080/health')
  // A start reads what the last process left on disk; a connector that has failed is replaced within a minute.
  expect(container.HealthCheck).toMatchObject({ Interval: 15, Timeout: 5, Retries: 3, StartPeriod: 30 })
})

const imageOf = ({ assembly: made }: typeof synthesized) => {
  const { stack, Properties } = made.one('AWS::ECS::TaskDefinition', 'Connector')
  const [{ Image }] = Properties['ContainerDefinitions'] as unknown as [{ Image: Value }]
  return JSON.stringify({ [stack.name]: Image })
}

const baseOf = ({ folder }: typeof synthesized) => {
  const { dockerImages } = JSON.parse(readFileSync(join(folder, 'CallplaneConnector.assets.json'), 'utf8'))
  return Object.values<{ source: { dockerBuildArgs?: object } }>(dockerImages).map(
    ({ source }) => source.dockerBuildArgs,
  )
}

it("the base of the connector's image is the tag in a public registry with the digest of the setting", () => {
  const digest = `sha256:${'0a'.repeat(32)}`
  const pinned = adjustedApp()

  expect(baseOf(synthesized)).toEqual([undefined])
  expect(baseOf(pinned)).toEqual([{ BASE: expect.stringMatching(`^public.ecr.aws/docker/library/node:.+@${digest}$`) }])
})

it('an image that already exists is not built again, and its task may pull it', () => {
  const image = '123456789012.dkr.ecr.eu-central-1.amazonaws.com/telephony/connector'
  const tagged = appWith({ connectorImage: `${image}:1.2.3` })
  const fixed = appWith({ connectorImage: `${image}@sha256:${'0a'.repeat(32)}` })

  expect(imageOf(tagged)).toContain('telephony/connector:1.2.3')
  expect(imageOf(fixed)).toContain(`telephony/connector@sha256:${'0a'.repeat(32)}`)
  expect(baseOf(tagged)).toEqual([])
  expect(JSON.stringify(tagged.assembly.ofType('AWS::IAM::Policy'))).toContain(
    'arn:aws:ecr:eu-central-1:123456789012:repository/telephony/connector',
  )
})

it("the connector's task has the processor of the settings, memory for it, and the longest stop timeout", () => {
  const larger = adjustedApp()
  const [taller] = larger.assembly.ofType('AWS::ECS::TaskDefinition')

  expect(task.Properties).toMatchObject({ Cpu: '512', Memory: '1024' })
  expect(taller?.Properties).toMatchObject({ Cpu: '1024', Memory: '2048' })
  expect(container.StopTimeout).toBe(120)
  // The process plans its stop by the same number.
  expect(container.Environment).toContainEqual({ Name: 'STOP_SECONDS', Value: '120' })
})

it('a connector process that exits is restarted in its task, which still has the events on disk', () => {
  expect(container.RestartPolicy).toEqual({ Enabled: true, RestartAttemptPeriod: 60 })
  expect(container.MountPoints).toEqual([{ SourceVolume: 'spool', ContainerPath: '/home/node', ReadOnly: false }])
  expect(task.Properties['Volumes']).toEqual([{ Name: 'spool' }])
})

it('two connector tasks run, and a deployment that fails or loses an engine is rolled back', () => {
  const [service] = assembly.ofType('AWS::ECS::Service')
  const alarm = assembly.one('AWS::CloudWatch::Alarm', 'ConnectorDeploymentLosesEngine')

  expect(service?.Properties).toMatchObject({
    DesiredCount: 2,
    DeploymentConfiguration: {
      MinimumHealthyPercent: 100,
      DeploymentCircuitBreaker: { Enable: true, Rollback: true },
      Alarms: { Enable: true, Rollback: true, AlarmNames: [{ Ref: alarm.id }] },
    },
    NetworkConfiguration: { AwsvpcConfiguration: { AssignPublicIp: 'DISABLED' } },
  })
})

it('the network with private endpoints has no way to or from the internet', () => {
  for (const type of ['AWS::EC2::InternetGateway', 'AWS::EC2::NatGateway', 'AWS::EC2::EIP']) {
    expect(assembly.ofType(type)).toEqual([])
  }
  expect(assembly.ofType('AWS::EC2::Route')).toEqual([])
  for (const { Properties } of assembly.ofType('AWS::EC2::Subnet')) {
    expect(Properties['MapPublicIpOnLaunch']).toBe(false)
  }
})

it('a connector with a public address has no private endpoints, and nothing may connect to it', () => {
  const open = appWith({ connectorEgress: 'publicAddress' })
  const group = open.assembly.one('AWS::EC2::SecurityGroup', 'ConnectorSecurityGroup')
  const gateways = open.assembly.ofType('AWS::EC2::VPCEndpoint').map(({ Properties }) => Properties['VpcEndpointType'])

  expect(gateways).toEqual(['Gateway', 'Gateway'])
  expect(open.assembly.ofType('AWS::EC2::InternetGateway')).toHaveLength(1)
  expect(open.assembly.ofType('AWS::EC2::NatGateway')).toEqual([])
  expect(open.assembly.ofType('AWS::ECS::Service')[0]?.Properties).toMatchObject({
    NetworkConfiguration: { AwsvpcConfiguration: { AssignPublicIp: 'ENABLED' } },
  })
  expect(group.Properties).not.toHaveProperty('SecurityGroupIngress')
  for (const { Properties } of open.assembly.ofType('AWS::EC2::Subnet')) {
    expect(Properties['MapPublicIpOnLaunch']).toBe(false)
  }
})

it.each(bothWaysOut)(
  'with %s the gateways of the network lead to the tables of this account, the own buckets and the layers of images, and to no others',
  (_egress, assembly) => {
    const policies = assembly
      .ofType('AWS::EC2::VPCEndpoint')
      .filter(({ Properties }) => Properties['VpcEndpointType'] === 'Gateway')
      .map(({ stack, Properties }) => {
        const { Statement } = Properties['PolicyDocument'] as unknown as {
          Statement: { Action: Value; Resource: Value; Condition?: unknown }[]
        }
        return Statement.map(({ Action, Resource, Condition }) => ({
          action: Action,
          reaches: [Resource]
            .flat()
            .map((each) => assembly.resolve(stack, each))
            .toSorted(),
          condition: Condition,
        }))
      })
    const buckets = ['Recordings', 'Payloads', 'Exports'].map((name) => {
      const { stack, id } = assembly.one('AWS::S3::Bucket', `${name}BucketObjects`)
      return `${stack.name}/${id}.Arn`
    })

    expect(policies).toEqual([
      [
        {
          action: 'dynamodb:*',
          reaches: ['*'],
          condition: { StringEquals: { 'aws:ResourceAccount': { Ref: 'AWS::AccountId' } } },
        },
      ],
      [
        { action: 's3:*', reaches: buckets.flatMap((arn) => [arn, `${arn}/*`]).toSorted() },
        {
          action: 's3:GetObject',
          reaches: ['arn:aws:s3:::prod-CallplaneConnector/AWS::Region-starport-layer-bucket/*'],
        },
      ],
    ])
  },
)

it.each(bothWaysOut)(
  'with %s nothing may connect to the connector, and it may reach the engines on their ports only',
  (_egress, assembly) => {
    const group = assembly.one('AWS::EC2::SecurityGroup', 'ConnectorSecurityGroup')
    const own = `${group.stack.name}/${group.id}.GroupId`
    const intoConnector = assembly
      .ofType('AWS::EC2::SecurityGroupIngress')
      .filter(({ stack, Properties }) => assembly.resolve(stack, Properties['GroupId']) === own)

    expect(intoConnector).toEqual([])
    expect(group.Properties).not.toHaveProperty('SecurityGroupIngress')
    expect(group.Properties['SecurityGroupEgress']).toEqual([
      expect.objectContaining({ CidrIp: '0.0.0.0/0', FromPort: 443, ToPort: 443, IpProtocol: 'tcp' }),
      expect.objectContaining({ CidrIp: '10.20.0.0/16', FromPort: 8021, ToPort: 8021, IpProtocol: 'tcp' }),
      expect.objectContaining({ CidrIp: '10.20.0.0/16', FromPort: 8022, ToPort: 8022, IpProtocol: 'tcp' }),
    ])
  },
)

it('the service comes after the private endpoints, their rules and the roles of its tasks', () => {
  const service = assembly.one('AWS::ECS::Service', 'Connector')
  const isNeeded = ({ Type }: { readonly Type: string }) =>
    ['AWS::EC2::VPCEndpoint', 'AWS::EC2::SecurityGroupIngress', 'AWS::EC2::SubnetRouteTableAssociation'].includes(Type)
  const needed = Object.entries(service.stack.template.Resources).filter(([, resource]) => isNeeded(resource))
  const roles = Object.keys(service.stack.template.Resources).filter((id) =>
    /^Connector(?:Role|TaskExecutionRole)/.test(id),
  )

  expect(needed.length).toBeGreaterThan(8)
  // Without its policy, the role with which a task starts may neither pull the image nor read the secret.
  expect(roles).toContainEqual(expect.stringMatching(/^ConnectorTaskExecutionRoleDefaultPolicy/))
  expect(service.DependsOn).toEqual(expect.arrayContaining([...needed.map(([id]) => id), ...roles]))
})
