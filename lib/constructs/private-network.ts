import {
  GatewayVpcEndpointAwsService,
  type IConnectable,
  InterfaceVpcEndpoint,
  InterfaceVpcEndpointAwsService,
  IpAddresses,
  type SubnetSelection,
  SubnetType,
  Vpc,
  FlowLogDestination,
} from 'aws-cdk-lib/aws-ec2'
import { AnyPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { Aws, RemovalPolicy } from 'aws-cdk-lib'
import { Construct } from 'constructs'

const known = {
  Queues: InterfaceVpcEndpointAwsService.SQS,
  Secrets: InterfaceVpcEndpointAwsService.SECRETS_MANAGER,
  Logs: InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS,
  Registry: InterfaceVpcEndpointAwsService.ECR,
  Images: InterfaceVpcEndpointAwsService.ECR_DOCKER,
  Sessions: InterfaceVpcEndpointAwsService.SSM_MESSAGES,
}

type Service = keyof typeof known

/** Only principals of this account may use an endpoint: credentials that someone brings along are no use in it. */
const ofOwnPrincipals = new PolicyStatement({
  principals: [new AnyPrincipal()],
  actions: ['*'],
  resources: ['*'],
  conditions: { StringEquals: { 'aws:PrincipalAccount': Aws.ACCOUNT_ID } },
})

/** The inputs of the network. */
export interface PrivateNetworkProps {
  /** The start of the names of its subnets. */
  readonly name: string
  readonly cidr: string
  readonly zones: number
  /** The size of each subnet, so that a zone more changes no other; none: they share `cidr` evenly. */
  readonly cidrMask?: number
  readonly egress: 'endpoints' | 'publicAddress'
  /** The services that its members use in addition to tables and objects. */
  readonly services: readonly Service[]
  /** The only buckets that can be reached from the network, apart from those of AWS. */
  readonly buckets: readonly IBucket[]
  /** The ARNs of objects of AWS's own buckets that its members may read or write. */
  readonly objectsOfAws: { readonly action: 's3:GetObject' | 's3:PutObject'; readonly arn: string }
}

/**
 * Isolated subnets, one in each zone, without any route to or from the internet. The process that holds the engine's
 * password reaches the platform's services by private endpoints, and the engine by a peering. The
 * event socket is not encrypted, so it must not cross a public network anyway. With public addresses there is a route
 * to the internet instead of endpoints: tasks connect to the services by TLS, and nothing may connect to them.
 */
export class PrivateNetwork extends Construct {
  readonly vpc: Vpc
  readonly subnets: SubnetSelection
  readonly hasPublicAddresses: boolean
  private readonly endpoints: readonly InterfaceVpcEndpoint[]

  constructor(scope: Construct, id: string, props: PrivateNetworkProps) {
    super(scope, id)
    const { name, cidr, cidrMask, zones, egress } = props
    this.hasPublicAddresses = egress === 'publicAddress'
    const subnetType = this.hasPublicAddresses ? SubnetType.PUBLIC : SubnetType.PRIVATE_ISOLATED
    this.subnets = { subnetType }
    this.vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr(cidr),
      maxAzs: zones,
      natGateways: 0,
      subnetConfiguration: [
        {
          name,
          subnetType,
          ...(cidrMask !== undefined && { cidrMask }),
          ...(this.hasPublicAddresses && { mapPublicIpOnLaunch: false }),
        },
      ],
    })
    this.addGateways(props)
    this.vpc.addFlowLog('FlowLog', {
      destination: FlowLogDestination.toCloudWatchLogs(
        new LogGroup(this, 'FlowLogs', { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY }),
      ),
    })
    const needed = this.hasPublicAddresses ? [] : props.services
    this.endpoints = needed.map((service) => {
      const endpoint = new InterfaceVpcEndpoint(this, service, { vpc: this.vpc, service: known[service], open: false })
      endpoint.addToPolicy(ofOwnPrincipals)
      return endpoint
    })
  }

  /** Limits what credentials can reach through the gateways, also foreign ones brought into the network. */
  private addGateways({ buckets, objectsOfAws }: PrivateNetworkProps): void {
    const ofThisAccount = { StringEquals: { 'aws:ResourceAccount': Aws.ACCOUNT_ID } }
    const tables = this.vpc.addGatewayEndpoint('Tables', { service: GatewayVpcEndpointAwsService.DYNAMODB })
    tables.addToPolicy(
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ['dynamodb:*'],
        resources: ['*'],
        conditions: ofThisAccount,
      }),
    )
    const objects = this.vpc.addGatewayEndpoint('Objects', { service: GatewayVpcEndpointAwsService.S3 })
    objects.addToPolicy(
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ['s3:*'],
        resources: buckets.flatMap(({ bucketArn }) => [bucketArn, `${bucketArn}/*`]),
      }),
    )
    objects.addToPolicy(
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: [objectsOfAws.action],
        resources: [objectsOfAws.arn],
      }),
    )
  }

  admit(member: IConnectable): void {
    for (const endpoint of this.endpoints) endpoint.connections.allowDefaultPortFrom(member)
  }
}
