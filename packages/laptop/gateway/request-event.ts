import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { laptop } from '../assembly/place.ts'
import type { RequestTarget } from '../processes/request-target.ts'
import { type RouteMatch, decode } from './route-table.ts'

/** A request as API Gateway hands it to a function: an event of payload format 2.0. */
export interface RequestEvent {
  readonly version: '2.0'
  readonly routeKey: string
  readonly rawPath: string
  readonly rawQueryString: string
  cookies?: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  queryStringParameters?: Readonly<Record<string, string>>
  pathParameters?: Readonly<Record<string, string>>
  readonly requestContext: object
  body?: string
  readonly isBase64Encoded: boolean
}

/** Content types that come as text; a body of any other type comes in base64, form fields among them. */
const textTypes = /^(text\/|application\/(json|xml|javascript)\b|application\/[\w.-]+\+(json|xml)\b)/i

function isText(contentType = ''): boolean {
  return contentType === 'application/json' || textTypes.test(contentType)
}

/**
 * Returns the event of a request. As in an HTTP API: `rawPath` is percent-decoded and `rawQueryString` is not, header
 * names are lower-case, values of a name given more than once are joined by commas, cookies stand apart.
 */
export function requestEvent(
  request: IncomingMessage,
  { rawPath, rawQuery }: RequestTarget,
  match: RouteMatch<unknown>,
  body: Buffer,
  now: number,
): RequestEvent {
  const headers = headersOf(request)
  const path = decode(rawPath)
  const base64 = body.length > 0 && !isText(headers['content-type'])
  const event: RequestEvent = {
    version: '2.0',
    routeKey: match.routeKey,
    rawPath: path,
    rawQueryString: rawQuery,
    headers,
    requestContext: requestContext(request, path, match.routeKey, headers, now),
    isBase64Encoded: base64,
  }
  const { cookie } = headers
  if (cookie !== undefined) {
    delete headers['cookie']
    event.cookies = cookie.split(/;\s*/)
  }
  if (rawQuery !== '') event.queryStringParameters = queryOf(rawQuery)
  if (match.parameters !== undefined) event.pathParameters = match.parameters
  if (body.length > 0) event.body = body.toString(base64 ? 'base64' : 'utf8')
  return event
}

function requestContext(
  request: IncomingMessage,
  path: string,
  routeKey: string,
  headers: Readonly<Record<string, string>>,
  now: number,
): object {
  return {
    accountId: laptop.account,
    apiId: 'local',
    domainName: headers['host'] ?? 'localhost',
    domainPrefix: 'local',
    http: {
      method: request.method ?? 'GET',
      path,
      protocol: `HTTP/${request.httpVersion}`,
      sourceIp: sourceAddress(request),
      userAgent: headers['user-agent'] ?? '',
    },
    requestId: randomUUID(),
    routeKey,
    stage: '$default',
    time: `${new Date(now).toISOString().slice(0, 19)}.000Z`,
    timeEpoch: now,
  }
}

/** Returns the peer's address. `X-Forwarded-For` does not count, since nothing that is trusted stands in front. */
function sourceAddress(request: IncomingMessage): string {
  const address = request.socket.remoteAddress ?? ''
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
}

function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers = emptyRecord()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    add(headers, name, rawHeaders[index + 1] ?? '', name === 'cookie' ? '; ' : ',')
  }
  return headers
}

function queryOf(rawQuery: string): Record<string, string> {
  const query = emptyRecord()
  for (const [name, value] of new URLSearchParams(rawQuery)) add(query, name, value, ',')
  return query
}

/** Without a prototype, so that no name that a client chooses means anything. */
function emptyRecord(): Record<string, string> {
  return Object.create(null)
}

function add(values: Record<string, string>, name: string, value: string, separator: string): void {
  const known = values[name]
  values[name] = known === undefined ? value : `${known}${separator}${value}`
}
