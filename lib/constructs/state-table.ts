import { RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import type { Construct } from 'constructs'
import { type TableSpec, indexName } from '../../contracts/resources.ts'

const text = (name: string) => ({ name, type: AttributeType.STRING })

/** A table as the adapters expect it; it outlives its stack and can be restored to any second of the last 35 days. */
export class StateTable extends Table {
  constructor(scope: Construct, id: string, spec: TableSpec) {
    super(scope, id, {
      partitionKey: text('pk'),
      sortKey: text('sk'),
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      // Also when its creation is rolled back: the protection refuses a deletion, which would leave the stack stuck,
      // and an empty table costs nothing.
      removalPolicy: RemovalPolicy.RETAIN,
      ...(spec.expires && { timeToLiveAttribute: 'expiresAt' }),
    })
    if (spec.index === undefined) return
    this.addGlobalSecondaryIndex({
      indexName,
      partitionKey: text('gsi_pk'),
      sortKey: text('gsi_sk'),
      projectionType: ProjectionType.KEYS_ONLY,
    })
  }
}
