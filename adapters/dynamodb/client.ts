import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { environment } from '../../contracts/environment.ts'
import { type TableName, tables } from '../../contracts/resources.ts'
import { type AdapterContext, required } from '../context.ts'

/**
 * DynamoDB answers within 20 ms. Three tries of 3 s at most, with the SDK's jittered waits between them, end well
 * before the 28 s that a request may take.
 */
const ATTEMPTS = 3
const CONNECT_TIMEOUT_MS = 1_000
const REQUEST_TIMEOUT_MS = 3_000

/** One client for each environment, that is, for each process: its connections are what a warm start gains. */
const clients = new WeakMap<AdapterContext['env'], DynamoDBDocumentClient>()

/** The document client of the process, made at its first use. */
export function documentClient({ env }: Pick<AdapterContext, 'env'>): DynamoDBDocumentClient {
  const known = clients.get(env)
  if (known !== undefined) return known
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(configuration(env)), {
    marshallOptions: { removeUndefinedValues: true },
  })
  clients.set(env, client)
  return client
}

/** The physical name of a table. Asked for at each use: a process knows only the tables that it was granted. */
export function tableName(context: Pick<AdapterContext, 'env'>, table: TableName): string {
  return required(context, tables[table].variable)
}

function configuration(env: AdapterContext['env']) {
  const endpoint = env[environment.dynamodbEndpoint]
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
  const sessionToken = env['AWS_SESSION_TOKEN']
  return {
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
    ...(endpoint === undefined || endpoint === '' ? {} : { endpoint }),
    ...(env['AWS_REGION'] === undefined ? {} : { region: env['AWS_REGION'] }),
    // A container's credentials come from the SDK's own chain, which renews them.
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : { credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) } }),
  }
}
