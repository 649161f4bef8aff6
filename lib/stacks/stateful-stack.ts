import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import { Table } from 'aws-cdk-lib/aws-dynamodb'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Bucket } from 'aws-cdk-lib/aws-s3'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import {
  type QueueName,
  buckets,
  keys,
  queues,
  replicatedBucket,
  replicatedTables,
  secrets,
  tables,
} from '../../contracts/resources.ts'
import type { ExistingStores } from '../../contracts/settings/existing-stores.ts'
import { GeneratedSecret } from '../constructs/generated-secret.ts'
import { ObjectBucket } from '../constructs/object-bucket.ts'
import { OnCall } from '../constructs/on-call.ts'
import { type Resources, constructId, eachOf } from '../constructs/resources.ts'
import { ReplicatedTable, StateTable } from '../constructs/state-table.ts'
import { WorkQueue } from '../constructs/work-queue.ts'
import { retained } from '../constructs/retained.ts'

const deadLetters: Readonly<Record<QueueName, { readonly article: string; readonly impact: string }>> = {
  commands: {
    article: 'Commands in the dead-letter queue',
    impact: 'An order to the engine (a call, a hang-up) was not carried out; its caller got an error or no outcome.',
  },
  events: {
    article: 'Events in the dead-letter queue',
    impact: 'Events of calls did not reach the hooks that want them; receivers do not know of these calls.',
  },
  deliveries: {
    article: 'Deliveries in the dead-letter queue',
    impact:
      'Deliveries were given up by their function, again and again; each is tried again within minutes, or once no more than a thousand others wait.',
  },
  cdrs: {
    article: 'CDRs in the dead-letter queue',
    impact: 'Ended calls are missing from the CDRs, or lack the last report of the engine; they are kept for 14 days.',
  },
  exports: {
    article: 'Exports in the dead-letter queue',
    impact: 'Exports of CDRs that tenants asked for are never finished; they see them as running.',
  },
  erasures: {
    article: 'Erasures in the dead-letter queue',
    impact: 'What names a party is not removed in whole; the tenant that asked for it sees the erasure as running.',
  },
  cleanups: {
    article: 'Clean-ups in the dead-letter queue',
    impact: 'Records of a deleted domain are still stored, and its name cannot be used again.',
  },
}

/** The choices of the engineer about the stack. */
export interface StatefulStackProps extends StackProps {
  readonly alarmEmail: string
  readonly watchesQueues: boolean
  /** Origins whose pages may read recordings and exports by their links. */
  readonly allowedOrigins: readonly string[]
  readonly existing: ExistingStores
  /** The region of replicas, and the bucket there that recordings are copied to; absent: there are none. */
  readonly replica: { readonly region: string; readonly bucketName: string } | undefined
}

/**
 * Everything that must outlive a deployment except the search domain, and the queues. Changing a construct id here
 * loses data.
 */
export class StatefulStack extends Stack implements Omit<Resources, 'searchDomains' | 'searchNetwork'> {
  readonly tables: Resources['tables']
  readonly queues: Resources['queues']
  readonly secrets: Resources['secrets']
  readonly keys: Resources['keys']
  readonly buckets: Resources['buckets']

  constructor(scope: Construct, id: string, props: StatefulStackProps) {
    const { alarmEmail, watchesQueues, existing, allowedOrigins, replica, ...usual } = props
    super(scope, id, usual)
    new OnCall(this, 'OnCall', { email: alarmEmail })
    this.tables = eachOf(tables, (name, spec) => {
      const given = existing.tables[name]
      const id = `${constructId(name)}Table`
      if (given !== undefined) return Table.fromTableName(this, id, given)
      const isReplicated = replica !== undefined && replicatedTables.has(name)
      return isReplicated
        ? new ReplicatedTable(this, id, { spec, region: replica.region }).table
        : new StateTable(this, id, spec)
    })
    this.queues = eachOf(
      queues,
      (name, spec) =>
        new WorkQueue(this, `${constructId(name)}Queue`, {
          spec,
          ...deadLetters[name],
          isWatched: watchesQueues,
        }),
    )
    this.secrets = eachOf(secrets, (name, spec) => {
      const given = existing.secrets[name]
      const id = `${constructId(name)}Secret`
      return given === undefined ? new GeneratedSecret(this, id, spec) : Secret.fromSecretCompleteArn(this, id, given)
    })
    for (const [name, secret] of Object.entries(this.secrets)) {
      new CfnOutput(this, `${constructId(name)}SecretArn`, {
        value: secret.secretArn,
        description: `Holds the ${name} secret`,
      })
    }
    this.keys = eachOf(keys, (name, { purpose }) => {
      const given = existing.keys[name]
      const id = `${constructId(name)}Key`
      if (given !== undefined) return Key.fromKeyArn(this, id, given)
      const description = `Callplane: ${purpose}`
      return new Key(this, id, { description, enableKeyRotation: true, removalPolicy: retained })
    })
    this.buckets = eachOf(buckets, (name, spec) => {
      const given = existing.buckets[name]
      const id = `${constructId(name)}Bucket`
      return given === undefined
        ? new ObjectBucket(this, id, {
            spec,
            allowedOrigins,
            ...(replica !== undefined && name === replicatedBucket && { copiedTo: replica.bucketName }),
          }).bucket
        : Bucket.fromBucketName(this, id, given)
    })
  }
}
