import { CfnRoute, CfnVPCPeeringConnection, type ISubnet } from 'aws-cdk-lib/aws-ec2'
import { ARecord, PrivateHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53'
import { Duration } from 'aws-cdk-lib'
import { Construct } from 'constructs'
import type { EngineVpc } from '../../contracts/settings/engine-vpc.ts'
import type { PrivateNetwork } from './private-network.ts'

/** The inputs of the peering. */
export interface EnginePeeringProps {
  readonly network: PrivateNetwork
  readonly engineVpc: EngineVpc
  /** In CIDR form. */
  readonly engineNetwork: string
  /** In CIDR form. */
  readonly connectorNetwork: string
}

/**
 * Joins the connector's network with the engines' VPC, of the same account and region: the peering, which the account
 * accepts by itself, a route on each side, and the names of engines in the connector's network. Security groups of
 * engines stay as they are.
 */
export class EnginePeering extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { network, engineVpc, engineNetwork, connectorNetwork }: EnginePeeringProps,
  ) {
    super(scope, id)
    const { vpc } = network
    const { ref: vpcPeeringConnectionId } = new CfnVPCPeeringConnection(this, 'Peering', {
      vpcId: vpc.vpcId,
      peerVpcId: engineVpc.id,
    })
    vpc.selectSubnets(network.subnets).subnets.forEach(({ routeTable }: ISubnet, index) => {
      new CfnRoute(this, `ToEngines${index + 1}`, {
        routeTableId: routeTable.routeTableId,
        destinationCidrBlock: engineNetwork,
        vpcPeeringConnectionId,
      })
    })
    // Named by the table, so that another order in the file of the stage changes no route.
    for (const routeTableId of engineVpc.routeTables) {
      new CfnRoute(this, `From-${routeTableId}`, {
        routeTableId,
        destinationCidrBlock: connectorNetwork,
        vpcPeeringConnectionId,
      })
    }
    // A zone for each name and not for its parent, whose other names the network may resolve elsewhere.
    for (const [zoneName, address] of Object.entries(engineVpc.addresses)) {
      const zone = new PrivateHostedZone(this, `Zone-${zoneName}`, { vpc, zoneName })
      new ARecord(zone, 'Address', { zone, target: RecordTarget.fromIpAddresses(address), ttl: Duration.minutes(1) })
    }
  }
}
