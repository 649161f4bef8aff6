import { CfnOutput } from 'aws-cdk-lib'
import { type IConnectable, Peer, Port } from 'aws-cdk-lib/aws-ec2'
import type { ContainerDefinition, FargateTaskDefinition } from 'aws-cdk-lib/aws-ecs'
import { type AccessPoint, FileSystem, ThroughputMode } from 'aws-cdk-lib/aws-efs'
import { Construct } from 'constructs'
import type { PrivateNetwork } from './private-network.ts'
import { retained } from './retained.ts'

/** The inputs of the volume. */
export interface RecordingsVolumeProps {
  readonly network: PrivateNetwork
  /** The network, in CIDR form, from which the engines mount it. */
  readonly engineNetwork: string
}

/** The folder's path in the container. */
export const recordingsMount = '/recordings'

/** The container's user, who must be able to read and remove the files that engines write. */
const nodeUser = '1000'

/**
 * The disk that engines record to and connectors store from: the engines mount it over the peering, by NFS. Recordings stay
 * on it until they are in the object store, so it outlives the stack.
 */
export class RecordingsVolume extends Construct {
  private readonly fileSystem: FileSystem
  private readonly folder: AccessPoint

  constructor(scope: Construct, id: string, { network, engineNetwork }: RecordingsVolumeProps) {
    super(scope, id)
    this.fileSystem = new FileSystem(this, 'FileSystem', {
      vpc: network.vpc,
      vpcSubnets: network.subnets,
      encrypted: true,
      throughputMode: ThroughputMode.ELASTIC,
      enableAutomaticBackups: false,
      removalPolicy: retained,
      // Engines have no identity in the account; access depends on the network that they connect from.
      allowAnonymousAccess: true,
    })
    this.folder = this.fileSystem.addAccessPoint('Folder', {
      path: recordingsMount,
      createAcl: { ownerUid: nodeUser, ownerGid: nodeUser, permissions: '2770' },
      posixUser: { uid: nodeUser, gid: nodeUser },
    })
    this.fileSystem.connections.allowFrom(Peer.ipv4(engineNetwork), Port.tcp(2049), 'engines that record')
    new CfnOutput(this, 'Id', {
      value: this.fileSystem.fileSystemId,
      description: 'File system that the engines mount for their recordings',
    })
  }

  /** Mounts the folder into a container. */
  mountInto(task: FargateTaskDefinition, container: ContainerDefinition): void {
    task.addVolume({
      name: 'recordings',
      efsVolumeConfiguration: {
        fileSystemId: this.fileSystem.fileSystemId,
        transitEncryption: 'ENABLED',
        authorizationConfig: { accessPointId: this.folder.accessPointId },
      },
    })
    container.addMountPoints({ sourceVolume: 'recordings', containerPath: recordingsMount, readOnly: false })
  }

  /** Allows a service to reach it. */
  admit(connectors: IConnectable): void {
    this.fileSystem.connections.allowDefaultPortFrom(connectors, 'connectors')
  }
}
