import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSearchClient } from '../../../adapters/aws/opensearch-client.ts'
import { searchDomains } from '../../../contracts/resources.ts'
import type { Role } from '../../../packages/laptop/assembly/assembly.ts'
import { readStatements } from '../../../packages/laptop/assembly/read-roles.ts'
import { type Backend, type ServiceCall, jsonAnswer } from '../../../packages/laptop/gate/backend.ts'
import { type AllowedCall, Gate, type Judgement } from '../../../packages/laptop/gate/gate.ts'
import { signHeaders } from '../../../packages/laptop/signature/sign.ts'
import { place } from '../../support/platform/small-assembly.ts'

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/Accounts'
const queue = 'arn:aws:sqs:us-east-1:000000000000:Work.fifo'
const searchDomain = 'arn:aws:es:us-east-1:000000000000:domain/Cdrs'
const role: Role = {
  name: 'Reader',
  arn: 'arn:aws:iam::000000000000:role/Reader',
  statements: readStatements({
    Statement: [
      { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: table },
      { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: queue },
      { Effect: 'Allow', Action: ['es:ESHttpPost', 'es:ESHttpGet'], Resource: `${searchDomain}/cdr-*` },
    ],
  }),
}

const echo: Backend = ({ action, input }) => Promise.resolve(jsonAnswer({ action, input }))

let gate: Gate
let url: string

beforeEach(async () => {
  gate = new Gate()
  url = await gate.open()
  serve(echo)
})

/** Makes the gate serve `sqs` as the store of queues. */
function serve(sqs: Backend): void {
  gate.serve(place, [role], {
    dynamodb: echo,
    sqs,
    secretsmanager: echo,
    kms: echo,
    s3: (_request, response) => Promise.resolve(void response.end('object')),
    es: {
      domainArn: searchDomain,
      answer: (request) => Promise.resolve({ status: 200, body: JSON.stringify(request) }),
    },
  })
}

afterEach(() => gate.close())

async function call(service: string, target: string, input: object, signer = gate.issue(role.arn)) {
  const body = JSON.stringify(input)
  const given = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target }
  const request = { method: 'POST', url: new URL(url), service, region: 'us-east-1', body }
  const { host: _host, ...headers } = await signHeaders(request, given, signer)
  const response = await fetch(url, { method: 'POST', headers, body })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

describe('the gate', () => {
  it('the gate forwards calls that the role may make', async () => {
    const answer = await call('dynamodb', 'DynamoDB_20120810.GetItem', { TableName: 'Accounts' })

    expect(answer).toMatchObject({ status: 200, body: { action: 'GetItem', input: { TableName: 'Accounts' } } })
  })

  it('the gate refuses forbidden calls to DynamoDB as DynamoDB would', async () => {
    const answer = await call('dynamodb', 'DynamoDB_20120810.PutItem', { TableName: 'Accounts' })

    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      __type: 'com.amazon.coral.service#AccessDeniedException',
      Message: `User: ${role.arn} is not authorized to perform: dynamodb:PutItem on resource: ${table} because no identity-based policy allows the dynamodb:PutItem action`,
    })
  })

  it('the gate refuses forbidden calls to SQS as SQS would', async () => {
    const answer = await call('sqs', 'AmazonSQS.DeleteMessage', { QueueUrl: `${url}/000000000000/Work.fifo` })

    expect(answer.status).toBe(403)
    expect(answer.headers.get('x-amzn-query-error')).toBe('AccessDenied;Sender')
  })

  it('the gate allows a transaction only when every part of it is allowed', async () => {
    const part = { TableName: 'Accounts' }
    const get = await call('dynamodb', 'DynamoDB_20120810.TransactGetItems', { TransactItems: [{ Get: part }] })
    const write = await call('dynamodb', 'DynamoDB_20120810.TransactWriteItems', {
      TransactItems: [{ Put: part }, { ConditionCheck: part }],
    })

    expect([get.status, write.status]).toEqual([200, 400])
  })

  it('the gate judges a call by the service that it was signed for, whatever its target header says', async () => {
    const answer = await call('sqs', 'DynamoDB_20120810.GetItem', { TableName: 'Accounts' })

    expect(answer).toMatchObject({ status: 400, body: { __type: expect.stringContaining('UnknownOperation') } })
  })

  it('the gate refuses a call that an unknown signer has signed', async () => {
    const other = { ...gate.issue(role.arn), secretAccessKey: 'guessed' }

    const answer = await call('dynamodb', 'DynamoDB_20120810.GetItem', { TableName: 'Accounts' }, other)

    expect(answer).toMatchObject({
      status: 400,
      body: { __type: expect.stringContaining('InvalidSignatureException') },
    })
  })

  it('the gate refuses a call without a signature', async () => {
    const headers = { 'x-amz-target': 'DynamoDB_20120810.GetItem' }

    const response = await fetch(url, { method: 'POST', headers, body: '{}' })

    expect(await response.json()).toMatchObject({ __type: expect.stringContaining('MissingAuthenticationToken') })
  })

  it('the gate refuses everything to a role without a policy', async () => {
    const signer = gate.issue('arn:aws:iam::000000000000:role/Unknown')

    const answer = await call('dynamodb', 'DynamoDB_20120810.GetItem', { TableName: 'Accounts' }, signer)

    expect(answer.body).toMatchObject({ __type: expect.stringContaining('AccessDenied') })
  })

  it('the gate reports every decision', async () => {
    const seen: Judgement[] = []
    gate.observe((judgement) => seen.push(judgement))

    await call('dynamodb', 'DynamoDB_20120810.GetItem', { TableName: 'Accounts' })
    await call('dynamodb', 'DynamoDB_20120810.Scan', { TableName: 'Accounts' })

    expect(seen).toEqual([
      { roleArn: role.arn, action: 'dynamodb:GetItem', resource: table, allowed: true },
      { roleArn: role.arn, action: 'dynamodb:Scan', resource: table, allowed: false },
    ])
  })
})

describe('a call inside the process', () => {
  const QueueUrl = `${place.storesUrl}/000000000000/Work.fifo`
  const callAs = async (action: string, input: object = { QueueUrl }) => {
    const answer = await gate.callAs(role.arn, { service: 'sqs', target: `AmazonSQS.${action}`, input })
    return { status: answer.status, body: JSON.parse(String(answer.body)) }
  }

  it('the gate forwards a call inside the process that the role may make', async () => {
    expect(await callAs('SendMessage')).toEqual({ status: 200, body: { action: 'SendMessage', input: { QueueUrl } } })
  })

  it('a store receives a call inside the process as it receives a signed one', async () => {
    const received: ServiceCall[] = []
    const isAwaited = () => true
    serve((call) => {
      received.push(call)
      return echo(call)
    })

    await gate.callAs(role.arn, { service: 'sqs', target: 'AmazonSQS.SendMessage', input: { QueueUrl }, isAwaited })
    await call('sqs', 'AmazonSQS.SendMessage', { QueueUrl })

    expect(received).toHaveLength(2)
    expect(received[0]).toEqual({ ...received[1], isAwaited })
  })

  it('the gate refuses a forbidden call inside the process as it refuses a signed one', async () => {
    const signed = await call('sqs', 'AmazonSQS.DeleteMessage', { QueueUrl })

    const answer = await callAs('DeleteMessage')

    expect(answer).toEqual({ status: 403, body: signed.body })
    expect(answer.body).toMatchObject({
      __type: 'com.amazon.coral.service#AccessDeniedException',
      message: expect.stringContaining(`${role.arn} is not authorized to perform: sqs:DeleteMessage on resource`),
    })
  })

  it('the gate refuses a call inside the process that names no resource', async () => {
    expect(await callAs('ListQueues', {})).toMatchObject({
      status: 400,
      body: { __type: expect.stringContaining('UnknownOperation') },
    })
  })

  it('a gate that serves no stores yet refuses calls inside the process', async () => {
    const closed = new Gate()

    const answer = await closed.callAs(role.arn, {
      service: 'sqs',
      target: 'AmazonSQS.SendMessage',
      input: { QueueUrl },
    })

    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('UnknownOperation') })
  })

  it('observers see calls inside the process', async () => {
    const seen: (Judgement | AllowedCall)[] = []
    gate.observe((judgement) => seen.push(judgement))
    gate.watchCalls((allowed) => seen.push(allowed))

    await callAs('SendMessage')
    await callAs('ReceiveMessage')

    expect(seen).toEqual([
      { roleArn: role.arn, action: 'sqs:SendMessage', resource: queue, allowed: true },
      { roleArn: role.arn, action: 'SendMessage', input: { QueueUrl } },
      { roleArn: role.arn, action: 'sqs:ReceiveMessage', resource: queue, allowed: false },
    ])
  })
})

describe('the gate before a search domain', () => {
  const ask = async (
    { method = 'POST', path, query = {} }: { method?: string; path: string; query?: Record<string, string> },
    signer = gate.issue(role.arn),
  ) => {
    const env = {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: signer.accessKeyId,
      AWS_SECRET_ACCESS_KEY: signer.secretAccessKey,
      AWS_SESSION_TOKEN: signer.sessionToken,
      [searchDomains.cdr.variable]: url,
    }
    const request = { method, path, querystring: query, body: '{"size":0}' }
    const { statusCode, body } = await openSearchClient({ env }).transport.request(request, { ignore: [403] })
    return { status: statusCode, body }
  }

  it('the gate passes requests to a search domain on unchanged', async () => {
    const path = '/cdr-a-2026-01,cdr-b-*/_search'

    const { status, body } = await ask({ path, query: { routing: "a b+c'*&d", max_docs: '1' } })

    expect(status).toBe(200)
    expect(body).toMatchObject({ method: 'POST', path, body: '{"size":0}' })
    expect(Object.fromEntries(new URLSearchParams(body.query))).toEqual({ routing: "a b+c'*&d", max_docs: '1' })
  })

  it.each([
    ['DELETE', '/cdr-a-2026-01', 'es:ESHttpDelete'],
    ['POST', '/_bulk', 'es:ESHttpPost'],
  ])('the gate of a search domain refuses %s %s of a role that may not do it', async (method, path, action) => {
    const { status, body } = await ask({ method, path })

    expect(status).toBe(403)
    expect(body.Message).toContain(`is not authorized to perform: ${action} on resource: ${searchDomain}${path}`)
  })

  it('the gate of a search domain refuses a body that is not the signed one', async () => {
    const target = new URL(`${url}/cdr-a/_search`)
    const parts = { method: 'POST', url: target, service: 'es', region: 'us-east-1', body: '{"size":0}' }
    const { host: _host, ...headers } = await signHeaders(parts, {}, gate.issue(role.arn))

    const response = await fetch(target, { method: 'POST', headers, body: '{"size":1}' })

    expect(response.status).toBe(403)
    expect(await response.json()).toEqual({ Message: 'the signature is not that of this request' })
  })

  it('the gate of a search domain refuses a body whose stated hash is signed and is that of another body', async () => {
    const target = new URL(`${url}/cdr-a/_search`)
    const stated = { 'x-amz-content-sha256': createHash('sha256').update('{"size":0}').digest('hex') }
    const parts = { method: 'POST', url: target, service: 'es', region: 'us-east-1' }
    const { host: _host, ...headers } = await signHeaders(parts, stated, gate.issue(role.arn))

    expect((await fetch(target, { method: 'POST', headers, body: '{"size":0}' })).status).toBe(200)
    expect((await fetch(target, { method: 'POST', headers, body: '{"size":1}' })).status).toBe(403)
  })

  it('the gate of a search domain refuses a request that an unknown signer has signed', async () => {
    const other = { ...gate.issue(role.arn), secretAccessKey: 'guessed' }

    expect((await ask({ path: '/cdr-a/_search' }, other)).status).toBe(403)
  })
})
