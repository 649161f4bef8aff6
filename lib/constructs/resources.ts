import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { IDomain } from 'aws-cdk-lib/aws-opensearchservice'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager'
import type {
  BucketName,
  KeyName,
  QueueName,
  SearchDomainName,
  SecretName,
  TableName,
} from '../../contracts/resources.ts'
import type { SearchNetwork } from './search-network.ts'
import type { WorkQueue } from './work-queue.ts'

/** Every declared resource, by the name it has in contracts/resources.ts. */
export interface Resources {
  readonly tables: Readonly<Record<TableName, ITable>>
  readonly queues: Readonly<Record<QueueName, WorkQueue>>
  readonly secrets: Readonly<Record<SecretName, ISecret>>
  readonly keys: Readonly<Record<KeyName, IKey>>
  readonly buckets: Readonly<Record<BucketName, IBucket>>
  readonly searchDomains: Readonly<Record<SearchDomainName, IDomain>>
  /** The network of the search domains, which functions that search join; none: they have public addresses. */
  readonly searchNetwork: SearchNetwork | undefined
}

/** Makes one thing for each entry of a declared list, and returns them under the entries' names. */
export function eachOf<Name extends string, Spec, Made>(
  specs: Readonly<Record<Name, Spec>>,
  make: (name: Name, spec: Spec) => Made,
): Record<Name, Made> {
  const made: Partial<Record<Name, Made>> = {}
  for (const name in specs) made[name] = make(name, specs[name])
  const isWhole = (part: Partial<Record<Name, Made>>): part is Record<Name, Made> =>
    Object.keys(specs).every((name) => name in part)
  if (!isWhole(made)) throw new Error('a declared entry was not made')
  return made
}

/** Returns a name as the start of a construct id: `hookDispatch` as `HookDispatch`. */
export function constructId(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
