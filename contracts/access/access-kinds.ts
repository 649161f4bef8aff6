import type { PortName, Ports } from '../ports.ts'
import type { BucketName, KeyName, QueueName, SearchDomainName, SecretName, TableName } from '../resources.ts'

/** The DynamoDB actions that adapters use; a transaction needs the action of each of its parts. */
export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'Scan'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
  | 'ConditionCheckItem'

/** The rights to a search domain: IAM knows the methods of its HTTP requests. */
export type SearchAction = 'ESHttpGet' | 'ESHttpHead' | 'ESHttpPost' | 'ESHttpPut' | 'ESHttpDelete'

/** The rights to the objects of a bucket. The names are IAM's: beginning an upload is a `PutObject`, too. */
export type ObjectAction =
  | 'GetObject'
  | 'PutObject'
  | 'PutObjectLegalHold'
  | 'DeleteObject'
  | 'AbortMultipartUpload'
  | 'ListMultipartUploadParts'

/** One grant. `index` grants the table's index and not the table itself. */
export type Access =
  | { readonly table: TableName; readonly actions: readonly TableAction[]; readonly index?: boolean }
  | { readonly queue: QueueName; readonly actions: readonly ('SendMessage' | 'GetQueueAttributes' | 'DeleteMessage')[] }
  | { readonly secret: SecretName; readonly actions: readonly ('GetSecretValue' | 'DescribeSecret')[] }
  | { readonly key: KeyName; readonly actions: readonly ('Encrypt' | 'Decrypt')[] }
  | { readonly bucket: BucketName; readonly actions: readonly ObjectAction[] }
  /** On the bucket itself: without the right to list, a missing object is answered 403 instead of 404. */
  | {
      readonly bucket: BucketName
      readonly actions: readonly ('ListBucket' | 'ListBucketVersions')[]
      readonly whole: true
    }
  | { readonly search: SearchDomainName; readonly actions: readonly SearchAction[] }

/** Returns the access of a method that finds items of a table by its index. */
export function indexed(table: TableName): readonly Access[] {
  return [
    { table, index: true, actions: ['Query'] },
    { table, actions: ['BatchGetItem'] },
  ]
}

/** The access of every method of every port. */
export type MethodAccess = { readonly [P in PortName]: { readonly [M in keyof Ports[P]]: readonly Access[] } }
