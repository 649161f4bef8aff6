import { type ISecurityGroup, Peer, Port, SecurityGroup, type SubnetSelection, type Vpc } from 'aws-cdk-lib/aws-ec2'
import type { DomainProps } from 'aws-cdk-lib/aws-opensearchservice'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import { PrivateNetwork } from './private-network.ts'

/** The inputs of the network. */
export interface SearchNetworkProps {
  readonly zones: number
  /** The buckets that the functions in the network use. */
  readonly buckets: readonly IBucket[]
}

/** Nothing else is joined with the network, so any range serves. It has room for three zones. */
const [cidr, cidrMask] = ['10.91.0.0/22', 24]

/**
 * The network of a search domain and of the functions that search, without a route to the internet. Only these
 * functions may connect to the domain. They reach the services that they use by private endpoints.
 */
export class SearchNetwork extends Construct {
  readonly vpc: Vpc
  readonly subnets: SubnetSelection
  /** The group of the functions that search. */
  readonly clients: ISecurityGroup
  /** The place of the domain. */
  readonly ofDomain: Pick<DomainProps, 'vpc' | 'vpcSubnets' | 'securityGroups'>

  constructor(scope: Construct, id: string, { zones, buckets }: SearchNetworkProps) {
    super(scope, id)
    const network = new PrivateNetwork(this, 'Network', {
      name: 'Search',
      cidr,
      cidrMask,
      zones,
      egress: 'endpoints',
      services: ['Queues', 'Secrets'],
      buckets,
      // There CloudFormation waits for the result of a preparation.
      objectsOfAws: { action: 's3:PutObject', arn: 'arn:aws:s3:::cloudformation-custom-resource-response-*/*' },
    })
    const { vpc, subnets } = network
    const clients = new SecurityGroup(this, 'Clients', {
      vpc,
      description: 'Callplane search',
      allowAllOutbound: false,
    })
    clients.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'the domain and endpoints; there is no other route')
    network.admit(clients)
    const domain = new SecurityGroup(this, 'Domain', { vpc, description: 'Callplane CDRs', allowAllOutbound: false })
    domain.addIngressRule(clients, Port.tcp(443), 'the functions that search')
    this.vpc = vpc
    this.subnets = subnets
    this.clients = clients
    this.ofDomain = { vpc, vpcSubnets: [subnets], securityGroups: [domain] }
  }
}

/** The actions by which Lambda puts a function into a network; they know no narrower resource than all. */
export const joinActions = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
]
