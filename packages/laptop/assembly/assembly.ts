/** The assembly as the local platform runs it: plain data, every name and address resolved. */

/** A DynamoDB table. */
export interface Table {
  readonly name: string
  readonly arn: string
  /** The input of `CreateTable` without the name, as the template gives it. */
  readonly definition: Readonly<Record<string, unknown>>
}

/** An SQS queue. */
export interface Queue {
  readonly name: string
  readonly url: string
  readonly arn: string
  /** The attributes of `CreateQueue`; all values are text. */
  readonly attributes: Readonly<Record<string, string>>
}

/** A bucket of the object store. */
export interface Bucket {
  readonly name: string
  readonly arn: string
}

/** A secret. Describes the form of a given value: the text alone, or one field of a JSON object. */
export interface Secret {
  readonly arn: string
  readonly template: string | undefined
  readonly field: string | undefined
}

/** A key of the key service. */
export interface Key {
  readonly id: string
  readonly arn: string
}

/** One statement of an IAM policy. */
export interface Statement {
  readonly effect: 'Allow' | 'Deny'
  readonly actions: readonly string[]
  readonly exceptActions: boolean
  readonly resources: readonly string[]
  readonly exceptResources: boolean
  /** Operator to condition key to the values of which one must match. */
  readonly conditions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
}

/** An IAM role with the statements of all policies attached to it. */
export interface Role {
  readonly name: string
  readonly arn: string
  readonly statements: readonly Statement[]
}

/** A Lambda function. */
export interface LambdaFunction {
  readonly name: string
  readonly arn: string
  readonly roleArn: string
  readonly directory: string
  /** `<file without ending>.<export>` */
  readonly handler: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
  readonly memoryMb: number
}

/** A route of the HTTP API. */
export interface ApiRoute {
  /** `GET /path/{parameter}`, `ANY /path`, or `$default`. */
  readonly key: string
  readonly functionArn: string
}

/** An OpenSearch domain. */
export interface SearchDomain {
  readonly arn: string
}

/** The cross-origin rules of the HTTP API. */
export interface CrossOrigin {
  readonly origins: readonly string[]
  readonly methods: readonly string[]
  readonly headers: readonly string[]
  readonly exposedHeaders: readonly string[]
  readonly maxAgeSeconds: number
}

/** A mapping that takes messages from a queue and calls a function with them. */
export interface EventSourceMapping {
  readonly queueArn: string
  readonly functionArn: string
  readonly batchSize: number
  readonly batchWindowSeconds: number
  /** Whether the function answers which messages of a batch failed. */
  readonly reportsFailures: boolean
  /** The most calls at one time; absent: as many as the service likes. */
  readonly maximumConcurrency: number | undefined
}

/** A rule that calls a function at intervals. */
export interface Schedule {
  readonly functionArn: string
  readonly everyMs: number
}

/** A function that prepares a store before its first use. */
export interface Preparation {
  readonly functionArn: string
}

/** A container of a service that runs all the time. */
export interface Container {
  readonly name: string
  readonly roleArn: string
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** Variable to the ARN of the secret that it holds. */
  readonly secrets: Readonly<Record<string, string>>
}

/** Everything that runs. */
export interface Assembly {
  readonly tables: readonly Table[]
  readonly queues: readonly Queue[]
  readonly buckets: readonly Bucket[]
  readonly secrets: readonly Secret[]
  readonly keys: readonly Key[]
  readonly searchDomains: readonly SearchDomain[]
  readonly roles: readonly Role[]
  readonly functions: readonly LambdaFunction[]
  readonly routes: readonly ApiRoute[]
  /** Absent: pages of other origins may do nothing, and preflights go to the routes. */
  readonly crossOrigin: CrossOrigin | undefined
  readonly mappings: readonly EventSourceMapping[]
  readonly schedules: readonly Schedule[]
  readonly preparations: readonly Preparation[]
  readonly containers: readonly Container[]
}
