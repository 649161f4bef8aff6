import { Aws, CfnOutput, Fn, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { ConnectorService } from '../constructs/connector-service.ts'
import { EnginePeering } from '../constructs/engine-peering.ts'
import { PrivateNetwork } from '../constructs/private-network.ts'
import type { FunctionDefaults } from '../constructs/platform-function.ts'
import { ZonedStack } from '../constructs/zoned-stack.ts'
import type { Settings } from '../settings.ts'

/** The inputs of the connector. */
export interface ConnectorStackProps extends StackProps, Omit<FunctionDefaults, 'isTraced'> {
  readonly settings: Settings
}

/** The long-lived process that holds the engine's event socket, in a network of its own. */
export class ConnectorStack extends ZonedStack {
  readonly connector: ConnectorService

  constructor(
    scope: Construct,
    id: string,
    { settings, build, resources, environment, ...props }: ConnectorStackProps,
  ) {
    super(scope, id, props)
    const network = new PrivateNetwork(this, 'Network', {
      name: 'Connector',
      cidr: settings.connectorNetwork,
      zones: settings.zones,
      egress: settings.connectorEgress,
      services: [
        ...(['Queues', 'Secrets', 'Logs', 'Registry', 'Images'] as const),
        ...(settings.connectorExec ? (['Sessions'] as const) : []),
      ],
      buckets: Object.values(resources.buckets),
      // https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html#ecr-setting-up-s3-gateway
      objectsOfAws: { action: 's3:GetObject', arn: `arn:aws:s3:::prod-${Aws.REGION}-starport-layer-bucket/*` },
    })
    this.connector = new ConnectorService(this, 'Connector', {
      settings,
      network,
      build,
      resources,
      environment,
    })
    const { vpc } = network
    const { engineVpc } = settings
    if (engineVpc !== undefined) {
      const peering = new EnginePeering(this, 'EnginePeering', { ...settings, network, engineVpc })
      // The first tasks look for their engines at once.
      this.connector.service.node.addDependency(peering)
    }
    const { cluster, service } = this.connector
    const tables = vpc.selectSubnets(network.subnets).subnets.map(({ routeTable }) => routeTable.routeTableId)
    for (const [name, value, description] of [
      ['VpcId', vpc.vpcId, 'The network to join with that of the engines'],
      ['RouteTableIds', Fn.join(',', tables), 'The tables that need a route to the network of the engines'],
      ['ClusterName', cluster.clusterName, 'The cluster of the connector'],
      ['ServiceName', service.serviceName, 'The service of the connectors'],
    ] as const) {
      new CfnOutput(this, name, { value, description })
    }
  }
}
