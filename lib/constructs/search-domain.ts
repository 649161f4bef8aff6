import { Aws, RemovalPolicy, Validations } from 'aws-cdk-lib'
import { EbsDeviceVolumeType } from 'aws-cdk-lib/aws-ec2'
import { AccountRootPrincipal, PolicyDocument, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { type LogGroup, ResourcePolicy, RetentionDays, LogGroup as Logs } from 'aws-cdk-lib/aws-logs'
import { CfnDomain, Domain, EngineVersion, TLSSecurityPolicy } from 'aws-cdk-lib/aws-opensearchservice'
import { Construct } from 'constructs'
import { leastManaged, managerOf } from '../../contracts/settings/search-nodes.ts'
import { retained } from './retained.ts'
import type { SearchNetwork } from './search-network.ts'
import { logGroupName as logGroupNameOf, staged } from './stage.ts'

/** The size of a search domain. */
export interface SearchDomainProps {
  /** Such as `t3.small.search`; a kind that cannot encrypt its disks does not deploy. */
  readonly instanceType: string
  /** One, or a multiple of 2 or 3: the nodes are in two or three zones, and each shard has its copy in another. */
  readonly instances: number
  /** GiB of disk of each node. */
  readonly volumeGb: number
  /** The network that the domain is in; none: it has a public address. */
  readonly network: SearchNetwork | undefined
}

/**
 * Returns over how many zones a domain spreads its nodes. The service spreads managers over three, also for two:
 * https://docs.aws.amazon.com/opensearch-service/latest/developerguide/managedomains-multiaz.html
 */
export function zonesOf(instances: number): number {
  return instances === 1 ? 1 : instances % 3 === 0 ? 3 : 2
}

/**
 * An OpenSearch domain that accepts only signed requests of this account. It is encrypted on disk, between its nodes
 * and in transit, and kept when its stack is deleted. The service takes a snapshot each hour and keeps those of 14
 * days.
 */
export class SearchDomain extends Construct {
  readonly domain: Domain

  constructor(scope: Construct, id: string, { instanceType, instances, volumeGb, network }: SearchDomainProps) {
    super(scope, id)
    const zones = zonesOf(instances)
    const [searches, writes, application] = [this.logs('SlowSearches'), this.logs('SlowWrites'), this.logs('Errors')]
    const policy = this.letLogsBeWritten([searches, writes, application])
    // The service moves no domain into a network or out of it: that is another domain.
    this.domain = new Domain(this, network === undefined ? 'Domain' : 'DomainVpc', {
      version: EngineVersion.OPENSEARCH_2_19,
      enableVersionUpgrade: true,
      capacity: {
        dataNodes: instances,
        dataNodeInstanceType: instanceType,
        multiAzWithStandbyEnabled: false,
        ...(instances >= leastManaged && {
          masterNodes: 3,
          masterNodeInstanceType: managerOf(instanceType, instances),
        }),
      },
      zoneAwareness: zones > 1 ? { enabled: true, availabilityZoneCount: zones } : { enabled: false },
      ...network?.ofDomain,
      ebs: { volumeType: EbsDeviceVolumeType.GP3, volumeSize: volumeGb },
      encryptionAtRest: { enabled: true },
      nodeToNodeEncryption: true,
      enforceHttps: true,
      tlsSecurityPolicy: TLSSecurityPolicy.TLS_1_2_PFS,
      logging: {
        slowSearchLogEnabled: true,
        slowSearchLogGroup: searches,
        slowIndexLogEnabled: true,
        slowIndexLogGroup: writes,
        appLogEnabled: true,
        appLogGroup: application,
      },
      // Written here, because the construct would add a function with rights to all log groups.
      suppressLogsResourcePolicy: true,
      offPeakWindowStart: { hours: 2, minutes: 0 },
      enableAutoSoftwareUpdate: true,
      removalPolicy: retained,
    })
    this.domain.node.addDependency(policy)
    this.admitAccount()
    this.acknowledge(instances, network === undefined)
  }

  private logs(id: string): LogGroup {
    const logGroupName = logGroupNameOf(this, `cdrs/${id}`)
    return new Logs(this, id, {
      logGroupName,
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    })
  }

  private letLogsBeWritten(groups: readonly LogGroup[]): ResourcePolicy {
    return new ResourcePolicy(this, 'LogPolicy', {
      // An account and region have one policy of a name, and the name of a construct has no stage.
      resourcePolicyName: staged(this, 'CallplaneSearch', '-'),
      policyStatements: [
        new PolicyStatement({
          principals: [new ServicePrincipal('es.amazonaws.com')],
          actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          resources: groups.map(({ logGroupArn }) => logGroupArn),
          conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
        }),
      ],
    })
  }

  /** Principals of this account may call, as far as their own policies admit them. No policy admits any other. */
  private admitAccount(): void {
    const resource = this.domain.node.defaultChild
    if (!(resource instanceof CfnDomain)) throw new Error('the search domain has no resource')
    resource.accessPolicies = new PolicyDocument({
      statements: [
        new PolicyStatement({
          principals: [new AccountRootPrincipal()],
          actions: ['es:ESHttp*'],
          resources: ['*'],
        }),
      ],
    }).toJSON()
  }

  private acknowledge(instances: number, isPublic: boolean): void {
    const findings: { readonly id: string; readonly reason: string; readonly holds: boolean }[] = [
      {
        id: 'AwsSolutions-OS1',
        reason:
          'The functions are in no VPC: one would cost each of them a network interface, and the platform a gateway for ' +
          'each other service. Every request is signed, and anonymous ones and those of other accounts are denied. The ' +
          'setting searchAccess moves the domain into a VPC.',
        holds: isPublic,
      },
      {
        id: 'AwsSolutions-OS3',
        reason: 'Functions have no addresses of their own; access is decided by signature, not by address.',
        holds: true,
      },
      {
        id: 'AwsSolutions-OS4',
        reason: `A domain of fewer than ${leastManaged} nodes manages itself; larger ones get three managers.`,
        holds: instances < leastManaged,
      },
      {
        id: 'AwsSolutions-OS7',
        reason: 'The engineer has chosen a single node, for a deployment that may lose its CDRs with a zone.',
        holds: instances === 1,
      },
    ]
    const held = findings.filter(({ holds }) => holds).map(({ id, reason }) => ({ id, reason }))
    Validations.of(this.domain).acknowledge(...held)
  }
}
