/** `packages/laptop` with an assembly that is not Callplane's, run by the program in its README. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Stack } from 'aws-cdk-lib'
import * as api from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb'
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startCommand } from '../support/platform/command.ts'
import { freePort } from '../../packages/laptop/processes/free-port.ts'

const folder = mkdtempSync(join(tmpdir(), 'another-assembly-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Writes what it may write, tries to read all of the table, and hands the rest of the work to a queue. */
const handler = `
const { DynamoDBClient, PutItemCommand, GetItemCommand, ScanCommand } = require('@aws-sdk/client-dynamodb')
const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs')
const [db, sqs] = [new DynamoDBClient({}), new SQSClient({})]
const { TABLE: TableName, QUEUE: QueueUrl } = process.env
exports.handler = async ({ Records, pathParameters }) => {
  const [message] = Records ?? []
  const key = { id: { S: message?.body ?? pathParameters.id } }
  if (message) return db.send(new PutItemCommand({ TableName, Item: key }))
  const scan = await db.send(new ScanCommand({ TableName })).then(() => 'allowed', ({ name }) => name)
  const { Item } = await db.send(new GetItemCommand({ TableName, Key: key }))
  if (!Item) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: key.id.S }))
  return { isStored: Item !== undefined, scan }
}
`

function synthesize(): void {
  const code = join(folder, 'function')
  mkdirSync(code)
  writeFileSync(join(code, 'index.cjs'), handler)
  const app = new App({ outdir: join(folder, 'cdk.out') })
  const stack = new Stack(app, 'Another')
  const table = new Table(stack, 'Table', { partitionKey: { name: 'id', type: AttributeType.STRING } })
  const queue = new Queue(stack, 'Queue')
  const environment = { TABLE: table.tableName, QUEUE: queue.queueUrl }
  const runtime = Runtime.NODEJS_24_X
  const things = new LambdaFunction(stack, 'Things', {
    runtime,
    handler: 'index.handler',
    code: Code.fromAsset(code),
    environment,
  })
  table.grant(things, 'dynamodb:PutItem', 'dynamodb:GetItem')
  queue.grantSendMessages(things)
  things.addEventSource(new SqsEventSource(queue))
  new api.HttpApi(stack, 'Api').addRoutes({
    path: '/things/{id}',
    methods: [api.HttpMethod.GET],
    integration: new HttpLambdaIntegration('Integration', things),
  })
  app.synth()
}

beforeAll(() => {
  // The project of a stranger who has installed the same packages.
  cpSync('package.json', join(folder, 'package.json'))
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
  synthesize()
})

it('the program of the README runs the assembly of another application, with the policies of its roles', async () => {
  const port = await freePort()
  const [, program = ''] = /^```ts\n(.*?)^```/ms.exec(readFileSync('packages/laptop/README.md', 'utf8')) ?? []
  writeFileSync(join(folder, 'run.ts'), program.replace('8080', String(port)))
  const running = startCommand(process.execPath, ['run.ts'], { cwd: folder })
  onTestFinished(async () => {
    running.interrupt()
    await running.ended()
  })
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/things/one`)).json()

  await expect.poll(ask, { timeout: 60_000 }).toEqual({ isStored: false, scan: 'AccessDeniedException' })

  await expect.poll(ask, { timeout: 60_000 }).toEqual({ isStored: true, scan: 'AccessDeniedException' })
  expect((await fetch(`http://127.0.0.1:${port}/nothing`)).status).toBe(404)
})
