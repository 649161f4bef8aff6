import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import { Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { type QueueName, buckets, keys, queues, searchDomains, secrets, tables } from '../../contracts/resources.ts'
import { GeneratedSecret } from '../constructs/generated-secret.ts'
import { ObjectBucket } from '../constructs/object-bucket.ts'
import { OnCall } from '../constructs/on-call.ts'
import { type Resources, constructId, eachOf } from '../constructs/resources.ts'
import { SearchDomain, type SearchDomainProps } from '../constructs/search-domain.ts'
import { StateTable } from '../constructs/state-table.ts'
import { WorkQueue } from '../constructs/work-queue.ts'
import { retained } from '../constructs/retained.ts'

/** For each queue, the consequence of dead letters and the article that helps. */
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
    impact: 'Deliveries were given up by their function, again and again; each is tried again within minutes.',
  },
  slowDeliveries: {
    article: 'Slow deliveries in the dead-letter queue',
    impact: 'Deliveries to slow receivers were given up by their function; each is tried again within minutes.',
  },
  cdrs: {
    article: 'CDRs in the dead-letter queue',
    impact: 'Ended calls are missing from the CDRs, or lack the last report of the engine; they are kept for 14 days.',
  },
  exports: {
    article: 'Exports in the dead-letter queue',
    impact: 'Exports of CDRs that tenants asked for are never finished; they see them as running.',
  },
  cleanups: {
    article: 'Clean-ups in the dead-letter queue',
    impact: 'Records of a deleted domain are still stored, and its name cannot be used again.',
  },
}

/** The choices of the engineer about the stack. */
export interface StatefulStackProps extends StackProps {
  readonly alarmEmail: string
  /** Origins whose pages may read recordings and exports by their links. */
  readonly allowedOrigins: readonly string[]
  readonly search: SearchDomainProps
}

/** Everything that must outlive a deployment, and the queues. Changing a construct id here loses data. */
export class StatefulStack extends Stack implements Resources {
  readonly onCall: OnCall
  readonly tables: Resources['tables']
  readonly queues: Resources['queues']
  readonly secrets: Resources['secrets']
  readonly keys: Resources['keys']
  readonly buckets: Resources['buckets']
  readonly searchDomains: Resources['searchDomains']

  constructor(scope: Construct, id: string, { alarmEmail, allowedOrigins, search, ...props }: StatefulStackProps) {
    super(scope, id, { ...props, terminationProtection: true })
    this.onCall = new OnCall(this, 'OnCall', { email: alarmEmail })
    this.tables = eachOf(tables, (name, spec) => new StateTable(this, `${constructId(name)}Table`, spec))
    this.queues = eachOf(
      queues,
      (name, spec) =>
        new WorkQueue(this, `${constructId(name)}Queue`, { spec, ...deadLetters[name], onCall: this.onCall.topic }),
    )
    this.secrets = eachOf(secrets, (name, spec) => new GeneratedSecret(this, `${constructId(name)}Secret`, spec))
    for (const [name, secret] of Object.entries(this.secrets)) {
      new CfnOutput(this, `${constructId(name)}SecretArn`, {
        value: secret.secretArn,
        description: `Holds the ${name} secret`,
      })
    }
    this.keys = eachOf(
      keys,
      (name, { purpose }) =>
        new Key(this, `${constructId(name)}Key`, {
          description: `Callplane: ${purpose}`,
          enableKeyRotation: true,
          removalPolicy: retained,
        }),
    )
    this.buckets = eachOf(
      buckets,
      (name, spec) => new ObjectBucket(this, `${constructId(name)}Bucket`, { spec, allowedOrigins }).bucket,
    )
    this.searchDomains = eachOf(
      searchDomains,
      (name) => new SearchDomain(this, `${constructId(name)}Search`, search).domain,
    )
  }
}
