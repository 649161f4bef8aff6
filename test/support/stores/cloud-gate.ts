import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { environment } from '../../../contracts/environment.ts'
import { searchDomains } from '../../../contracts/resources.ts'

/** One call of an adapter to a service of the cloud. */
export interface CloudCall {
  /**
   * The part of `X-Amz-Target` before the dot: `DynamoDB_20120810`, `AmazonSQS`, `TrentService`, `secretsmanager`. Of
   * a call without it, the service that it is signed for: `es`.
   */
  readonly service: string
  /** The part after the dot; else the method, and the path without its query. */
  readonly action: string
  /** The body as JSON; of a call without `X-Amz-Target`, empty unless the body is one JSON object. */
  readonly input: Readonly<Record<string, unknown>>
  readonly headers: IncomingMessage['headers']
}

/** An answer; `lost` is a connection that ends without one. */
export type CloudReply = { readonly status: number; readonly body: unknown } | 'lost'

/** Stands before the services that adapters call: keeps every call and may answer in their place. */
export interface CloudGate {
  /** Sends every service to the gate. */
  readonly env: Readonly<Record<string, string>>
  /** Every call, in order. */
  readonly calls: CloudCall[]
  /**
   * Answers a call; asks the real service by `forward`, with another input where one is given. Forwards every call
   * until replaced.
   */
  answer: (call: CloudCall, forward: (input?: object) => Promise<CloudReply>) => Promise<CloudReply> | CloudReply
  close(): Promise<void>
}

/** Starts a gate. `upstreams` has the address of each service that really runs. */
export async function startCloudGate(upstreams: Readonly<Record<string, string>> = {}): Promise<CloudGate> {
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  const url = `http://127.0.0.1:${address.port}`
  const { dynamodbEndpoint, sqsEndpoint, kmsEndpoint, secretsEndpoint } = environment

  const gate: CloudGate = {
    env: {
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: 'eu-central-1',
      [searchDomains.cdr.variable]: url,
      ...Object.fromEntries([dynamodbEndpoint, sqsEndpoint, kmsEndpoint, secretsEndpoint].map((name) => [name, url])),
    },
    calls: [],
    answer: (_call, forward) => forward(),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  async function handle(request: IncomingMessage, response: ServerResponse) {
    const body = await text(request)
    const call = callOf(request, body)
    const { service } = call
    gate.calls.push(call)
    const reply = await gate.answer(call, (input) =>
      forward(upstreams[service], request, input === undefined ? body : JSON.stringify(input)),
    )
    if (reply === 'lost') {
      request.socket.destroy()
    } else {
      response.writeHead(reply.status, { 'content-type': 'application/x-amz-json-1.0' })
      response.end(JSON.stringify(reply.body))
    }
  }
  return gate
}

function callOf({ headers, method, url = '' }: IncomingMessage, body: string): CloudCall {
  const target = headers['x-amz-target']
  if (typeof target === 'string') {
    const [service = '', action = ''] = target.split('.')
    return { service, action, input: JSON.parse(body), headers }
  }
  const [, service = ''] = /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)/.exec(headers.authorization ?? '') ?? []
  return { service, action: `${method} ${url.split('?')[0]}`, input: objectOf(body), headers }
}

/** A search store also takes bodies of several lines, which are no JSON. */
function objectOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    return {}
  }
}

async function forward(upstream: string | undefined, request: IncomingMessage, body: string): Promise<CloudReply> {
  const headers = Object.fromEntries(
    ['content-type', 'x-amz-target', 'x-amz-date', 'authorization'].map((name) => [
      name,
      String(request.headers[name]),
    ]),
  )
  if (upstream === undefined) throw new Error(`nothing answers ${headers['x-amz-target']}`)
  const answer = await fetch(upstream, { method: 'POST', headers, body })
  return { status: answer.status, body: await answer.json() }
}
