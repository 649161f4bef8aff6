import { Aws, RemovalPolicy, Stack } from 'aws-cdk-lib'
import {
  AttributeType,
  BillingMode,
  CfnGlobalTable,
  type ITable,
  ProjectionType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb'
import { Construct } from 'constructs'
import { type TableSpec, indexName } from '../../contracts/resources.ts'

const text = (name: string) => ({ name, type: AttributeType.STRING })

/** A table as the adapters expect it; it outlives its stack and can be restored to any second of the last 35 days. */
export class StateTable extends Table {
  constructor(scope: Construct, id: string, spec: TableSpec) {
    super(scope, id, {
      partitionKey: text('pk'),
      sortKey: text('sk'),
      billingMode: BillingMode.PAY_PER_REQUEST,
      // By a key that the service owns, whose requests cost nothing.
      encryption: TableEncryption.DEFAULT,
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

/**
 * A table as {@link StateTable}, with a replica in another region. CloudFormation refuses it in the place of a table
 * that exists, so no data can be lost by the setting.
 */
export class ReplicatedTable extends Construct {
  readonly table: ITable

  constructor(scope: Construct, id: string, { spec, region }: { readonly spec: TableSpec; readonly region: string }) {
    super(scope, id)
    const keys = (prefix = '') => [
      { attributeName: `${prefix}pk`, keyType: 'HASH' },
      { attributeName: `${prefix}sk`, keyType: 'RANGE' },
    ]
    const indexed = spec.index === undefined ? [] : keys('gsi_')
    // Tags of a stack do not reach replicas.
    const tags = Object.entries(Stack.of(this).tags.tagValues()).map(([key, value]) => ({ key, value }))
    const made = new CfnGlobalTable(this, 'Resource', {
      keySchema: keys(),
      attributeDefinitions: [...keys(), ...indexed].map(({ attributeName }) => ({ attributeName, attributeType: 'S' })),
      billingMode: BillingMode.PAY_PER_REQUEST,
      streamSpecification: { streamViewType: 'NEW_AND_OLD_IMAGES' },
      ...(spec.expires && { timeToLiveSpecification: { enabled: true, attributeName: 'expiresAt' } }),
      ...(indexed.length > 0 && {
        globalSecondaryIndexes: [{ indexName, keySchema: indexed, projection: { projectionType: 'KEYS_ONLY' } }],
      }),
      replicas: [Aws.REGION, region].map((name) => ({
        region: name,
        deletionProtectionEnabled: true,
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
        tags,
      })),
    })
    made.applyRemovalPolicy(RemovalPolicy.RETAIN)
    this.table = Table.fromTableName(this, 'Table', made.ref)
  }
}
