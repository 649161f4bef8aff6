import { randomUUID } from 'node:crypto'
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb'
import { dynamoClient } from '../../../adapters/aws/dynamodb-client.ts'
import { environment } from '../../../contracts/environment.ts'
import { type TableSpec, tables } from '../../../contracts/resources.ts'
import { fetchDynamoDbLocal } from '../../../packages/laptop/stores/dynamo-program/dynamodb-local.ts'
import { dynoxidePackage, thisMachine } from '../../../packages/laptop/stores/dynamo-program/dynoxide.ts'
import { type RunningCommand, startCommand } from '../platform/command.ts'
import { freePort } from '../../../packages/laptop/processes/free-port.ts'
import { startDynamoDbLocal } from './dynamodb-local.ts'

/** A DynamoDB with every table of contracts/resources.ts, empty. */
export interface DynamoServer {
  readonly endpoint: string
  /** The environment with which an adapter reaches it. */
  readonly env: Readonly<Record<string, string>>
  /** Removes the tables, and ends the server where it was started here. */
  close(): Promise<void>
}

const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'eu-central-1' }

/** Starts the embedded DynamoDB on a free port, or uses the one that `DYNAMODB_ENDPOINT` names. */
export async function startDynamoServer(): Promise<DynamoServer> {
  const given = process.env['DYNAMODB_ENDPOINT']
  const started = given === undefined || given === '' ? await startEmbedded() : undefined
  const endpoint = started?.endpoint ?? given ?? ''
  const env = { ...credentials, [environment.dynamodbEndpoint]: endpoint }
  const client = dynamoClient({ env })
  const suffix = randomUUID().slice(0, 8)
  const named = Object.entries(tables).map(([name, spec]) => ({ spec, physical: `${name}-${suffix}` }))
  for (const { spec, physical } of named) await client.send(new CreateTableCommand(tableInput(physical, spec)))
  const variables = Object.fromEntries(named.map(({ spec, physical }) => [spec.variable, physical]))
  return {
    endpoint,
    env: { ...env, ...variables },
    async close() {
      if (started === undefined) {
        for (const { physical } of named) await removeTable(client, physical)
      }
      await started?.stop()
    },
  }
}

/** Removes a table, unless its test has lost it on purpose. */
async function removeTable(client: ReturnType<typeof dynamoClient>, TableName: string): Promise<void> {
  try {
    await client.send(new DeleteTableCommand({ TableName }))
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error
  }
}

/** Starts the embedded DynamoDB of this machine, or DynamoDB Local where npm has none for it. */
async function startEmbedded() {
  const embedded = dynoxidePackage(process.cwd(), thisMachine)
  if (embedded.find() === undefined) await embedded.install(AbortSignal.timeout(60_000))
  const binary = embedded.find()
  if (binary === undefined) {
    const fetched = await fetchDynamoDbLocal(process.cwd())
    if ('missing' in fetched) throw new Error(`there is no DynamoDB: ${fetched.missing}; set DYNAMODB_ENDPOINT`)
    const server = await startDynamoDbLocal(fetched.folder)
    return { endpoint: server.endpoint, stop: () => server.close() }
  }
  for (let tries = 1; ; tries += 1) {
    const port = await freePort()
    const server = startCommand(binary, ['--host', '127.0.0.1', '--port', String(port)], { cwd: process.cwd() })
    try {
      await server.printed(/listening on/i)
      return { endpoint: `http://127.0.0.1:${port}`, stop: () => stop(server) }
    } catch (error) {
      // Somebody else may have taken the port meanwhile.
      if (tries === 3) throw error
    }
  }
}

async function stop(server: RunningCommand): Promise<void> {
  server.child.kill('SIGTERM')
  await server.ended()
}

function tableInput(physical: string, spec: TableSpec): CreateTableCommandInput {
  const text = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' as const })
  const keys = (hash: string, range: string): CreateTableCommandInput['KeySchema'] => [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ]
  return {
    TableName: physical,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk', ...(spec.index ? ['gsi_pk', 'gsi_sk'] : [])].map(text),
    KeySchema: keys('pk', 'sk'),
    ...(spec.index && {
      GlobalSecondaryIndexes: [
        { IndexName: spec.index, KeySchema: keys('gsi_pk', 'gsi_sk'), Projection: { ProjectionType: 'KEYS_ONLY' } },
      ],
    }),
  }
}
