import { CfnOutput } from 'aws-cdk-lib'
import { CfnApiMapping, CfnDomainName } from 'aws-cdk-lib/aws-apigatewayv2'
import { Construct, type IDependable } from 'constructs'

/** The inputs of a domain name. */
export interface ApiDomainProps {
  readonly apiId: string
  /** The name of the API's stage, and what makes it. */
  readonly stage: string
  readonly after: IDependable
  readonly name: string
  /** Of a certificate of the region. */
  readonly certificateArn: string
}

/** A domain name of the operator that leads to the API. Its own address goes on answering: engines may use it. */
export class ApiDomain extends Construct {
  constructor(scope: Construct, id: string, { apiId, stage, after, name, certificateArn }: ApiDomainProps) {
    super(scope, id)
    const domain = new CfnDomainName(this, 'Name', {
      domainName: name,
      domainNameConfigurations: [{ certificateArn, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' }],
    })
    const mapping = new CfnApiMapping(this, 'Mapping', { apiId, stage, domainName: domain.ref })
    mapping.node.addDependency(after)
    for (const [output, value, description] of [
      ['DomainTarget', domain.attrRegionalDomainName, 'The name that the domain name of the API must lead to'],
      ['DomainTargetZone', domain.attrRegionalHostedZoneId, 'Its zone, for an alias in Route 53'],
    ] as const) {
      new CfnOutput(this, output, { value, description }).overrideLogicalId(output)
    }
  }
}
