import {
  GatewayVpcEndpointAwsService,
  type IConnectable,
  InterfaceVpcEndpoint,
  InterfaceVpcEndpointAwsService,
  IpAddresses,
  SubnetType,
  Vpc,
  FlowLogDestination,
} from 'aws-cdk-lib/aws-ec2'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { RemovalPolicy } from 'aws-cdk-lib'
import { Construct } from 'constructs'

/** The services that the connector's task calls, except the engine and the stores that have a gateway. */
const services = {
  Queues: InterfaceVpcEndpointAwsService.SQS,
  Secrets: InterfaceVpcEndpointAwsService.SECRETS_MANAGER,
  Logs: InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS,
  Registry: InterfaceVpcEndpointAwsService.ECR,
  Images: InterfaceVpcEndpointAwsService.ECR_DOCKER,
}

/** The inputs of the network. */
export interface PrivateNetworkProps {
  readonly cidr: string
  /** The number of availability zones. */
  readonly zones: number
}

/**
 * Isolated subnets, one in each zone, without any route to or from the internet. The process that holds the engine's
 * password reaches the platform's services by private endpoints, and the engine by a peering that an engineer sets up. The
 * event socket is not encrypted, so it must not cross a public network anyway.
 */
export class PrivateNetwork extends Construct {
  readonly vpc: Vpc
  private readonly endpoints: readonly InterfaceVpcEndpoint[]

  constructor(scope: Construct, id: string, { cidr, zones }: PrivateNetworkProps) {
    super(scope, id)
    this.vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr(cidr),
      maxAzs: zones,
      natGateways: 0,
      subnetConfiguration: [{ name: 'Connector', subnetType: SubnetType.PRIVATE_ISOLATED }],
      gatewayEndpoints: {
        Tables: { service: GatewayVpcEndpointAwsService.DYNAMODB },
        Objects: { service: GatewayVpcEndpointAwsService.S3 },
      },
    })
    this.vpc.addFlowLog('FlowLog', {
      destination: FlowLogDestination.toCloudWatchLogs(
        new LogGroup(this, 'FlowLogs', { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY }),
      ),
    })
    this.endpoints = Object.entries(services).map(
      ([name, service]) => new InterfaceVpcEndpoint(this, name, { vpc: this.vpc, service, open: false }),
    )
  }

  /** Lets something in the network use the private endpoints. */
  admit(member: IConnectable): void {
    for (const endpoint of this.endpoints) endpoint.connections.allowDefaultPortFrom(member)
  }
}
