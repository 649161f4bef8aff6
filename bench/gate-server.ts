/**
 * One of the three servers of the gate benchmark, as a process of its own: `store`, which answers each call at once;
 * `gate`, the gate of a laptop in front of that store; or `bare`, a node:http server that forwards the same calls to
 * it. Sends its address to its parent, and its CPU time whenever it is asked.
 */
import { type ServerResponse, createServer } from 'node:http'
import { Pool } from 'undici'
import { laptop } from '../packages/laptop/assembly/place.ts'
import { readStatements } from '../packages/laptop/assembly/read-roles.ts'
import { Gate } from '../packages/laptop/gate/gate.ts'
import { addressOf, listen } from '../packages/laptop/processes/listen.ts'
import { forwardTo } from '../packages/laptop/stores/forward.ts'
import { tellCpuTime } from './measured-server.ts'

const contentType = 'application/x-amz-json-1.0'

/** An account, as the store answers it. */
const item = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`field${index}`, { S: 'x'.repeat(30) }]))
const answer = JSON.stringify({ Item: item })

const tableArn = (name: string) => `arn:aws:dynamodb:${laptop.region}:${laptop.account}:table/${name}`

/** As many statements as a function has that uses six tables. */
const role = {
  name: 'Bench',
  arn: `arn:aws:iam::${laptop.account}:role/Bench`,
  statements: readStatements({
    Statement: ['Audit', 'Counts', 'Domains', 'Logins', 'Roles', 'Accounts'].map((name) => ({
      Effect: 'Allow',
      Action: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:Query', 'dynamodb:GetItem'],
      Resource: [`${tableArn(name)}/index/*`, tableArn(name)],
    })),
  }),
}

async function openStore(): Promise<object> {
  const server = createServer((request, response) => {
    request.on('data', () => {})
    request.on('end', () => {
      response.writeHead(200, { 'content-type': contentType, 'content-length': answer.length }).end(answer)
    })
  })
  await listen(server, { host: '127.0.0.1', port: 0 })
  return { address: addressOf(server) }
}

async function openBare(store: string): Promise<object> {
  const pool = new Pool(`http://${store}`, { connections: 64 })
  const forward = async (body: Buffer) => {
    const headers = { 'content-type': contentType }
    const { statusCode, body: text } = await pool.request({ method: 'POST', path: '/', headers, body })
    return { statusCode, body: Buffer.from(await text.arrayBuffer()) }
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => void answerWith(Buffer.concat(chunks), response))
  })
  const answerWith = async (call: Buffer, response: ServerResponse) => {
    const { statusCode, body } = await forward(call)
    response.writeHead(statusCode, { 'content-type': contentType, 'content-length': body.length }).end(body)
  }
  await listen(server, { host: '127.0.0.1', port: 0 })
  return { address: addressOf(server) }
}

async function openGate(store: string): Promise<object> {
  const gate = new Gate()
  const url = await gate.open()
  const { backend: dynamodb } = forwardTo(`http://${store}`, 'dynamodb')
  const none = () => Promise.reject(new Error('only the store is measured'))
  gate.serve({ ...laptop, publicUrl: url, storesUrl: url }, [role], {
    dynamodb,
    sqs: none,
    secretsmanager: none,
    kms: none,
    s3: none,
  })
  return { address: new URL(url).host, credential: gate.issue(role.arn) }
}

const [kind, store = ''] = process.argv.slice(2)
const opened = kind === 'store' ? openStore() : kind === 'bare' ? openBare(store) : openGate(store)
tellCpuTime()
process.send?.(await opened)
