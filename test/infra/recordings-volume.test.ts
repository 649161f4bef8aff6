import { expect, it } from 'vitest'
import type { Value } from './assembly.ts'
import { appWith } from './synthesized-app.ts'

const engineNetwork = '10.20.0.0/16'
const recordingsFolder = '/var/lib/freeswitch/recordings'
const synthesized = appWith({ engineNetwork, recordingsFolder })
const { assembly } = synthesized

const fileSystem = assembly.one('AWS::EFS::FileSystem', 'ConnectorRecordings')
const task = assembly.one('AWS::ECS::TaskDefinition', 'Connector')

it('the recordings are on an encrypted disk that outlives the stack', () => {
  expect(fileSystem.Properties).toMatchObject({ Encrypted: true })
  expect(fileSystem).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate' })
})

it('the connector sees the folder of the engines, over an encrypted connection', () => {
  const [container] = task.Properties['ContainerDefinitions'] as unknown as [
    { MountPoints: unknown; Environment: { Name: string; Value: Value }[] },
  ]

  expect(container.MountPoints).toContainEqual({
    SourceVolume: 'recordings',
    ContainerPath: '/recordings',
    ReadOnly: false,
  })
  expect(container.Environment).toEqual(
    expect.arrayContaining([
      { Name: 'RECORDINGS_DIR', Value: '/recordings' },
      { Name: 'RECORDINGS_ENGINE_DIR', Value: recordingsFolder },
    ]),
  )
  expect(task.Properties['Volumes']).toContainEqual(
    expect.objectContaining({ EFSVolumeConfiguration: expect.objectContaining({ TransitEncryption: 'ENABLED' }) }),
  )
})

it('only the engines and the connectors reach the disk', () => {
  const group = assembly.one('AWS::EC2::SecurityGroup', 'ConnectorRecordings')
  const own = `${group.stack.name}/${group.id}.GroupId`
  const rules = assembly
    .ofType('AWS::EC2::SecurityGroupIngress')
    .filter(({ stack, Properties }) => assembly.resolve(stack, Properties['GroupId']) === own)

  expect(group.Properties['SecurityGroupIngress']).toEqual([
    expect.objectContaining({ CidrIp: engineNetwork, FromPort: 2049, ToPort: 2049, IpProtocol: 'tcp' }),
  ])
  expect(rules.map(({ Properties }) => Properties['FromPort'])).toEqual([2049])
})
